/* fit_erf.h - error functions and their inverses.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_ERF_H
#define WEFT_SPECIAL_FIT_ERF_H

#include "lane.h"

LANE_BEGIN

/* erfcx(x) is a polynomial of 1 / (x + shift) */
#define FIT_ERFCX_SHIFT 0x1.4000000000000p+1

/* erf(x) / x by z = x^2: 2^-55.8 */
LANE double fit_erf(double t) {
    double r = 0x1.05ffd737fb32ep-34;
    r = r * t + -0x1.389d4f2641625p-30;
    r = r * t + 0x1.f7b4bf3b13964p-27;
    r = r * t + -0x1.5f1ecb6f0764cp-23;
    r = r * t + 0x1.b9df224ca4b97p-20;
    r = r * t + -0x1.f4d1e3183f7aep-17;
    r = r * t + 0x1.f9a321d5b8e1ep-14;
    r = r * t + -0x1.c02db3dac435fp-11;
    r = r * t + 0x1.565bcd0dbaa38p-8;
    r = r * t + -0x1.b82ce31284e00p-6;
    r = r * t + 0x1.ce2f21a042b30p-4;
    r = r * t + -0x1.812746b0379e6p-2;
    r = r * t + 0x1.20dd750429b6dp+0;
    return r;
}

/* erfcx(x) / q by q = 1 / (x + shift), x >= 1/2: 2^-56.1 */
LANE double fit_erfcx(double t) {
    double r = 0x1.2c210ad35c741p+26;
    r = r * t + -0x1.2884d818a3d24p+28;
    r = r * t + 0x1.0dbc0251dbda1p+29;
    r = r * t + -0x1.2a2e90a630214p+29;
    r = r * t + 0x1.bd2fd62972844p+28;
    r = r * t + -0x1.d84b1de9c9df5p+27;
    r = r * t + 0x1.6e5df31c9a179p+26;
    r = r * t + -0x1.aa0afdd04cbc4p+24;
    r = r * t + 0x1.81370bdfb1c41p+22;
    r = r * t + -0x1.190282dbb358ep+20;
    r = r * t + 0x1.3d70fb67f5c8fp+17;
    r = r * t + -0x1.07da8e165cceap+14;
    r = r * t + 0x1.425070d0a9e1dp+11;
    r = r * t + -0x1.2bd0f3ec9ac84p+6;
    r = r * t + -0x1.1291d70a82832p+7;
    r = r * t + -0x1.70e5de4cc72dap+6;
    r = r * t + -0x1.541758543b7cbp+4;
    r = r * t + 0x1.6204f510d5612p+3;
    r = r * t + 0x1.04f011c875ec0p+4;
    r = r * t + 0x1.7c4386e4f80d6p+3;
    r = r * t + 0x1.acc8b9b2c4227p+2;
    r = r * t + 0x1.9f3e5835fab2bp+1;
    r = r * t + 0x1.6914d2453425ap+0;
    r = r * t + 0x1.20dd750429b6dp-1;
    return r;
}

/* the same for 1 <= x <= 6 by q - 13/64, as much as erf needs: 2^-55.5 */
LANE double fit_erf_tail(double t) {
    double r = -0x1.8fa3f954e95cbp+13;
    r = r * t + -0x1.cc98beca4ee14p+12;
    r = r * t + 0x1.0267f5a1f131ap+12;
    r = r * t + 0x1.12e84928e934bp+10;
    r = r * t + -0x1.0a13b735cfa3cp+10;
    r = r * t + -0x1.27413bdb82916p+7;
    r = r * t + 0x1.0ecf3fa2d562bp+8;
    r = r * t + 0x1.490c9069bc638p+5;
    r = r * t + -0x1.29df6ba1272e8p+6;
    r = r * t + -0x1.ba1ec513e73afp+4;
    r = r * t + 0x1.14e1f0e40f9eap+4;
    r = r * t + 0x1.5a017a174c2ffp+4;
    r = r * t + 0x1.71961068b5963p+3;
    r = r * t + 0x1.061168f3058e4p+2;
    r = r * t + 0x1.11144c652459bp+0;
    return r;
}

/* erfinv(x) / x by z = x^2: 2^-54.2 */
LANE double fit_erfinv(double t) {
    double r = 0x1.cf6da366a6ea3p-4;
    r = r * t + -0x1.3798f596e9a6ep-4;
    r = r * t + 0x1.2cda1f60e8ff3p-4;
    r = r * t + 0x1.14c247c497d2ap-7;
    r = r * t + 0x1.02cffec11edfbp-5;
    r = r * t + 0x1.fe489d940b004p-6;
    r = r * t + 0x1.2b3241ebd123ep-5;
    r = r * t + 0x1.5ee26d79186fep-5;
    r = r * t + 0x1.a7c8c9862a980p-5;
    r = r * t + 0x1.0a1316e360adep-4;
    r = r * t + 0x1.62847c5030b10p-4;
    r = r * t + 0x1.053c2c0aaea5bp-3;
    r = r * t + 0x1.db29fb2fee689p-3;
    r = r * t + 0x1.c5bf891b4ef6bp-1;
    return r;
}

/* erfcinv(e^(-x^2)), 2^-1 <= x < 2^5: 2^-53.4 */
static const double fit_erfcinv_table[13][24] = {
    {0x1.f62d99203e9c2p-3, 0x1.639b27435c387p-2, 0x1.d5712f6f7a6a5p-2, 0x1.26f51d0bd2543p-1,
     0x1.85719bb49b81fp-1, 0x1.03f5a9cdd595cp+0, 0x1.4675d9431ac9bp+0, 0x1.897a5f023d84ap+0,
     0x1.ee37c319ced6bp+0, 0x1.3a1c1f9357df5p+1, 0x1.7cc84198493d9p+1, 0x1.bf1e972bfca01p+1,
     0x1.110aa28297e8cp+2, 0x1.529f78ceb14c9p+2, 0x1.93e04a82d5813p+2, 0x1.d4e4bde44339ap+2,
     0x1.1b0daced0127cp+3, 0x1.5baa33dc58e15p+3, 0x1.9c20e5659811ep+3, 0x1.dc7e56c620de3p+3,
     0x1.1e756533b4da4p+4, 0x1.5eaa947b6d18ap+4, 0x1.9ed203b8178acp+4, 0x1.def08d1eeee89p+4},
    {0x1.8b10070dd211ap-1, 0x1.b6c0db35c4b25p-1, 0x1.d6277bfcbf181p-1, 0x1.ec5130bad4eeep-1,
     0x1.00ca7702bb6a1p+0, 0x1.0828475255638p+0, 0x1.0b5ff1f30230fp+0, 0x1.0c87ff0ec72edp+0,
     0x1.0c86e0c0398e9p+0, 0x1.0b61b54371a0bp+0, 0x1.0a0012199f333p+0, 0x1.08b9b0c3079e7p+0,
     0x1.0725be229425cp+0, 0x1.059833a4307fdp+0, 0x1.047dd9e29cab1p+0, 0x1.03b0189fa3cb7p+0,
     0x1.02d71653331c5p+0, 0x1.021b9ee920613p+0, 0x1.01a201cabdf47p+0, 0x1.014e65aed8790p+0,
     0x1.00fa58df51fd0p+0, 0x1.00b4fc12f3574p+0, 0x1.008996173e1acp+0, 0x1.006c80cca8f47p+0},
    {0x1.976175815ea9ap-2, 0x1.2809f2efbca6fp-2, 0x1.a4fcbc1286138p-3, 0x1.26f2c05c5b99dp-3,
     0x1.52a9ae6ea5392p-4, 0x1.3434fa2679723p-5, 0x1.f3564ee54400ap-7, 0x1.0e00dfbb204d4p-8,
     -0x1.7d24b4af1a973p-9, -0x1.5cc5bc0f8ff68p-8, -0x1.5a2f7c2f73829p-8, -0x1.3028d694a958cp-8,
     -0x1.d7d02c2446fc8p-9, -0x1.4c2e744f6c02dp-9, -0x1.ddd1defbe7082p-10, -0x1.6158ae025aeffp-10,
     -0x1.d7b4040235c7fp-11, -0x1.28640b1110664p-11, -0x1.8dad464fe4b85p-12,
     -0x1.1874a2bd80ca3p-12, -0x1.648ce5db7096dp-13, -0x1.ad408ed758e1dp-14,
     -0x1.17a18ac05b3d7p-14, -0x1.81f41b6c97fb8p-15},
    {-0x1.4b5a6333af1ccp-2, -0x1.05d06030ce637p-2, -0x1.881894b5e4304p-3, -0x1.1c8ecedb8f63fp-3,
     -0x1.55b5b32f0bd82p-4, -0x1.53f3c10f95066p-5, -0x1.51c792060aa31p-6, -0x1.4ee63b2196e90p-7,
     -0x1.bd51c5bfb3384p-9, -0x1.d5ecffcd77f9fp-12, 0x1.54fc01a688254p-12, 0x1.f6297938d8495p-12,
     0x1.bcba17b335880p-12, 0x1.2f9230054704fp-12, 0x1.925172ea243ffp-13, 0x1.0f82a9451b4fdp-13,
     0x1.3d0c0c77ae19dp-14, 0x1.52f69c2321c22p-15, 0x1.8a9041d15dbdcp-16, 0x1.eade58d3a2b15p-17,
     0x1.08e7d80ac5d9ap-17, 0x1.095bd9243a38ap-18, 0x1.28018fcc93f6ap-19, 0x1.65385b0664564p-20},
    {0x1.06d6bce824659p-3, 0x1.17a6059ed0ee4p-3, 0x1.e2d58a793aea3p-4, 0x1.78b94df091ddcp-4,
     0x1.d969fa54a4c05p-5, 0x1.dc29a07916ebcp-6, 0x1.d83fab9dcb586p-7, 0x1.d9b52f9076f80p-8,
     0x1.5b20ca349c7cdp-9, 0x1.750fda93f4619p-11, 0x1.66a69d9df1effp-13, 0x1.e4bc9b5baf091p-17,
     -0x1.1c93e502abfd2p-15, -0x1.f395043ab897cp-16, -0x1.46330c09e4780p-16,
     -0x1.9c9137fa12813p-17, -0x1.aca6c8324a63fp-18, -0x1.89669c3eb639ep-19,
     -0x1.8ec30c3c2faa9p-20, -0x1.b6530d9f10120p-21, -0x1.92143915667f0p-22,
     -0x1.4f3a49c97e580p-23, -0x1.401f56dcca2fap-24, -0x1.51b0b0f3b14f6p-25},
    {0x1.97cf04eef197ep-5, -0x1.f33109e2ff92ep-7, -0x1.41f5e15bd298dp-5, -0x1.52293f01cd8e4p-5,
     -0x1.f59c8a9067c55p-6, -0x1.0b1cfe0f699a0p-6, -0x1.079efe8644eadp-7, -0x1.024903322d6b3p-8,
     -0x1.6e13156a7c548p-10, -0x1.8d41188c69265p-12, -0x1.ca73705c7335bp-14,
     -0x1.05dc1cf96a862p-15, -0x1.5bc6d6aee1de3p-19, 0x1.258ea22c6c818p-19, 0x1.dc3a8829c5691p-20,
     0x1.2ba5ef213dfd7p-20, 0x1.1de721b3c5a18p-21, 0x1.c926635c50f41p-23, 0x1.95dd307f14e01p-24,
     0x1.8b45fbc8b50c9p-25, 0x1.34bf25f1abc50p-26, 0x1.ace68e7f28aa3p-28, 0x1.5eb868d791731p-29,
     0x1.436630ddeb685p-30},
    {-0x1.ef387454f57c1p-4, -0x1.c40986ca86146p-5, -0x1.ba74d32fec22ap-7, 0x1.55d9c7f8ae4dcp-8,
     0x1.6ad0b53b56fa4p-7, 0x1.e8dfc38935455p-8, 0x1.f76f0e2764d1fp-9, 0x1.e7504f1a0c8cbp-10,
     0x1.4927565dd40c7p-11, 0x1.4f2d157f84073p-13, 0x1.787121a839c4bp-15, 0x1.c5e65f7199342p-17,
     0x1.349a155ce0228p-19, 0x1.2ed1c9101418ap-24, -0x1.0344a13a173a3p-23, -0x1.89899e27e1934p-24,
     -0x1.70b910dcac746p-25, -0x1.073734efa0938p-26, -0x1.9cf40e6e7f4ebp-28,
     -0x1.65c0388462133p-29, -0x1.dd3287d7a0a7ap-31, -0x1.1489afcddf561p-32,
     -0x1.837d9868531aap-34, -0x1.3865958144406p-35},
    {0x1.4ae133cc725a3p-4, 0x1.033e85a1c3ab5p-4, 0x1.0c4df6a82f11ep-5, 0x1.8ba7b9295a161p-7,
     -0x1.9380dbb13873bp-12, -0x1.49913689a204bp-9, -0x1.98ba1f732abc9p-10,
     -0x1.97c951b0816dcp-11, -0x1.0aecd197a4d26p-12, -0x1.f8477227c13fcp-15,
     -0x1.084cf4a69d002p-16, -0x1.3144398644764p-18, -0x1.ae5679ce1b80fp-21,
     -0x1.5dc37c72b2818p-24, -0x1.bf5658747fa5bp-31, 0x1.8fb1b49e72d12p-28, 0x1.bd5d0949929c8p-29,
     0x1.29208a532654fp-30, 0x1.a16dc9966a747p-32, 0x1.437ea0355ed1fp-33, 0x1.71d1d9895d2e8p-35,
     0x1.6651f7ac99d2ap-37, 0x1.ae8782af72b68p-39, 0x1.2f9469d19dbafp-40},
    {0x1.bc582e6ce7353p-8, -0x1.fa577b26327b4p-6, -0x1.b70e6847c10d9p-6, -0x1.e252893100763p-7,
     -0x1.d803b33014ab8p-9, 0x1.17e160e801253p-12, 0x1.03b5b748a10a4p-11, 0x1.2ad8615430820p-12,
     0x1.8c9bdb40d6c2dp-14, 0x1.5f2e52eac7ba4p-16, 0x1.5444b63dae117p-18, 0x1.6ea60882ed46fp-20,
     0x1.e4a90711f16f1p-23, 0x1.aab8b658fe50ep-26, 0x1.6756707dec3e6p-29, -0x1.b6921a254dba0p-35,
     -0x1.d5cf9442f8d1fp-33, -0x1.43f54102dd56ep-34, -0x1.a07eef9315bbdp-36,
     -0x1.231435995907bp-37, -0x1.1ea0f6f71da38p-39, -0x1.d18712c99707cp-42,
     -0x1.e02227d8ce6c2p-44, -0x1.28426c5744236p-45},
    {-0x1.0cd3a1b260ba9p-4, -0x1.0af14c1d080f8p-7, 0x1.51b1e431117adp-7, 0x1.3db90d5e6a78ep-7,
     0x1.ed98842221cb3p-9, 0x1.ed3814b12774ap-12, -0x1.42de0c4ce11cbp-14, -0x1.67475e47f09d0p-14,
     -0x1.0ccbc5aa86417p-15, -0x1.cb1304c3f5508p-18, -0x1.9c657322a9e9fp-20,
     -0x1.9b58d843e47e0p-22, -0x1.ed8b84823372cp-25, -0x1.999a2fa940666p-28,
     -0x1.8cbdd15f9ed52p-31, -0x1.4ecb8e15e8674p-34, 0x1.513423f639ea0p-37, 0x1.4cb19cb1f352cp-38,
     0x1.96d74f3484f9bp-40, 0x1.0386dc99ed515p-41, 0x1.bb231d81e308bp-44, 0x1.2ea7fe56b1763p-46,
     0x1.0c533b75601acp-48, 0x1.21f4c616b9c51p-50},
    {0x1.e9b77704b41b1p-5, 0x1.d7f75b334f928p-6, 0x1.1102dd303db25p-8, -0x1.9648b585474afp-9,
     -0x1.3ec1af88be61cp-9, -0x1.1272e18f3e7b7p-11, -0x1.8c5143096fd86p-15, 0x1.09cc0d28ac6a9p-16,
     0x1.43ab716022295p-17, 0x1.1a67ac56f690bp-19, 0x1.dc06549d7d0a1p-22, 0x1.b7998fd7c64a6p-24,
     0x1.d984d7ad5712ep-27, 0x1.61c85d291daa0p-30, 0x1.4dcc973852285p-33, 0x1.58ee14c5bca6ep-36,
     0x1.640fcaeb15278p-42, -0x1.30d4c41bac0a8p-42, -0x1.806cced506aecp-44,
     -0x1.c850770e02e56p-46, -0x1.5518326d70399p-48, -0x1.897368a150186p-51,
     -0x1.2c4f8c89c75d0p-53, -0x1.1c5f6f1f60803p-55},
    {-0x1.07a30defb79f3p-7, -0x1.977999e399cdep-6, -0x1.58f5cd28e7806p-7, -0x1.9bd3051e0072cp-10,
     0x1.fe938c53285e4p-11, 0x1.794ec617f7c50p-12, 0x1.fcd03a9a50f85p-15, 0x1.e015a02b2917ap-19,
     -0x1.3c5da24635256p-19, -0x1.48efcb8249abcp-21, -0x1.0a48accc3e377p-23,
     -0x1.c93038a4843e0p-26, -0x1.c525d79cca0e5p-29, -0x1.2837ab929e1e8p-32,
     -0x1.00b6d8d69aebbp-35, -0x1.09453124173bep-38, -0x1.a4e4a47f07ddfp-43,
     0x1.99a5c8097fe1ep-47, 0x1.5a6b340d4439ap-48, 0x1.8c2f40e71c7c2p-50, 0x1.0c59b4c171e18p-52,
     0x1.04d44a5b94a19p-55, 0x1.55a391fdb576dp-58, 0x1.1ab50a444b77cp-60},
    {-0x1.40f1b4bd84d01p-5, 0x1.b1bdef92b88eep-8, 0x1.23ddb121e7dfdp-7, 0x1.abe2cb78edcecp-9,
     -0x1.b36efbc380cbcp-17, -0x1.7b448c3e8bea2p-13, -0x1.5d48aec0c1568p-15,
     -0x1.89990fd5dd0bcp-18, 0x1.4bafc34a15614p-22, 0x1.59d69cc88913fp-23, 0x1.1870424a08b63p-25,
     0x1.c532e7a45dedcp-28, 0x1.92716a95b456fp-31, 0x1.cd1638e3edcc5p-35, 0x1.68df9946ad6d6p-38,
     0x1.60183be172e23p-41, 0x1.35c8ebc818ca3p-45, 0x1.b695be523945bp-55, -0x1.17fea3575a400p-52,
     -0x1.4a447182e4beap-54, -0x1.959c327f0d3eap-57, -0x1.516e3f09d7f7bp-60,
     -0x1.7e458d76b2d1fp-63, -0x1.15c51063758ccp-65},
};
LANE double fit_erfcinv(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p-1, 0x1p5, 2);
    double r = fit_erfcinv_table[12][p.k];
    r = r * p.t + fit_erfcinv_table[11][p.k];
    r = r * p.t + fit_erfcinv_table[10][p.k];
    r = r * p.t + fit_erfcinv_table[9][p.k];
    r = r * p.t + fit_erfcinv_table[8][p.k];
    r = r * p.t + fit_erfcinv_table[7][p.k];
    r = r * p.t + fit_erfcinv_table[6][p.k];
    r = r * p.t + fit_erfcinv_table[5][p.k];
    r = r * p.t + fit_erfcinv_table[4][p.k];
    r = r * p.t + fit_erfcinv_table[3][p.k];
    r = r * p.t + fit_erfcinv_table[2][p.k];
    r = r * p.t + fit_erfcinv_table[1][p.k];
    r = r * p.t + fit_erfcinv_table[0][p.k];
    return r;
}

LANE_END

#endif
