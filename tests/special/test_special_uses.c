/* test_special_uses.c - derivatives against differences, identities between functions, arrays in
 * place and of odd lengths, the table by name, and the functions that have no points. */
#define _POSIX_C_SOURCE 200809L
#include "special_points.h"
#include "test.h"

#include <float.h>

/* Some points inside each function's domain, from its own reference points. */
TEST(derivatives) {
    for (int i = 0; i < WEFT_SPECIAL_COUNT; i++) {
        const weft_special f = (weft_special)i;
        const int arguments = weft_special_arguments(f);
        special_points p = special_points_read(f);
        for (int j = 0; j < arguments; j++) {
            if (!weft_special_formula(f, j)) continue;
            CASE("%s by argument %d", weft_special_name(f), j);
            int tried = 0;
            for (int64_t k = j; k < p.n && tried < 60; k += 3) {
                double x[3] = {0}, size = 0;
                for (int a = 0; a < arguments; a++) x[a] = p.x[a][k], size = fmax(size, fabs(x[a]));
                const double v = weft_special_at(f, x), h = 1e-4 * fabs(x[j]);
                if (!(fabs(x[j]) > 1e-3 && size < 60) || !(fabs(v) > 1e-6 && fabs(v) < 1e6))
                    continue;
                double at[5] = {0};
                bool calm = true; /* no pole and no root next to it */
                for (int s = -2; s <= 2; s++) {
                    double y[3] = {x[0], x[1], x[2]};
                    y[j] += s * h;
                    at[s + 2] = weft_special_at(f, y);
                    calm = calm && fabs(at[s + 2] - v) < 0.1 * fabs(v);
                }
                /* two differences, of which the wider tells how well they can do */
                const double near = (at[3] - at[1]) / (2 * h), wide = (at[4] - at[0]) / (4 * h);
                const double best = near + (near - wide) / 3, spread = fabs(near - wide);
                const double slope = weft_special_derivative(f, j, x);
                if (!calm || spread > 1e-3 * (fabs(best) + fabs(v / x[j]))) continue;
                tried++;
                if (!CHECK_NEAR(slope, best, 1e-2 * spread + 1e-8 * (fabs(best) + fabs(v / x[j]))))
                    printf("    at %.17g %.17g %.17g\n", x[0], x[1], x[2]);
            }
            CHECK(tried >= 20);
        }
        special_points_free(&p);
    }
}

TEST(derivatives_there_are_not) {
    const double x[3] = {1.5, 2.5, 0.5};
    CHECK(isnan(weft_special_derivative(WEFT_SPECIAL_zeta, 0, x)));
    CHECK(isnan(weft_special_derivative(WEFT_SPECIAL_gamma_p, 0, x)));
    CHECK(isnan(weft_special_derivative(WEFT_SPECIAL_erf, 1, x)));
    CHECK(isnan(weft_special_derivative(WEFT_SPECIAL_erf, -1, x)));
    CHECK(weft_special_formula(WEFT_SPECIAL_zeta, 0) == NULL);
    CHECK(weft_special_formula(WEFT_SPECIAL_erf, 3) == NULL);
    CHECK_STR(weft_special_formula(WEFT_SPECIAL_lgamma, 0), "digamma(x)");
}

TEST(names) {
    for (int i = 0; i < WEFT_SPECIAL_COUNT; i++) {
        weft_special f = WEFT_SPECIAL_COUNT;
        CHECK(weft_special_find(weft_special_name((weft_special)i), &f));
        CHECK_EQ((int)f, i);
    }
    weft_special f = WEFT_SPECIAL_erf;
    CHECK(!weft_special_find("gammma", &f));
    CHECK_EQ((int)f, (int)WEFT_SPECIAL_erf);
    CHECK(weft_special_name(WEFT_SPECIAL_COUNT) == NULL);
    CHECK_EQ(weft_special_arguments((weft_special)-1), 0);
    CHECK(isnan(weft_special_at(WEFT_SPECIAL_COUNT, &(double){1})));
}

/* What points cannot say: that functions agree with each other where they should. */
TEST(identities) {
    for (int i = 1; i < 40; i++) {
        const double x = 0.37 * i, v = 0.5 * i;
        CASE("x %g", x);
        const double j = weft_special_bessel_j(0, x), y = weft_special_bessel_y(1, x);
        CHECK_NEAR(j, weft_special_bessel_j0(x), 1e-15);
        CHECK_NEAR(y, weft_special_bessel_y1(x), 1e-15 * (1 + 1 / x));
        /* Wronskians */
        const double jj = weft_special_bessel_j(v + 1, x) * weft_special_bessel_y(v, x);
        const double jy = weft_special_bessel_j(v, x) * weft_special_bessel_y(v + 1, x);
        CHECK_NEAR((jj - jy) * 1.5707963267948966 * x, 1, 1e-13);
        const double ik = weft_special_bessel_ie(v, x) * weft_special_bessel_ke(v + 1, x);
        const double ki = weft_special_bessel_ie(v + 1, x) * weft_special_bessel_ke(v, x);
        CHECK_NEAR((ik + ki) * x, 1, 1e-14);
        CHECK_NEAR(weft_special_gamma_p(v, x) + weft_special_gamma_q(v, x), 1, 3e-16);
        CHECK_NEAR(weft_special_gamma_q_inverse(v, weft_special_gamma_q(v, x)), x, 1e-12 * x);
        CHECK_NEAR(weft_special_beta_i(v, 2, 0.3) + weft_special_beta_i(2, v, 0.7), 1, 3e-16);
        CHECK_NEAR(weft_special_hurwitz(1 + x, 1), weft_special_zeta(1 + x), 1e-15 * (1 + 1 / x));
        CHECK_NEAR(weft_special_erf(x) + weft_special_erfc(x), 1, 3e-16);
    }
}

TEST(odd_functions_keep_the_sign_of_zero) {
    CHECK(signbit(weft_special_erf(-0.0)) && !signbit(weft_special_erf(0.0)));
    CHECK(signbit(weft_special_erfinv(-0.0)) && !signbit(weft_special_erfinv(0.0)));
    CHECK(signbit(weft_special_bessel_j1(-0.0)) && !signbit(weft_special_bessel_j1(0.0)));
    CHECK(signbit(weft_special_bessel_i1(-0.0)) && signbit(weft_special_bessel_i1e(-0.0)));
    CHECK(signbit(weft_special_gamma(-200.5)) && !signbit(weft_special_gamma(-201.5)));
}

/* Orders at the far end, and beyond. */
TEST(large_orders) {
    CHECK(weft_special_bessel_j(10000, 9000) > 0);
    CHECK(weft_special_bessel_j(10000, 10) == 0);
    CHECK(weft_special_bessel_y(10000, 10) == -INFINITY);
    CHECK(weft_special_bessel_k(10000, 10) == INFINITY);
    CHECK(fabs(weft_special_bessel_j(9999.5, 1e6)) < 1e-2);
    CHECK(weft_special_bessel_ie(10000, 1e7) > 0);
    CHECK(isnan(weft_special_bessel_j(10001, 1)));
    CHECK(isnan(weft_special_bessel_k(INFINITY, 1)));
}

TEST(arrays_in_place_and_of_any_length) {
    weft_ctx *c = weft_open("cpu");
    double x[700], y[700];
    for (int n = 0; n < 700; n += n < 20 ? 1 : 97) {
        CASE("n %d", n);
        for (int i = 0; i < 700; i++) x[i] = y[i] = -3 + 0.01 * i;
        x[0] = y[0] = NAN;
        const double *const in = x;
        CHECK_EQ(weft_special_map(c, WEFT_SPECIAL_lgamma, n, &in, x), WEFT_OK);
        for (int i = 0; i < 700; i++) {
            const double want = i < n ? weft_special_lgamma(y[i]) : y[i];
            if (isinf(want)) CHECK_EQ(x[i], want);
            else if (i) CHECK_NEAR(x[i], want, 1e-14 * (1 + fabs(want)));
            else CHECK(isnan(x[i]));
        }
    }
    const double *const in = x;
    CHECK_EQ(weft_special_map(c, WEFT_SPECIAL_COUNT, 3, &in, y), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "is not one of");
    weft_close(c);
}

TEST(floats) {
    CHECK_EQ(weft_special_erf_f32(0.5f), (float)weft_special_erf(0.5));
    CHECK_EQ(weft_special_beta_f32(2.0f, 3.0f), (float)(1.0 / 12.0));
    CHECK_EQ(weft_special_beta_i_f32(1.0f, 1.0f, 0.25f), 0.25f);
    CHECK_EQ(weft_special_gamma_f32(40.0f), INFINITY);
}

TEST(logsumexp) {
    CHECK_EQ(weft_special_logsumexp(0, NULL), -INFINITY);
    CHECK_NEAR(weft_special_logsumexp(2, (double[]){1000, 1000}), 1000.6931471805599, 1e-12);
    CHECK_NEAR(weft_special_logsumexp(3, (double[]){-INFINITY, 2, -INFINITY}), 2, 0);
    CHECK_EQ(weft_special_logsumexp(2, (double[]){-INFINITY, -INFINITY}), -INFINITY);
    CHECK_EQ(weft_special_logsumexp(2, (double[]){INFINITY, 1}), INFINITY);
    CHECK(isnan(weft_special_logsumexp(2, (double[]){NAN, INFINITY})));
}

/* Far out, where only leading terms are left and nothing may overflow on the way. */
TEST(the_largest_arguments) {
    static const double large[] = {1e100, 1e200, 1e290, 1e300, 1.7e308};
    for (int i = 0; i < 5; i++) {
        const double x = large[i], size = sqrt(2 / (3.141592653589793 * x));
        CASE("x %g", x);
        CHECK_NEAR(weft_special_bessel_j(0, x) / size, weft_special_bessel_j0(x) / size, 1e-14);
        CHECK_NEAR(weft_special_bessel_y(1, x) / size, weft_special_bessel_y1(x) / size, 1e-14);
        CHECK_NEAR(weft_special_bessel_ke(2.5, x) / weft_special_bessel_k0e(x), 1, 1e-14);
        CHECK_NEAR(weft_special_bessel_ie(2.5, x) / weft_special_bessel_i0e(x), 1, 1e-14);
        CHECK_EQ(weft_special_gamma_p(3, x), 1);
        CHECK_EQ(weft_special_gamma_q(x, 3), 1);
        CHECK_NEAR(weft_special_lbeta(x, 2) / (-2 * log(x)), 1, 1e-14);
        CHECK_NEAR(weft_special_lbeta(0.5 * x, 0.5 * x) / -0.6931471805599453 / x, 1, 1e-12);
        CHECK_NEAR(weft_special_hurwitz(2, x) * x, 1, 1e-13);
    }
    CHECK(isnan(weft_special_beta_i(1e15, 1e15, 0.5)));
    CHECK_NEAR(weft_special_beta_i(1e7, 1e7, 0.5), 0.5, 1e-13);
}

/* ---- operations of graphs ---- */

/* Weft's functions of a graph, and the ones they are said to be, rounded. Beyond 2^24 floats are
 * further apart than the roots of the waves, which are 0 there. */
static double far_j0(double x) {
    return fabs(x) > 0x1p24 ? 0 : weft_special_bessel_j0(x);
}
static double far_j1(double x) {
    return fabs(x) > 0x1p24 ? 0 : weft_special_bessel_j1(x);
}
static double trigamma(double x) {
    return weft_special_polygamma(1, x);
}
static double fifth(double x) { /* not reflected */
    return x < 0 ? NAN : weft_special_polygamma(5, x);
}
static int64_t float_order(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

TEST(operations_are_the_functions_rounded) {
    enum { N = 60000 };
    static const struct {
        const char *name;
        weft_tensor (*op)(weft_tensor x); /* NULL: polygamma of an order */
        double (*f)(double x);
        float order;
    } rows[] = {
        {"lgamma", weft_lgamma, weft_special_lgamma, 0},
        {"digamma", weft_digamma, weft_special_digamma, 0},
        {"polygamma 1", NULL, trigamma, 1},
        {"polygamma 5", NULL, fifth, 5},
        {"erfc", weft_erfc, weft_special_erfc, 0},
        {"erfinv", weft_erfinv, weft_special_erfinv, 0},
        {"bessel_j0", weft_bessel_j0, far_j0, 0},
        {"bessel_j1", weft_bessel_j1, far_j1, 0},
        {"bessel_i0e", weft_bessel_i0e, weft_special_bessel_i0e, 0},
        {"bessel_i1e", weft_bessel_i1e, weft_special_bessel_i1e, 0},
    };
    /* next to roots of J0 and J1 */
    static const float roots[] = {2996277.5f, 4064513.25f, 5132749,    10552100,
                                  15971451,   2423073.5f,  7842424.5f, 16544655};
    static float x[N], y[N];
    for (uint32_t i = 0; i < N; i++) {
        uint32_t bits = i * 71582u; /* all floats, from the smallest to nan */
        memcpy(&x[i], &bits, sizeof bits);
        if (i % 3 == 0) x[i] = (float)((double)i - N / 2) * 0.0015f; /* where most happens */
        if (i % 3 == 1) x[i] = (float)(i % 16 * 0.5 + i);            /* beyond 2^15 */
        if (x[i] != 0 && fabsf(x[i]) < FLT_MIN) x[i] = 0; /* kernels take subnormals for 0 */
    }
    memcpy(x, roots, sizeof roots);
    static const char *const widths[] = {"128", "256", "512"};
    const char *const asked = getenv("WEFT_ISA");
    const size_t all = sizeof rows / sizeof *rows;
    weft_ctx *c = NULL;
    for (size_t k = 0; k < all * (asked ? 1 : 3); k++) {
        if (!asked) setenv("WEFT_ISA", widths[k / all], 1);
        if (k % all == 0) weft_close(c), c = weft_open("cpu");
        CASE("%s, %s", rows[k % all].name, weft_device_isa(c));
        weft_graph *g = weft_graph_new(c);
        weft_tensor in = weft_input(g, WEFT_F32, weft_dims(N)), out;
        out = rows[k % all].op ? rows[k % all].op(in)
                               : weft_polygamma(weft_scalar(g, rows[k % all].order), in);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(out)});
        if (!CHECK(p != NULL)) printf("    %s\n", weft_error(c));
        weft_set(p, in, x, sizeof x);
        CHECK_EQ(weft_run(p), WEFT_OK);
        weft_get(p, out, y, sizeof y);
        for (int i = 0; i < N; i++) {
            const float want = (float)rows[k % all].f((double)x[i]);
            if (isnan(want) ? isnan(y[i]) : y[i] == want) continue;
            if (fabsf(want) < FLT_MIN && y[i] == 0) continue;
            const int64_t apart = float_order(y[i]) - float_order(want);
            if (!CHECK(!isnan(want) && !isnan(y[i]) && llabs(apart) <= 1)) {
                printf("    at %.9g: %.9g, not %.9g\n", (double)x[i], (double)y[i], (double)want);
                break;
            }
        }
        weft_plan_free(p);
        weft_graph_free(g);
    }
    if (!asked) unsetenv("WEFT_ISA");
    weft_close(c);
}
