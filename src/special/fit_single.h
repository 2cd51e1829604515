/* fit_single.h - special functions for results in float.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_SINGLE_H
#define WEFT_SPECIAL_FIT_SINGLE_H

#include "lane.h"

LANE_BEGIN

/* the square of J0's first root, two doubles */
#define FIT_SINGLE_J0_ROOT_1 0x1.721fb80462bbbp+2
#define FIT_SINGLE_J0_ROOT_2 0x1.db60c816c15d3p-52

/* and of its second */
#define FIT_SINGLE_J0_SECOND_1 0x1.e78a4a621dd6ep+4
#define FIT_SINGLE_J0_SECOND_2 0x1.dde5075f6efb3p-49

/* J0(x) / ((z - first) (z - second)) by z = x^2, x < 8: 2^-34.3 */
LANE double fit_single_j0(double t) {
    double r = 0x1.67fabf109b5b1p-83;
    r = r * t + -0x1.321353f9f2d83p-73;
    r = r * t + 0x1.38460241f3e4ap-64;
    r = r * t + -0x1.e7d35560991c1p-56;
    r = r * t + 0x1.2f0b4ec010605p-47;
    r = r * t + -0x1.2693103bef408p-39;
    r = r * t + 0x1.b0bf861060bd6p-32;
    r = r * t + -0x1.c8cd8bf7ee46cp-25;
    r = r * t + 0x1.41129cbf71554p-18;
    r = r * t + -0x1.07679e54720e4p-12;
    r = r * t + 0x1.73e58e3f0ffafp-8;
    return r;
}

/* I0(x) by z = x^2, x < 8: 2^-37.7 */
LANE double fit_single_i0(double t) {
    double r = 0x1.2772a5231d724p-81;
    r = r * t + 0x1.ff5f71023dd4fp-74;
    r = r * t + 0x1.6d39d7902e9b4p-64;
    r = r * t + 0x1.07f989bbe74ecp-55;
    r = r * t + 0x1.52c2e759c7228p-47;
    r = r * t + 0x1.5216f4b9d7d37p-39;
    r = r * t + 0x1.02ea06747420cp-31;
    r = r * t + 0x1.2345365ed7919p-24;
    r = r * t + 0x1.c71c790a8b92cp-18;
    r = r * t + 0x1.c71c7123e326bp-12;
    r = r * t + 0x1.000000076f576p-6;
    r = r * t + 0x1.fffffffeefc8dp-3;
    r = r * t + 0x1.000000000671cp+0;
    return r;
}

/* e^-x sqrt(x) I0(x) by u = 1 / x, x >= 8: 2^-34.5 */
LANE double fit_single_i0_tail(double t) {
    double r = -0x1.06e60846c75cbp+9;
    r = r * t + 0x1.2dfb4770cb073p+8;
    r = r * t + -0x1.ff9a77945df22p+5;
    r = r * t + 0x1.e06ffe9b26ddfp+2;
    r = r * t + -0x1.832cc9dabf4f5p-2;
    r = r * t + 0x1.fde1b8387e82ep-5;
    r = r * t + 0x1.d8c7abfc9ab38p-6;
    r = r * t + 0x1.cba492ac47b3ep-6;
    r = r * t + 0x1.98844b464e7c3p-5;
    r = r * t + 0x1.9884533d70a80p-2;
    return r;
}

/* the square of J1's first root, two doubles */
#define FIT_SINGLE_J1_ROOT_1 0x1.d5d2b4189822bp+3
#define FIT_SINGLE_J1_ROOT_2 0x1.e395f2dbae8d4p-50

/* and of its second */
#define FIT_SINGLE_J1_SECOND_1 0x1.89bf66072a432p+5
#define FIT_SINGLE_J1_SECOND_2 0x1.25355661cb79cp-51

/* J1(x) / x / ((z - first) (z - second)) by z = x^2, x < 8: 2^-37.5 */
LANE double fit_single_j1(double t) {
    double r = 0x1.bc72a8546e83bp-88;
    r = r * t + -0x1.8dd9ee398c8ecp-78;
    r = r * t + 0x1.b3ce257b64681p-69;
    r = r * t + -0x1.72829dd7eff09p-60;
    r = r * t + 0x1.fa05978114e20p-52;
    r = r * t + -0x1.10f362cbdb328p-43;
    r = r * t + 0x1.c1f179656ca1dp-36;
    r = r * t + -0x1.0e07fb9bbcd04p-28;
    r = r * t + 0x1.b6b8c367f99d1p-22;
    r = r * t + -0x1.a88b2d5672be6p-16;
    r = r * t + 0x1.6ac44fa347b7dp-11;
    return r;
}

/* I1(x) / x by z = x^2, x < 8: 2^-36.0 */
LANE double fit_single_i1(double t) {
    double r = 0x1.bb5e9645db329p-77;
    r = r * t + 0x1.5ffa5ba179aa8p-69;
    r = r * t + 0x1.c830370b9fc4cp-60;
    r = r * t + 0x1.291241e309baep-51;
    r = r * t + 0x1.52baffe65364bp-43;
    r = r * t + 0x1.27d58edd575fdp-35;
    r = r * t + 0x1.845eb21d0b466p-28;
    r = r * t + 0x1.6c16909d0c135p-21;
    r = r * t + 0x1.c71c76dc3cb7bp-15;
    r = r * t + 0x1.5555550f717a7p-9;
    r = r * t + 0x1.00000002efc9ap-4;
    r = r * t + 0x1.ffffffffd638ep-2;
    return r;
}

/* e^-x sqrt(x) I1(x) by u = 1 / x, x >= 8: 2^-34.4 */
LANE double fit_single_i1_tail(double t) {
    double r = 0x1.0de6cc4ab8c54p+9;
    r = r * t + -0x1.39c2179d2258fp+8;
    r = r * t + 0x1.0a867f6c4d9ccp+6;
    r = r * t + -0x1.f896fe35bd6b1p+2;
    r = r * t + 0x1.85b0a23625712p-2;
    r = r * t + -0x1.36dc00f601072p-4;
    r = r * t + -0x1.4bfc4b521e43ep-5;
    r = r * t + -0x1.7f044f9814f37p-5;
    r = r * t + -0x1.32633c55e9828p-3;
    r = r * t + 0x1.9884533d13cb8p-2;
    return r;
}

/* erfinv(x) / x by w = -ln(1 - x^2), w < 5: 2^-34.1 */
LANE double fit_single_erfinv(double t) {
    double r = -0x1.75045e38ab157p-36;
    r = r * t + 0x1.a156df3a823f4p-31;
    r = r * t + -0x1.842a08df94de6p-27;
    r = r * t + 0x1.66a86884a8c3bp-24;
    r = r * t + -0x1.f8cae30b819eap-23;
    r = r * t + -0x1.338c8873fccf2p-21;
    r = r * t + 0x1.69433166c7153p-20;
    r = r * t + 0x1.8ce479c2f35efp-15;
    r = r * t + -0x1.0d86822c5d015p-13;
    r = r * t + -0x1.320a7010c425fp-9;
    r = r * t + 0x1.7a728bb0e64cdp-7;
    r = r * t + 0x1.db29fbaf6dbacp-3;
    r = r * t + 0x1.c5bf891ad6db3p-1;
    return r;
}

/* the same by sqrt(w) - 3, 5 < w < 16.7: 2^-34.8 */
LANE double fit_single_erfinv_tail(double t) {
    double r = -0x1.e80b94a6f9d20p-19;
    r = r * t + 0x1.252a0381ec1e9p-16;
    r = r * t + -0x1.7dd087bb119b6p-16;
    r = r * t + -0x1.67dee92c4e85bp-15;
    r = r * t + 0x1.ac517f9244d15p-13;
    r = r * t + -0x1.2a2e5abe1976bp-12;
    r = r * t + -0x1.36d43db272e26p-13;
    r = r * t + 0x1.850017aa89cb3p-10;
    r = r * t + -0x1.d27a175cdd3dcp-9;
    r = r * t + 0x1.749571bcaa98dp-8;
    r = r * t + -0x1.f4f195324b4fdp-8;
    r = r * t + 0x1.3582c6da5516ep-7;
    r = r * t + 0x1.006dca79880f1p+0;
    r = r * t + 0x1.6a9efbd674ca2p+1;
    return r;
}

LANE_END

#endif
