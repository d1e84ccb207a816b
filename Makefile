# rawtps: one Makefile. `make help` lists the targets, `make deps` installs what it needs.
BUILD ?= build
# one name, however it was given: dependency files carry it
override BUILD := $(abspath $(BUILD))
PREFIX ?= /usr/local
OPT ?= -O2
PKG_CONFIG ?= pkg-config
INSTALL ?= install
FUZZ_SECONDS ?= 60
ifeq ($(origin CC),default)
CC := gcc
endif

ROOMS := base stats trace io workload sql target plan result engine report cli
LIBS_REQUIRED := liburing yaml-0.1 jansson libpcre2-8 zlib blkid

# these goals compile nothing themselves: no probes, no stamps
NO_BUILD := help deps demo test test-quick asan tidy lint fuzz clean

all: $(BUILD)/rawtps ## the program, as build/rawtps (the default)

# ---- flags -------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wredundant-decls -Wpointer-arith -Wwrite-strings -Wvla -Walloca -Wdate-time -Wformat=2 -Wundef \
	-Wno-unused-parameter -Werror
ifeq ($(findstring clang,$(CC)),)
WARN += -Wlogical-op -Wduplicated-cond -Wimplicit-fallthrough=5
else
WARN += -Wimplicit-fallthrough -Wunreachable-code-break
endif

ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
# one probe a make: compiler flags and libraries together, or nothing if one is missing
LIB_FLAGS := $(shell command -v $(firstword $(CC)) >/dev/null && \
	$(PKG_CONFIG) --cflags --libs $(LIBS_REQUIRED) 2>/dev/null)
ifeq ($(LIB_FLAGS),)
ifneq ($(filter all install bench $(BUILD)/rawtps,$(or $(MAKECMDGOALS),all)),)
$(error no $(CC), or no development files of one of $(LIBS_REQUIRED): run `make deps`)
endif
endif

# An optional library that is absent is a file: $(call optional,files with,without,probe). The probe
# prints the flags of the library if it is there; it runs only where the file `with` exists.
define optional
ifneq ($(wildcard $(addprefix src/,$(1))),)
PROBED := $$(shell $(3) 2>/dev/null)
LIB_FLAGS += $$(PROBED)
LEFT_OUT += $$(addprefix src/,$$(if $$(PROBED),$(2),$(1)))
endif
endef
pkg = $(PKG_CONFIG) --cflags --libs $(1)
$(eval $(call optional,sql/sql_pg.c sql/sql_pg_plain.c,sql/sql_pg_none.c,$(call pkg,libpq)))
$(eval $(call optional,sql/sql_maria.c sql/sql_maria_calls.c sql/sql_maria_plain.c,\
	sql/sql_maria_none.c,$(call pkg,libmariadb)))
$(eval $(call optional,engine/cluster_mpi.c,engine/cluster_none.c,$(call pkg,ompi-c)))
$(eval $(call optional,report/draw_cairo.c,report/draw_none.c,\
	$(call pkg,cairo cairo-pdf cairo-svg)))
$(eval $(call optional,trace/archive.c,trace/archive_none.c,$(call pkg,libarchive)))
endif

CPPFLAGS_ALL = -D_GNU_SOURCE -Iinclude $(filter-out -l% -L%,$(LIB_FLAGS)) $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 $(OPT) -g -ffp-contract=off -fno-strict-aliasing -pthread $(WARN) $(CFLAGS)
LDLIBS_ALL = $(filter -l% -L%,$(LIB_FLAGS)) $(LDLIBS) -lm -pthread
V ?= 0
SAY = $(if $(filter 0,$(V)),@printf '  %-4s %s\n' $(1) $(patsubst $(BUILD)/%,%,$@) &&)
COMPILE = $(call SAY,CC) $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
LINK = $(call SAY,LINK) $(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@

# ---- rooms -------------------------------------------------------------------------------------

srcs = $(filter-out $(LEFT_OUT),$(wildcard src/$(1)/*.c))
objs = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(call srcs,$(1)))
libs = $(foreach r,$(1),$(if $(call srcs,$(r)),$(BUILD)/lib$(r).a))
LIB_ROOMS := $(filter-out cli,$(ROOMS))

$(BUILD)/rawtps: $(call objs,cli) $(call libs,$(LIB_ROOMS))
	$(LINK) $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
		-Wl,--build-id=sha1 $(LDLIBS_ALL)

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE)

# the program knows its version, and which optional parts it has
HAS = $(if $(filter src/$(2),$(foreach r,$(ROOMS),$(call srcs,$(r)))),$(1))
FEATURES = io_uring $(call HAS,postgresql,sql/sql_pg.c) \
	$(call HAS,mariadb,sql/sql_maria.c) $(call HAS,mpi,engine/cluster_mpi.c) \
	$(call HAS,libarchive,trace/archive.c) $(call HAS,cairo,report/draw_cairo.c)
$(BUILD)/obj/cli/version.o: VERSION Makefile
$(BUILD)/obj/cli/version.o: CPPFLAGS += -DRAWTPS_VERSION='"$(file <VERSION)"' \
	-DRAWTPS_FEATURES='"$(strip $(FEATURES))"'

# files that are part of the program, for the HTML report
$(BUILD)/obj/report/html_assets.o: $(wildcard src/report/html/* src/report/uplot/*)

# one library a room; made anew when a file comes or goes
define room_lib
$(BUILD)/lib$(1).a: $(call objs,$(1)) $(BUILD)/list/$(1)
	@rm -f $$@
	$$(call SAY,AR) $(AR) rcs $$@ $$(filter %.o,$$^)
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
ifneq ($$(file <$(BUILD)/list/$(1)),$$(call srcs,$(1)))
$$(shell mkdir -p $(BUILD)/list)$$(file >$(BUILD)/list/$(1),$$(call srcs,$(1)))
endif
endif
endef
$(foreach r,$(LIB_ROOMS),$(eval $(call room_lib,$(r))))

# everything is made anew when a flag changes
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
FLAGS := $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS) $(LDLIBS_ALL)
ifneq ($(file <$(BUILD)/flags),$(FLAGS))
$(shell mkdir -p $(BUILD))$(file >$(BUILD)/flags,$(FLAGS))
endif
endif

# ---- tests -------------------------------------------------------------------------------------

# a C test links the rooms that it names by `rooms: base stats` in its first lines (default: all)
test_rooms = $(shell sed -n '1,20s/^.*rooms: *\([a-z ]*\).*$$/\1/p' tests/$(1).c | head -n 1)
test_libs = $(call libs,$(or $(call test_rooms,$(1)),$(LIB_ROOMS)))
TEST_LIB_OBJS := $(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(wildcard tests/lib/*.c))
TEST_LIB := $(if $(TEST_LIB_OBJS),$(BUILD)/libtest.a)

$(BUILD)/libtest.a: $(TEST_LIB_OBJS)
	@rm -f $@
	$(call SAY,AR) $(AR) rcs $@ $^

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Itests/lib

.PRECIOUS: $(BUILD)/obj/tests/%.o
.SECONDEXPANSION:
LINK_TEST = $(LINK) $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group

$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $$(call test_libs,fuzz/$$*)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS_ALL) -fsanitize=fuzzer

$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $$(call test_libs,bench/$$*) $(TEST_LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS_ALL)

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $$(call test_libs,$$*) $(TEST_LIB)
	@mkdir -p $(@D)
	$(LINK_TEST) $(LDLIBS_ALL) -lcmocka

# ---- what people type --------------------------------------------------------------------------

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo '  variables: V=1 CC OPT CFLAGS LDFLAGS BUILD PREFIX DESTDIR JOBS FUZZ_SECONDS,' \
		'as in `make CC=clang OPT=-O0 BUILD=build/clang`'

deps: ## install what is missing to build, test and measure (Debian, Ubuntu; else a list)
	@tools/deps all

demo: ## install what is missing, build, run a small TPC-C on a scratch file
	@tools/deps build
	$(MAKE) --no-print-directory all
	@rm -f $(BUILD)/demo.img
	$(BUILD)/rawtps run scenarios/quick.yaml --drive $(BUILD)/demo.img

test: ## install what is missing, build, run every test
	@tools/deps test
	+@tests/run --build $(BUILD)

test-quick: ## the tests that take seconds
	+@tests/run --build $(BUILD) --quick

asan: ## the unit and sim tests under AddressSanitizer and UBSan, in build/asan
	+@CFLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
		OPT=-O1 tests/run --build $(BUILD)/asan --sanitized unit sim

BARE := bare_ring $(if $(filter -lpq,$(LIB_FLAGS)),bare_query)

bench: all $(addprefix $(BUILD)/tests/bench/,$(BARE)) ## measure beside fio, sysbench and pgbench on this machine
	@tools/deps bench
	BUILD=$(BUILD) tests/bench/run
	BUILD=$(BUILD) tests/bench/servers

fidelity: all ## the models against what real servers were measured to do
	$(BUILD)/rawtps fidelity --format markdown

seeds: all ## the reviews' application rows, simulated: predicted beside published
	BUILD=$(BUILD) tests/bench/seeds

tidy: ## the rules of the house; prints nothing when all hold
	@tests/tidy/check

lint: ## clang-tidy, clang-format and, if it is there, cppcheck
	@tools/deps lint
	@tools/lint

fuzz: ## every fuzz target for FUZZ_SECONDS (60), with clang
	@tools/deps fuzz
	+@BUILD=$(BUILD)/fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run

install: all ## into PREFIX (/usr/local), under DESTDIR
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/bin
	$(INSTALL) -m 755 $(BUILD)/rawtps $(DESTDIR)$(PREFIX)/bin/rawtps
	@for f in $$(find scenarios vm-configs -type f | sort); do \
		$(INSTALL) -d "$(DESTDIR)$(PREFIX)/share/rawtps/$${f%/*}" && \
		$(INSTALL) -m 644 "$$f" "$(DESTDIR)$(PREFIX)/share/rawtps/$$f" || exit 1; done

clean: ## remove what was built
	rm -rf $(BUILD)

.PHONY: all help deps demo test test-quick asan bench fidelity seeds tidy lint fuzz install clean
-include $(wildcard $(BUILD)/obj/*/*.d $(BUILD)/obj/tests/*/*.d)
