/* fit_gamma.h - Gamma(x), its logarithm and the derivative of that.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_GAMMA_H
#define WEFT_SPECIAL_FIT_GAMMA_H

#include "lane.h"

LANE_BEGIN

/* ln(2 pi) / 2 */
#define FIT_HALF_LOG_2PI 0x1.d67f1c864beb5p-1

/* pi */
#define FIT_PI 0x1.921fb54442d18p+1

/* ln pi */
#define FIT_LOG_PI 0x1.250d048e7a1bdp+0

/* sqrt(2 pi) */
#define FIT_SQRT_2PI_1 0x1.40d931ff62705p+1
#define FIT_SQRT_2PI_2 0x1.2caf9483f5ce4p-52

/* the positive root of digamma, two doubles */
#define FIT_DIGAMMA_ROOT_1 0x1.762d86356be3fp+0
#define FIT_DIGAMMA_ROOT_2 0x1.b86a722197829p-54

/* (ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2) x by u = x^-2, x >= 8: 2^-60.6 */
LANE double fit_stirling(double t) {
    double r = 0x1.4bffc9d8b455bp-8;
    r = r * t + -0x1.ef8d748aeb0f2p-10;
    r = r * t + 0x1.b92c33f9445e5p-11;
    r = r * t + -0x1.38134d4f8896fp-11;
    r = r * t + 0x1.a01a017dcf9e1p-11;
    r = r * t + -0x1.6c16c16c149f4p-9;
    r = r * t + 0x1.5555555555555p-4;
    return r;
}

/* (ln x - 1 / (2 x) - digamma(x)) x^2 by u = x^-2, x >= 8: 2^-62.5 */
LANE double fit_digamma_tail(double t) {
    double r = 0x1.0497fbf0fa8abp-4;
    r = r * t + -0x1.531da6b6dedbfp-6;
    r = r * t + 0x1.f037df4b69ba2p-8;
    r = r * t + -0x1.1110b33fc17d6p-8;
    r = r * t + 0x1.041040c62923cp-8;
    r = r * t + -0x1.11111111095e6p-7;
    r = r * t + 0x1.5555555555555p-4;
    return r;
}

/* Gamma(t + 5/2): 2^-56.2 */
LANE double fit_gamma(double t) {
    double r = -0x1.61678760e530bp-24;
    r = r * t + 0x1.ba42dbab2658fp-23;
    r = r * t + -0x1.c189aebb2619bp-22;
    r = r * t + 0x1.1e01a1e36520ap-20;
    r = r * t + -0x1.57dc4d9963c13p-19;
    r = r * t + 0x1.e716924cc6e9dp-18;
    r = r * t + -0x1.ad8b2d371d88ep-17;
    r = r * t + 0x1.013bdfc057f7bp-14;
    r = r * t + 0x1.0886fa7157a6ep-18;
    r = r * t + 0x1.8b8fcf944edc5p-11;
    r = r * t + 0x1.a55ed2133d31ep-10;
    r = r * t + 0x1.5489cc6a2c406p-7;
    r = r * t + 0x1.d0a9bc49334e7p-6;
    r = r * t + 0x1.c138b89493ef9p-4;
    r = r * t + 0x1.03f6d2fa4f4fdp-2;
    r = r * t + 0x1.4f224d4b7e016p-1;
    r = r * t + 0x1.de9585f1a7093p-1;
    r = r * t + 0x1.544fa6d47b390p+0;
    return r;
}

/* ln Gamma(x) / ((x - 1) (x - 2)), 2^-1 <= x < 2^3: 2^-53.0 */
static const double fit_lgamma_table[14][16] = {
    {0x1.75659640c7518p-1, 0x1.58f53767cb430p-1, 0x1.4255956f9953ep-1, 0x1.2fb55f60ad541p-1,
     0x1.18fa23339f753p-1, 0x1.013d8539b967ap-1, 0x1.dcfd339a88006p-2, 0x1.be5346f51a230p-2,
     0x1.992dfc9539d9bp-2, 0x1.72c2097ce3928p-2, 0x1.54b70fd4d44ecp-2, 0x1.3c5d0bbb36d3ap-2,
     0x1.1f2843dd9ba53p-2, 0x1.01521b622d78bp-2, 0x1.d4900dd4e6304p-3, 0x1.af9e7469da60ap-3},
    {-0x1.021417305dbadp-1, -0x1.92432b2c840f0p-2, -0x1.465b7cded72f5p-2, -0x1.10837103fb804p-2,
     -0x1.b0711b5caafdfp-3, -0x1.4e6fc9adb1f54p-3, -0x1.0d79494357498p-3, -0x1.bf346f5de0ad4p-4,
     -0x1.5fc498795de96p-4, -0x1.0d3a377b6e721p-4, -0x1.adcea6e1f2543p-5, -0x1.619ba2ea4372bp-5,
     -0x1.12f6517296759p-5, -0x1.9f4ba29bfc2edp-6, -0x1.47acd07fd09aep-6, -0x1.0ad8960869b1fp-6},
    {0x1.1bd803ceb6e13p-1, 0x1.6cf2257efcff5p-2, 0x1.f88cd9b6cd3d2p-3, 0x1.6f64c2c766a9bp-3,
     0x1.e9e50dcc1e95fp-4, 0x1.3911f425318a0p-4, 0x1.aebb0c81e5094p-5, 0x1.384caef1e460ep-5,
     0x1.9dff298b2095ep-6, 0x1.06a6ddd8fb031p-6, 0x1.66e19eabbf747p-7, 0x1.027e5ea2e7681p-7,
     0x1.5377bc89b38dcp-8, 0x1.a9c66da2499c2p-9, 0x1.1fd2a322968c6p-9, 0x1.9aa249398daf1p-10},
    {-0x1.7180ec8b385bap-1, -0x1.866d5df6ec051p-2, -0x1.ca425a056b4a8p-3, -0x1.21f846c165d8fp-3,
     -0x1.4348c4d3c9d3fp-4, -0x1.5357c893b0bffp-5, -0x1.8c66d24dc2b86p-6, -0x1.f3cb040748f2bp-7,
     -0x1.155963451c816p-7, -0x1.21a2b60f1648bp-8, -0x1.50baf74ade676p-9, -0x1.a697bbce79957p-10,
     -0x1.d1cdeab6508aep-11, -0x1.e21629ca4fa37p-12, -0x1.15d1037b82fd3p-12,
     -0x1.59c89b46dda38p-13},
    {0x1.04922a204cc5cp+0, 0x1.c449477084e0cp-2, 0x1.c27654ea69983p-3, 0x1.ef1b5afb3c996p-4,
     0x1.cd104346e0f21p-5, 0x1.8cdb39b341adep-6, 0x1.88f37b6d046ccp-7, 0x1.ae0b9be13b08ap-8,
     0x1.8e9b025bbc7e9p-9, 0x1.558c905fc6fbdp-10, 0x1.50f30d78c1612p-11, 0x1.6f8430f2e179ap-12,
     0x1.52f77b7ead628p-13, 0x1.20839a758936ap-14, 0x1.1ab6168d8d2fap-15, 0x1.324a575cc9891p-16},
    {-0x1.80be971535ad5p+0, -0x1.122dd41a9a924p-1, -0x1.cf60eac2e9503p-3, -0x1.ba4f50f21addcp-4,
     -0x1.580598a5aca33p-5, -0x1.e585647369c5ep-7, -0x1.9755f4418bd9ep-8, -0x1.82bef48fca5f4p-9,
     -0x1.2b1a505b7ae9cp-10, -0x1.a405795ed682ep-12, -0x1.5f26c76ac2c36p-13,
     -0x1.4c75cfd9cdc05p-14, -0x1.002514174c47cp-15, -0x1.65e917afbb7dep-17,
     -0x1.29afa91084b19p-18, -0x1.18589cad5124bp-19},
    {0x1.24a6b5666e3f8p+1, 0x1.5659497eb610ep-1, 0x1.ead11f30963f8p-3, 0x1.96da71043b4dap-4,
     0x1.084e464bada1ap-5, 0x1.31d3c4b165dd3p-7, 0x1.b2cd23b0324cdp-9, 0x1.661e03b60a87fp-10,
     0x1.ce0fe3a67dec7p-12, 0x1.09b50a144cf5bp-13, 0x1.78447223e6046p-15, 0x1.3505edde59e9cp-16,
     0x1.8d63869fe2939p-18, 0x1.c73e59ef1548bp-20, 0x1.410fb8de26d17p-21, 0x1.069718b0e85e9p-22},
    {-0x1.c6bea732d27bep+1, -0x1.b46e6c3c471c5p-1, -0x1.0952695bb1d4bp-2, -0x1.7df043dfcaf36p-4,
     -0x1.9e756871af674p-6, -0x1.89356e26c7fb1p-8, -0x1.d9b603896227bp-10, -0x1.527a91e615bc1p-11,
     -0x1.6c4b7a7efc415p-13, -0x1.5715464b7c144p-15, -0x1.9b5a635ea95b4p-17,
     -0x1.24f6a75e2720bp-18, -0x1.3a3b2ffb6945dp-20, -0x1.26eaf75982c71p-22,
     -0x1.607c632eda44fp-24, -0x1.f47063bf39c0ep-26},
    {0x1.670065ce95424p+2, 0x1.1a8b8cb1fbb62p+0, 0x1.2343ab55e5ef0p-2, 0x1.6c0047658a86bp-4,
     0x1.49db95ac79028p-6, 0x1.0096137420881p-8, 0x1.05f4169a0a7c4p-10, 0x1.44c72870edca8p-12,
     0x1.2399d4734f491p-14, 0x1.c1c258aa59f59p-17, 0x1.c88a2f525eb63p-19, 0x1.19e995e918c60p-20,
     0x1.f844c577f41bcp-23, 0x1.838f9c0bf04a3p-25, 0x1.88546e6d81475p-27, 0x1.e33e2928fd73fp-29},
    {-0x1.1efdb01b96e7ep+3, -0x1.7251392c681c0p+0, -0x1.4391ce6898e19p-2, -0x1.5efd7047a3c8fp-4,
     -0x1.0991f2857eb28p-6, -0x1.52b96f73afd72p-9, -0x1.250cfadf0d5aap-11, -0x1.3b3d6ad435c9dp-13,
     -0x1.d844c6dcbe4d5p-16, -0x1.2a42cf0fb6e25p-18, -0x1.0051790b80c91p-20,
     -0x1.12726b4879633p-22, -0x1.9947764f6856ep-25, -0x1.0184621bf4a6bp-27,
     -0x1.b974dbad49dedp-30, -0x1.d79aa11dbfd24p-32},
    {0x1.cf42cdfeb5559p+3, 0x1.ea0656806cd72p+0, 0x1.6adf3a1cbe62fp-2, 0x1.559d351d5ca03p-4,
     0x1.af556bb638827p-7, 0x1.c31f3a89088edp-10, 0x1.4ac6fa71e2398p-12, 0x1.34bf322cc82b0p-14,
     0x1.81b8a1cd5d9edp-17, 0x1.8f258f6f63b88p-20, 0x1.22739cb21cde0p-22, 0x1.0da4e3dcd07e8p-24,
     0x1.4f0dea013bee2p-27, 0x1.593bc57beb73ap-30, 0x1.f513b8688345ep-33, 0x1.d032d7f3cf0f1p-35},
    {-0x1.793e195cd427dp+4, -0x1.46ef4385cd2c8p+1, -0x1.9a3ac7aa8ceddp-2, -0x1.4f1867465ed7ep-4,
     -0x1.61225681dfbcep-7, -0x1.2eb775f72a250p-10, -0x1.782923297bacdp-13,
     -0x1.30a2a7631f867p-15, -0x1.3d8b841a2673cp-18, -0x1.0d241cc06f297p-21,
     -0x1.4ba671fdcd69bp-24, -0x1.0af22236d8af1p-26, -0x1.1484b2aef3d41p-29,
     -0x1.d26619918df68p-33, -0x1.1e7f18b4c8fedp-35, -0x1.cc3992a4d981dp-38},
    {0x1.4164ebddc9c87p+5, 0x1.c28bcb90098a5p+1, 0x1.db6c075730594p-2, 0x1.4f6381106fc4bp-4,
     0x1.2e5b06118a943p-7, 0x1.a366eb8ee467fp-11, 0x1.b65a29e656d56p-14, 0x1.3299976625bd9p-16,
     0x1.116d24a7735c3p-19, 0x1.76c3d2ad4b1ecp-23, 0x1.8426c742ce5ecp-26, 0x1.0da324c80448ap-28,
     0x1.dd91ff0bcc2ebp-32, 0x1.455a60fbd7f99p-35, 0x1.4fcc8ed6aec2fp-38, 0x1.d17832caeb259p-41},
    {-0x1.093e6c5e665dbp+6, -0x1.307eac0a7100fp+2, -0x1.101d40393dc27p-1, -0x1.4d056ddc68673p-4,
     -0x1.f517ec58a8783p-8, -0x1.1cbaef3fffd40p-11, -0x1.f8378c97649a6p-15,
     -0x1.31f3e56cdb032p-17, -0x1.c7665537b08dcp-21, -0x1.ff3aaacaa87dap-25,
     -0x1.c05676e364c0dp-28, -0x1.0e0a495917a28p-30, -0x1.8ed2b4c2d53dfp-34,
     -0x1.bcb3be6dae2f6p-38, -0x1.846e358b6ae59p-41, -0x1.d2b82efb0a10bp-44},
};
LANE double fit_lgamma(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p-1, 0x1p3, 2);
    double r = fit_lgamma_table[13][p.k];
    r = r * p.t + fit_lgamma_table[12][p.k];
    r = r * p.t + fit_lgamma_table[11][p.k];
    r = r * p.t + fit_lgamma_table[10][p.k];
    r = r * p.t + fit_lgamma_table[9][p.k];
    r = r * p.t + fit_lgamma_table[8][p.k];
    r = r * p.t + fit_lgamma_table[7][p.k];
    r = r * p.t + fit_lgamma_table[6][p.k];
    r = r * p.t + fit_lgamma_table[5][p.k];
    r = r * p.t + fit_lgamma_table[4][p.k];
    r = r * p.t + fit_lgamma_table[3][p.k];
    r = r * p.t + fit_lgamma_table[2][p.k];
    r = r * p.t + fit_lgamma_table[1][p.k];
    r = r * p.t + fit_lgamma_table[0][p.k];
    return r;
}

/* ln |Gamma(x)| by t = x + 2.609375: 2^-54.3 */
LANE double fit_lgamma_dip(double t) {
    double r = -0x1.f5d9dab6e6172p+13;
    r = r * t + 0x1.abe5a166c09afp+12;
    r = r * t + -0x1.5ce81f6e9e472p+11;
    r = r * t + 0x1.31a7e735e532fp+10;
    r = r * t + -0x1.018fc8f68b0d0p+9;
    r = r * t + 0x1.da576e442a34dp+7;
    r = r * t + -0x1.897b3a8158988p+6;
    r = r * t + 0x1.919ceca5e8127p+5;
    r = r * t + -0x1.3a1ae22297c47p+4;
    r = r * t + 0x1.9577ab7d7fd65p+3;
    r = r * t + -0x1.0c0db7c8af0cbp+2;
    r = r * t + 0x1.5a0e2d9189b7ep+2;
    r = r * t + 0x1.ddac397b1abcap-7;
    r = r * t + -0x1.e5de4518f925fp-4;
    return r;
}

/* digamma(x) / (x - its root), 2^0 <= x < 2^3: 2^-53.2 */
static const double fit_digamma_table[14][12] = {
    {0x1.277046912a697p+0, 0x1.0211b8470c9d0p+0, 0x1.cd9d88c399e19p-1, 0x1.a3b07e045f71ep-1,
     0x1.73d61824db150p-1, 0x1.456ed4709547fp-1, 0x1.2328b265d0afap-1, 0x1.0894ca60bcdd2p-1,
     0x1.d414de2a1bd59p-2, 0x1.9885758262b9ap-2, 0x1.6c645d8818b46p-2, 0x1.4a22b0eb36b4bp-2},
    {-0x1.6404a8c08f730p-1, -0x1.f757b21d47f16p-2, -0x1.7aa649cce5859p-2, -0x1.297b63c4fae23p-2,
     -0x1.b6cc92a4e98a5p-3, -0x1.3ace4e5e581b7p-3, -0x1.de63f0064ceb5p-4, -0x1.7a6d07dba7661p-4,
     -0x1.18ec5734b2440p-4, -0x1.94e7d56a352f9p-5, -0x1.3438b6dc739a3p-5, -0x1.e7ce3867ae7fep-6},
    {0x1.13c7a370c679bp-1, 0x1.39d54637b1db8p-2, 0x1.8ab0d9438dfacp-3, 0x1.0a49baa9da9a7p-3,
     0x1.4422f4a620a1ep-4, 0x1.796a0cb9d41bcp-5, 0x1.e2f4482eb66ebp-6, 0x1.4a2d0a2bf1759p-6,
     0x1.97bb4c3f42280p-7, 0x1.e0b93f1499fffp-8, 0x1.35f9c845484a4p-8, 0x1.a9e57ce63d910p-9},
    {-0x1.ce2d78c1b0a64p-2, -0x1.a8d240c3cbb0ep-3, -0x1.bf4556b33b4b6p-4, -0x1.033b816289bcdp-4,
     -0x1.043c9fb4c0255p-5, -0x1.eaea2eb36d9c3p-7, -0x1.07f0a1c318a05p-7, -0x1.373feab32b007p-8,
     -0x1.3ec37e7359592p-9, -0x1.3266c98ddedebp-10, -0x1.4dc70c849f497p-11,
     -0x1.8d300920283e5p-12},
    {0x1.8fa5b055fb148p-2, 0x1.29dfe12825d53p-3, 0x1.0738222bc7a0fp-4, 0x1.068a9e9763544p-5,
     0x1.b34a189f27e7fp-7, 0x1.4cc2b7369cb8bp-8, 0x1.2ca0a8dc3dc69p-9, 0x1.3199a963225a0p-10,
     0x1.035009634dbbap-11, 0x1.95ddbf99c2fe5p-13, 0x1.74fd3a194632ep-14, 0x1.7ff82b5d8bc67p-15},
    {-0x1.5e79c79c889adp-2, -0x1.a8ec3c70cbe7bp-4, -0x1.3bdd9fa3025a2p-5, -0x1.0f8b7d7c8cfb3p-6,
     -0x1.7468d9de07c78p-8, -0x1.ce0947158f322p-10, -0x1.5ee3008fce846p-11,
     -0x1.33851e38d7b26p-12, -0x1.b0544f669ec30p-14, -0x1.135121655d3dfp-15,
     -0x1.aaa43596b7c5bp-17, -0x1.7bb8a54439d44p-18},
    {0x1.356c2e4ca2a16p-2, 0x1.31c2628423673p-4, 0x1.7f10ac302e773p-6, 0x1.1c3d6252289bdp-7,
     0x1.42f551253382ep-9, 0x1.45937d7a5b862p-11, 0x1.a000dd06b1305p-13, 0x1.3a74ad0dde773p-14,
     0x1.6e4ce88c937f1p-16, 0x1.7b9dbcbbee0e1p-18, 0x1.efdb3ceab2d7ep-20, 0x1.7d70c38f19cc3p-21},
    {-0x1.1215ff35228ebp-2, -0x1.ba1b54f918332p-5, -0x1.d35ab34fb6f24p-7, -0x1.2ba64389b64f2p-8,
     -0x1.1a7274fa3d322p-10, -0x1.cf4e5227f8690p-13, -0x1.f268842d07675p-15,
     -0x1.451a9ebc64e4bp-16, -0x1.39e9b3ba9bfd6p-18, -0x1.08c188da90831p-20,
     -0x1.237ccb1e2eb59p-22, -0x1.838dbc00b8d26p-24},
    {0x1.e66384c99a6f6p-3, 0x1.407508f9f6d2bp-5, 0x1.1e17e07f67c10p-7, 0x1.3d442ca830a48p-9,
     0x1.f0b82085c4626p-12, 0x1.4bcda03b2da65p-14, 0x1.2cbfabe29ce51p-16, 0x1.52be8489e7438p-18,
     0x1.0f40f87810108p-20, 0x1.7478efa3c1ec7p-23, 0x1.59ac00a7e35cep-25, 0x1.8d2b313e6e4a8p-27},
    {-0x1.aff057b1eb1fep-3, -0x1.d13b72b91cbdap-6, -0x1.5efe50aa46a49p-8, -0x1.50d3080bb0771p-10,
     -0x1.b6519292efc8fp-13, -0x1.dd60b8c4cd67ap-16, -0x1.6cd50167e5301p-18,
     -0x1.62f60c61c9170p-20, -0x1.d7ad26d9f6820p-23, -0x1.07b773a46bfbfp-25,
     -0x1.9caa5acb0d6d8p-28, -0x1.99c1a041601edp-30},
    {0x1.7f7661fd20194p-3, 0x1.51de3bf5dea1bp-6, 0x1.af141b45305b8p-9, 0x1.662903583852ep-11,
     0x1.83665dafa3763p-14, 0x1.585dd9dc4a361p-17, 0x1.bc25351433dd6p-20, 0x1.757ac26b0d3f5p-22,
     0x1.9bb5ca7ab7cb1p-25, 0x1.77335d8496d6ap-28, 0x1.ef2651e61130bp-31, 0x1.a8f5bf6189a7ep-33},
    {-0x1.54c45a8fbf994p-3, -0x1.eb2324aff6a8cp-7, -0x1.08f69b768b881p-9, -0x1.7d4b6b1924bb2p-12,
     -0x1.57323ffc5e99dp-15, -0x1.f216e418d6456p-19, -0x1.0f21a7cb55a4dp-21,
     -0x1.8a3c1344941e2p-24, -0x1.68ecb1df7475fp-27, -0x1.0c0e12abfea6dp-30,
     -0x1.2a5ac89a09725p-33, -0x1.baaa5f54564e9p-36},
    {0x1.3c89e7f3f8cb3p-3, 0x1.6fb1d31fd6590p-7, 0x1.4cc1b4b1990cdp-10, 0x1.9c9cf1b3cfec7p-13,
     0x1.3e118df215657p-16, 0x1.737886a8603adp-20, 0x1.52a6636b69b22p-23, 0x1.a7a6311a2d2b7p-26,
     0x1.4b6299bda8502p-29, 0x1.8b6b57ac81b11p-33, 0x1.7030e68445daap-36, 0x1.d5d01500e6cd7p-39},
    {-0x1.195919c04e3fbp-3, -0x1.0b5c21e52a285p-7, -0x1.995d5ac1a0ab3p-11, -0x1.b7c400e2c009fp-14,
     -0x1.1a4a857ba97f4p-17, -0x1.0d60cdccf96cbp-21, -0x1.9eecc7f018d18p-25,
     -0x1.c1157b883118bp-28, -0x1.24008e13f3c77p-31, -0x1.1c26cee460a4fp-35,
     -0x1.be7e73a9ade92p-39, -0x1.ec946a309fb32p-42},
};
LANE double fit_digamma(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p3, 2);
    double r = fit_digamma_table[13][p.k];
    r = r * p.t + fit_digamma_table[12][p.k];
    r = r * p.t + fit_digamma_table[11][p.k];
    r = r * p.t + fit_digamma_table[10][p.k];
    r = r * p.t + fit_digamma_table[9][p.k];
    r = r * p.t + fit_digamma_table[8][p.k];
    r = r * p.t + fit_digamma_table[7][p.k];
    r = r * p.t + fit_digamma_table[6][p.k];
    r = r * p.t + fit_digamma_table[5][p.k];
    r = r * p.t + fit_digamma_table[4][p.k];
    r = r * p.t + fit_digamma_table[3][p.k];
    r = r * p.t + fit_digamma_table[2][p.k];
    r = r * p.t + fit_digamma_table[1][p.k];
    r = r * p.t + fit_digamma_table[0][p.k];
    return r;
}

LANE_END

#endif
