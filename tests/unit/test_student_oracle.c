// rooms: base stats
/*
 * Student's t and the incomplete beta function against the GNU Scientific Library, where it is
 * installed. It is loaded here and nowhere else: the program does not use it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stats/student.h"
#include <dlfcn.h>
#include <math.h>
#include <string.h>

static struct {
    double (*cdf)(double t, double df);
    double (*inverse)(double p, double df);
    double (*beta)(double a, double b, double x);
} gsl;

static void *symbol(void *library, const char *name, void *ret)
{
    void *found = dlsym(library, name);

    memcpy(ret, &found, sizeof(found));
    return found;
}

static int load(void **state)
{
    static const char *const names[] = {"libgsl.so", "libgsl.so.28", "libgsl.so.27",
                                        "libgsl.so.25"};
    void *library = NULL;

    if (dlopen("libgslcblas.so", RTLD_NOW | RTLD_GLOBAL) == NULL) {
        dlopen("libgslcblas.so.0", RTLD_NOW | RTLD_GLOBAL);
    }
    for (size_t i = 0; library == NULL && i < sizeof(names) / sizeof(*names); i++) {
        library = dlopen(names[i], RTLD_NOW);
    }
    if (library == NULL || symbol(library, "gsl_cdf_tdist_P", &gsl.cdf) == NULL ||
        symbol(library, "gsl_cdf_tdist_Pinv", &gsl.inverse) == NULL ||
        symbol(library, "gsl_sf_beta_inc", &gsl.beta) == NULL) {
        gsl.cdf = NULL;
    }
    return 0;
}

static void need(void)
{
    if (gsl.cdf == NULL) {
        print_message("# the GNU Scientific Library is not installed\n");
        skip();
    }
}

static const double dfs[] = {1, 1.5, 2, 2.7, 4, 5, 7.31, 8, 18, 19, 30, 61.5, 98, 150, 300};
enum { DFS = sizeof(dfs) / sizeof(*dfs) };

static void the_distribution_agrees(void **state)
{
    need();
    for (int d = 0; d < DFS; d++) {
        for (double t = -30; t <= 30; t += 0.173) {
            double off = fabs(student_cdf(t, dfs[d]) - gsl.cdf(t, dfs[d]));

            if (!(off < 5e-13)) {
                fail_msg("t %g, df %g: off by %g", t, dfs[d], off);
            }
        }
    }
}

static void the_quantile_agrees(void **state)
{
    static const double ps[] = {1e-6, 0.001, 0.025, 0.05,  0.2,  0.4,   0.6,
                                0.8,  0.9,   0.95,  0.975, 0.99, 0.995, 0.9995};

    need();
    for (int d = 0; d < DFS; d++) {
        for (size_t i = 0; i < sizeof(ps) / sizeof(*ps); i++) {
            double want = gsl.inverse(ps[i], dfs[d]);
            double off = fabs(student_quantile(ps[i], dfs[d]) / want - 1);

            /* small p: the oracle itself is good to 1e-9 there */
            if (!(off < (ps[i] < 0.001 ? 1e-8 : 1e-10))) {
                fail_msg("p %g, df %g: off by %g of %.15g", ps[i], dfs[d], off, want);
            }
        }
    }
}

static void the_quantile_is_the_inverse(void **state)
{
    for (int d = 0; d < DFS; d++) {
        for (double p = 0.0005; p < 1; p += 0.0123) {
            double back = student_cdf(student_quantile(p, dfs[d]), dfs[d]);

            if (!(fabs(back - p) < 1e-12)) {
                fail_msg("p %g, df %g: comes back as %.15g", p, dfs[d], back);
            }
        }
    }
}

static void the_beta_function_agrees(void **state)
{
    need();
    for (double a = 0.5; a < 60; a *= 1.7) {
        for (double b = 0.5; b < 60; b *= 1.9) {
            for (double x = 0.01; x < 1; x += 0.049) {
                double off = fabs(student_beta(a, b, x) - gsl.beta(a, b, x));

                if (!(off < 1e-12)) {
                    fail_msg("a %g, b %g, x %g: off by %g", a, b, x, off);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distribution_agrees),
        cmocka_unit_test(the_quantile_agrees),
        cmocka_unit_test(the_quantile_is_the_inverse),
        cmocka_unit_test(the_beta_function_agrees),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}
