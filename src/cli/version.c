#include "version.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The Makefile says both, from the file VERSION and from what it found; who checks the source alone
 * does not know them. */
#ifndef RAWTPS_VERSION
#define RAWTPS_VERSION  "unknown"
#define RAWTPS_FEATURES ""
#endif
const char version_number[] = RAWTPS_VERSION;
const char version_features[] = RAWTPS_FEATURES;
#ifdef __clang__
const char version_compiler[] = "clang " __clang_version__;
#else
const char version_compiler[] = "gcc " __VERSION__;
#endif

struct build_id {
    char *buf;
    uint64_t size;
};

static size_t padded(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

static void format_id(const struct build_id *id, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count && 2 * i + 2 < id->size; i++) {
        snprintf(id->buf + 2 * i, 3, "%02x", bytes[i]);
    }
}

/* ELF gABI, "Note Section": name size, descriptor size, type, then both, padded to 4 bytes. */
static void read_notes(const struct build_id *id, const char *notes, size_t bytes)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        size_t whole;

        memcpy(&head, notes, sizeof(head));
        whole = sizeof(head) + padded(head.n_namesz) + padded(head.n_descsz);
        if (whole > bytes) {
            return;
        }
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(notes + sizeof(head), "GNU", 4) == 0) {
            format_id(id, (const unsigned char *)notes + sizeof(head) + 4, head.n_descsz);
            return;
        }
        notes += whole;
        bytes -= whole;
    }
}

/* The first object is the program itself. */
static int read_program(struct dl_phdr_info *info, size_t size, void *data)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_NOTE) {
            read_notes(data, (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                       info->dlpi_phdr[i].p_memsz);
        }
    }
    return 1;
}

const char *version_build_id(char *buf, uint64_t size)
{
    struct build_id id = {.buf = buf, .size = size};

    buf[0] = '\0';
    dl_iterate_phdr(read_program, &id);
    return buf;
}
