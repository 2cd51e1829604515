/* table.c - all functions by number: names, values, derivatives, expanded from WEFT_SPECIALS. */
#include <weft/special.h>

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *formula[3];
    int arguments;
    double (*one)(double), (*two)(double, double), (*three)(double, double, double);
} table_rows[] = {
#define ONE(name, dx)           {#name, {#dx}, 1, weft_special_##name, NULL, NULL},
#define TWO(name, dx, dy)       {#name, {#dx, #dy}, 2, NULL, weft_special_##name, NULL},
#define THREE(name, dx, dy, dz) {#name, {#dx, #dy, #dz}, 3, NULL, NULL, weft_special_##name},
    WEFT_SPECIALS(ONE, TWO, THREE)
#undef ONE
#undef TWO
#undef THREE
};

static bool table_has(weft_special f) {
    return (unsigned)f < WEFT_SPECIAL_COUNT;
}

const char *weft_special_name(weft_special f) {
    return table_has(f) ? table_rows[f].name : NULL;
}

int weft_special_arguments(weft_special f) {
    return table_has(f) ? table_rows[f].arguments : 0;
}

bool weft_special_find(const char *name, weft_special *f) {
    for (int i = 0; name && i < WEFT_SPECIAL_COUNT; i++) {
        if (strcmp(table_rows[i].name, name) != 0) continue;
        *f = (weft_special)i;
        return true;
    }
    return false;
}

const char *weft_special_formula(weft_special f, int argument) {
    if (argument < 0 || argument >= weft_special_arguments(f)) return NULL;
    const char *const text = table_rows[f].formula[argument];
    return strcmp(text, "NONE") == 0 ? NULL : text;
}

double weft_special_at(weft_special f, const double *x) {
    switch (weft_special_arguments(f)) {
    case 1: return table_rows[f].one(x[0]);
    case 2: return table_rows[f].two(x[0], x[1]);
    case 3: return table_rows[f].three(x[0], x[1], x[2]);
    default: return NAN;
    }
}

/* ---- the formulas of the table, with its short names ---- */

static double table_sgn(double x) {
    return (x > 0) - (x < 0);
}

/* clang-format off */
#define NONE            NAN
#define sgn(x)          table_sgn(x)
#define lgamma(x)       weft_special_lgamma(x)
#define digamma(x)      weft_special_digamma(x)
#define polygamma(n, x) weft_special_polygamma(n, x)
#define lbeta(a, b)     weft_special_lbeta(a, b)
#define bessel_j0(x)    weft_special_bessel_j0(x)
#define bessel_j1(x)    weft_special_bessel_j1(x)
#define bessel_y0(x)    weft_special_bessel_y0(x)
#define bessel_y1(x)    weft_special_bessel_y1(x)
#define bessel_i0(x)    weft_special_bessel_i0(x)
#define bessel_i1(x)    weft_special_bessel_i1(x)
#define bessel_k0(x)    weft_special_bessel_k0(x)
#define bessel_k1(x)    weft_special_bessel_k1(x)
#define bessel_i0e(x)   weft_special_bessel_i0e(x)
#define bessel_i1e(x)   weft_special_bessel_i1e(x)
#define bessel_k0e(x)   weft_special_bessel_k0e(x)
#define bessel_k1e(x)   weft_special_bessel_k1e(x)
#define bessel_j(v, x)  weft_special_bessel_j(v, x)
#define bessel_y(v, x)  weft_special_bessel_y(v, x)
#define bessel_i(v, x)  weft_special_bessel_i(v, x)
#define bessel_k(v, x)  weft_special_bessel_k(v, x)
#define bessel_ie(v, x) weft_special_bessel_ie(v, x)
#define bessel_ke(v, x) weft_special_bessel_ke(v, x)
#define airy_ai(x)      weft_special_airy_ai(x)
#define airy_bi(x)      weft_special_airy_bi(x)
#define airy_ai_prime(x) weft_special_airy_ai_prime(x)
#define airy_bi_prime(x) weft_special_airy_bi_prime(x)
#define hurwitz(s, q)   weft_special_hurwitz(s, q)
#define elliptic_k(m)   weft_special_elliptic_k(m)
#define elliptic_e(m)   weft_special_elliptic_e(m)

#define ONE(name, dx)           case WEFT_SPECIAL_##name: slope[0] = dx; break;
#define TWO(name, dx, dy)       case WEFT_SPECIAL_##name: slope[0] = dx, slope[1] = dy; break;
#define THREE(name, dx, dy, dz) \
    case WEFT_SPECIAL_##name: slope[0] = dx, slope[1] = dy, slope[2] = dz; break;
/* clang-format on */

double weft_special_derivative(weft_special f, int argument, const double *at) {
    const int arguments = weft_special_arguments(f);
    if (argument < 0 || argument >= arguments) return NAN;
    const double x = at[0], y = arguments > 1 ? at[1] : 0, z = arguments > 2 ? at[2] : 0;
    const double r = weft_special_at(f, at);
    double slope[3] = {NAN, NAN, NAN};
    switch (f) {
        WEFT_SPECIALS(ONE, TWO, THREE)
    default: break;
    }
    return slope[argument];
}

#undef ONE
#undef TWO
#undef THREE
#undef NONE
#undef sgn
#undef lgamma
#undef digamma
#undef polygamma
#undef lbeta
#undef bessel_j0
#undef bessel_j1
#undef bessel_y0
#undef bessel_y1
#undef bessel_i0
#undef bessel_i1
#undef bessel_k0
#undef bessel_k1
#undef bessel_i0e
#undef bessel_i1e
#undef bessel_k0e
#undef bessel_k1e
#undef bessel_j
#undef bessel_y
#undef bessel_i
#undef bessel_k
#undef bessel_ie
#undef bessel_ke
#undef airy_ai
#undef airy_bi
#undef airy_ai_prime
#undef airy_bi_prime
#undef hurwitz
#undef elliptic_k
#undef elliptic_e
