/* A plan that asks servers: which VM asks which, how, and no password where it could be seen. */
/* rooms: base io workload sql target plan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "plan/plan.h"

static struct plan plan;
static struct error err;
static char data_dir[512];

static struct plan_request ask(const char *scenario)
{
    return (struct plan_request){.scenario = scenario, .data_dir = data_dir};
}

static int build(const struct plan_request *request)
{
    err = (struct error){0};
    return plan_build(&plan, request, &err);
}

static void refused(const struct plan_request *request, const char *words)
{
    assert_int_not_equal(build(request), 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    if (strstr(err.text, words) == NULL) {
        fail_msg("\"%s\" is not in: %s (%s)", words, err.text, err.hint);
    }
}

static void a_server_takes_the_place_of_model_and_drive(void **state)
{
    struct plan_request request = ask("tpcc-postgres");
    char server[256];

    request.target = "postgresql://bench:secret@db1:5433/tpcc";
    request.warehouses = "3";
    request.connections = "12";
    assert_int_equal(build(&request), 0);
    assert_int_equal(plan.drive, PLAN_DRIVE_NONE);
    assert_false(plan.virtual_time);
    assert_int_equal(plan.vms[0].target, PLAN_SQL);
    assert_int_equal(plan.vms[0].sql.url.dialect, SQL_POSTGRES);
    assert_string_equal(plan.vms[0].sql.url.host, "db1");
    assert_string_equal(plan.vms[0].sql.url.password, "secret");
    assert_int_equal(plan.vms[0].model.tpcc.warehouses, 3);
    assert_int_equal(plan.vms[0].sql.connections, 12);
    assert_int_equal(plan.vms[0].sql.isolation, ISOLATION_READ_COMMITTED);
    assert_true(plan.vms[0].sql.prepared);
    assert_int_equal(plan.fill_bytes, 0);
    assert_int_equal(plan.phases[plan.phase_count - 1].kind, PHASE_SAMPLE);
    assert_null(strstr(plan_server(&plan.vms[0], server, sizeof(server)), "secret"));
    plan_free(&plan);
}

static void without_a_server_the_model_answers(void **state)
{
    struct plan_request request = ask("tpcc-postgres");
    bool said = false;

    assert_int_equal(build(&request), 0);
    assert_int_equal(plan.vms[0].target, PLAN_MODEL);
    for (uint32_t i = 0; i < plan.warning_count; i++) {
        said |= strstr(plan.warnings[i], "the model answers") != NULL;
    }
    assert_true(said);
    plan_free(&plan);
}

static void of_two_answerers_the_model_says_so(void **state)
{
    static const char *const url[] = {"target.url=mysql://u@h/x"};
    struct plan_request request = ask("tpcc-postgres");
    bool said = false;

    request.sets = url;
    request.set_count = 1;
    request.virtual_time = true;
    assert_int_equal(build(&request), 0);
    assert_int_equal(plan.vms[0].target, PLAN_MODEL);
    for (uint32_t i = 0; i < plan.warning_count; i++) {
        said |= strstr(plan.warnings[i], "not the server of target.url") != NULL;
    }
    assert_true(said);
    plan_free(&plan);
}

static void each_vm_has_its_server(void **state)
{
    static const char *const others[] = {"a=mysql://u@h1/x", "b=mysql://u@h2/x", "c=mysql://u@h3/x",
                                         "d=mysql://u@h4/x"};
    static const char *const known[] = {"vm2=mysql://u@h2/x"};
    struct plan_request request = ask("tpcc-1500-4vm");

    request.servers = others;
    request.server_count = 4;
    assert_int_equal(build(&request), 0);
    assert_string_equal(plan.vms[1].name, "b");
    assert_string_equal(plan.vms[1].sql.url.host, "h2");
    assert_string_equal(plan.vms[3].sql.url.host, "h4");
    plan_free(&plan);

    request.servers = known;
    request.server_count = 1;
    refused(&request, "3 of 4 VMs have no server");
    request.target = "mysql://u@rest/x";
    assert_int_equal(build(&request), 0);
    assert_string_equal(plan.vms[0].sql.url.host, "rest");
    assert_string_equal(plan.vms[2].sql.url.host, "h2");
    plan_free(&plan);
    request.servers = others;
    request.server_count = 3;
    refused(&request, "3 servers for 4 VMs");
}

static void what_does_not_go_together_is_refused(void **state)
{
    struct plan_request request = ask("block-8k-randread");
    static const char *const bad[] = {"mysql://u@h/x"};
    static const char *const sets[] = {"target.procedures=yes"};

    request.target = "mysql://u@h/x";
    refused(&request, "asks a drive");
    request = ask("tpcc-postgres");
    request.target = "mysql://u@h/x";
    request.virtual_time = true;
    refused(&request, "--virtual");
    request = ask("tpcc-postgres");
    request.servers = bad;
    request.server_count = 1;
    refused(&request, "NAME=URL");
    request = ask("sysbench-sql");
    request.target = "mysql://u@h/x";
    request.sets = sets;
    request.set_count = 1;
    refused(&request, "procedures for tpcc alone");
    request = ask("tpcb-postgres");
    request.virtual_time = true;
    refused(&request, "asks a server");
    request = ask("tpcc-postgres");
    request.target = "mysql://u@h/x";
    request.scale = "fit";
    refused(&request, "no drive to fit on");
}

static void codes_to_ignore_are_a_list_or_words(void **state)
{
    static const char *const list[] = {"target.ignore=[1062, 1205]"};
    static const char *const words[] = {"target.ignore=23505 40001"};
    static const char *const wrong[] = {"target.ignore=deadlock"};
    struct plan_request request = ask("tpcc-mariadb");

    request.target = "mysql://u@h/x";
    request.sets = list;
    request.set_count = 1;
    assert_int_equal(build(&request), 0);
    assert_int_equal(plan.vms[0].sql.ignore_count, 2);
    assert_string_equal(plan.vms[0].sql.ignore[1], "1205");
    plan_free(&plan);
    request.sets = words;
    assert_int_equal(build(&request), 0);
    assert_string_equal(plan.vms[0].sql.ignore[0], "23505");
    plan_free(&plan);
    request.sets = wrong;
    refused(&request, "1062");
}

static void no_password_is_kept_where_it_is_seen(void **state)
{
    char folder[] = "/tmp/rawtps-plan-XXXXXX", path[64];
    struct text text = {0};
    struct plan_request request;
    FILE *file;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/x.yaml", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("workload: {kind: tpcc, warehouses: 1}\n"
          "target: {url: 'postgresql://me:topsecret@h/x'}\n",
          file);
    fclose(file);
    request = ask(path);
    assert_int_equal(build(&request), 0);
    assert_string_equal(plan.vms[0].sql.url.password, "topsecret");
    plan_explain(&plan, &text);
    assert_null(strstr(text_string(&text), "topsecret"));
    assert_null(strstr(plan.text, "topsecret"));
    for (uint32_t i = 0; i < plan.choice_count; i++) {
        assert_null(strstr(plan.choices[i].value, "topsecret"));
    }
    plan_free(&plan);
    request.target = "postgresql://me:topsecret@h:port/x";
    assert_int_not_equal(build(&request), 0);
    assert_null(strstr(err.text, "topsecret"));
    assert_null(strstr(err.hint, "topsecret"));
    text_free(&text);
    unlink(path);
    rmdir(folder);
}

static void passwords_are_blotted_out_in_place(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"mysql://bench:pw@db/x", "mysql://bench:**@db/x"},
        {"a=mysql://bench:p:w@db/x", "a=mysql://bench:***@db/x"},
        {"url: 'postgresql://u:a%40b@[::1]:5/x?sslmode=require'",
         "url: 'postgresql://u:*****@[::1]:5/x?sslmode=require'"},
        {"mysql://bench@db:3306/x", "mysql://bench@db:3306/x"},
        /* not coded as they should be */
        {"mysql://u:p/w@db/x", "mysql://u:***@db/x"},
        {"mysql://u:p?w#@db/x", "mysql://u:****@db/x"},
        {"mysql://u:p@w@db/x y@z", "mysql://u:***@db/x y@z"},
        {"mysql://db/x?user=u&password=pw&a=b", "mysql://db/x?user=u&password=**&a=b"},
        {"a mysql://db:1/x,pg://u:pw@h/d", "a mysql://db:1/x,pg://u:**@h/d"},
        {"no url", "no url"},
    };
    char text[128];

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(text, sizeof(text), "%s", cases[i].from);
        plan_hide_passwords(text);
        assert_string_equal(text, cases[i].to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_takes_the_place_of_model_and_drive),
        cmocka_unit_test(without_a_server_the_model_answers),
        cmocka_unit_test(of_two_answerers_the_model_says_so),
        cmocka_unit_test(each_vm_has_its_server),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(codes_to_ignore_are_a_list_or_words),
        cmocka_unit_test(no_password_is_kept_where_it_is_seen),
        cmocka_unit_test(passwords_are_blotted_out_in_place),
    };
    const char *data = getenv("RAWTPS_DATA");

    if (data == NULL) {
        data = getenv("ROOT") != NULL ? getenv("ROOT") : ".";
    }
    snprintf(data_dir, sizeof(data_dir), "%s", data);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
