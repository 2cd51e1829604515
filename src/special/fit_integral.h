/* fit_integral.h - exponential integrals.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_INTEGRAL_H
#define WEFT_SPECIAL_FIT_INTEGRAL_H

#include "lane.h"

LANE_BEGIN

/* E1(x) + ln x, x < 1: 2^-52.6 */
LANE double fit_e1(double t) {
    double r = -0x1.e46e3a87617b6p-34;
    r = r * t + 0x1.21c7147739e2cp-29;
    r = r * t + -0x1.d4c3e16a8e63dp-26;
    r = r * t + 0x1.4876df6c996bfp-22;
    r = r * t + -0x1.a012f44f8e64ep-19;
    r = r * t + 0x1.db8afff4f6143p-16;
    r = r * t + -0x1.e573a7d3a4c3cp-13;
    r = r * t + 0x1.b4e81b2bf7f8ap-10;
    r = r * t + -0x1.55555554b375ep-7;
    r = r * t + 0x1.c71c71c718e9ep-5;
    r = r * t + -0x1.fffffffffff5cp-3;
    r = r * t + 0x1.fffffffffffffp-1;
    r = r * t + -0x1.2788cfc6fb619p-1;
    return r;
}

/* x e^x E1(x), 2^0 <= x < 2^5: 2^-53.6 */
static const double fit_e1_table_table[13][20] = {
    {0x1.3ce0b9cc6e4f1p-1, 0x1.5020540726576p-1, 0x1.5f9c7fb1d9b46p-1, 0x1.6c6593428f2ccp-1,
     0x1.7bf1eb6e6d939p-1, 0x1.8bfba4997a9e3p-1, 0x1.9866f0c2ccea9p-1, 0x1.a2558ad9cc02cp-1,
     0x1.ae05b01fdd31dp-1, 0x1.b9a1b61b0b9d7p-1, 0x1.c24f831fa72f6p-1, 0x1.c90e61e57987dp-1,
     0x1.d0c59aab548a4p-1, 0x1.d83267f15c3cap-1, 0x1.dd976dcc5c328p-1, 0x1.e1b1161ade93dp-1,
     0x1.e6481f4d0b0e3p-1, 0x1.ea98f51fc8132p-1, 0x1.edab9d1d26addp-1, 0x1.eff86b4df8e1dp-1},
    {0x1.5a30267a5de39p-3, 0x1.1253b8eb948a2p-3, 0x1.bfe672357390fp-4, 0x1.75ef0e63a9138p-4,
     0x1.2679bcfc0ea8ap-4, 0x1.bfa0effd5c078p-5, 0x1.61075eb0bf79fp-5, 0x1.1e3d202cf36b9p-5,
     0x1.b2a59317207f3p-6, 0x1.3db515732b9fdp-6, 0x1.e5b497e6615ddp-7, 0x1.7fceeff38015bp-7,
     0x1.1a721325b49fcp-7, 0x1.8fdb9aec7e29dp-8, 0x1.2a276e0a4294fp-8, 0x1.cdf571fe7b88ap-9,
     0x1.4c210a365614cp-9, 0x1.cb74e55c85187p-10, 0x1.50bc779f1a2d0p-10, 0x1.01664bcf280aep-10},
    {-0x1.5b9461596f3bep-4, -0x1.da9c76b96c354p-5, -0x1.55b4a2fc840aep-5, -0x1.ffae0bab5f8e9p-6,
     -0x1.5e1b512f82230p-6, -0x1.c6c24796faee5p-7, -0x1.39fbb147da7d1p-7, -0x1.c59bd72d8777bp-8,
     -0x1.289cd80c91908p-8, -0x1.6ed54aa6a0475p-9, -0x1.e6caaf3910c77p-10, -0x1.542eaa21cb6aep-10,
     -0x1.ab309614e6eb0p-11, -0x1.fa71b991ca188p-12, -0x1.4518ee567957cp-12,
     -0x1.ba6ac81df7078p-13, -0x1.0d22a88148fc7p-13, -0x1.351aec8a54f32p-14,
     -0x1.83772719d6101p-15, -0x1.02c267595b3ccp-15},
    {0x1.808ce405ad453p-5, 0x1.bdbc39c633da2p-6, 0x1.17e419a97820fp-6, 0x1.74a0b01f88cf2p-7,
     0x1.b6ad83d37d023p-8, 0x1.e245b3b8d6e49p-9, 0x1.217fa8f9fa846p-9, 0x1.72a966fe0278ep-10,
     0x1.9f13c27b9a8fbp-11, 0x1.aff4c798ff76fp-12, 0x1.efb55379ec1e9p-13, 0x1.3185c09f68c1fp-13,
     0x1.466742e011800p-14, 0x1.433858fd949bbp-15, 0x1.64a257372b901p-16, 0x1.a9c72ce50daedp-17,
     0x1.b5c9279785398p-18, 0x1.a1045493177d2p-19, 0x1.bebcc5e4aa961p-20, 0x1.0489df903d133p-20},
    {-0x1.ca81cba70e4a4p-6, -0x1.be79a94b2ca02p-7, -0x1.e526a722d2179p-8, -0x1.1d511d2940157p-8,
     -0x1.1ed5c0d763f87p-9, -0x1.08f82731b14eap-10, -0x1.13185e1facc18p-11,
     -0x1.36dfb575c29bfp-12, -0x1.28b685d1b9fd5p-13, -0x1.02b1bf055fd05p-14,
     -0x1.ffe4280b0aab6p-16, -0x1.159f61806dca4p-16, -0x1.f76b7e74fe83dp-18,
     -0x1.9f7b27246dcb0p-19, -0x1.8968f802b0148p-20, -0x1.9b9da92188b6ep-21,
     -0x1.6547afb5eb812p-22, -0x1.1a0143f6be81ep-23, -0x1.0207be6df9d3fp-24,
     -0x1.06b9b970325cbp-25},
    {0x1.21908f35a0ec4p-6, 0x1.d665dcad7d570p-8, 0x1.b7ca3a3340c6bp-9, 0x1.c6ed7ebd9986ep-10,
     0x1.84701f49b2b48p-11, 0x1.2bdd82abffd01p-12, 0x1.0c1dac6551613p-13, 0x1.0a8ee584b29ebp-14,
     0x1.b015c7633c64fp-16, 0x1.3a7fa32106a4ep-17, 0x1.0b93351f1dc5fp-18, 0x1.fdd08e993a787p-20,
     0x1.87747b6a40e94p-21, 0x1.0cc0a187af3f8p-22, 0x1.b4322831e369cp-24, 0x1.8f95f280609dfp-25,
     0x1.2482b29fd2615p-26, 0x1.7e4e531cf739cp-28, 0x1.2a9c201707df2p-29, 0x1.094fa7ee95b10p-30},
    {-0x1.7e8528120ff3bp-7, -0x1.01e89228b82d8p-8, -0x1.9d4afe7538381p-10, -0x1.76c0e997e5deep-11,
     -0x1.0eaeb3394158ep-12, -0x1.5bcee8bd25a3ep-14, -0x1.0af7bd14de73cp-15,
     -0x1.d1d3661eb55f3p-17, -0x1.3fa74d5446507p-18, -0x1.8358da03acaddp-20,
     -0x1.1acb9c9440860p-21, -0x1.d876c7fb649efp-23, -0x1.32addb59ae2cdp-24,
     -0x1.5db777c6d4097p-26, -0x1.e5e839129c90bp-28, -0x1.856806d8db55cp-29,
     -0x1.e06518951e4f1p-31, -0x1.03b71bd3c6319p-32, -0x1.5a2a0f7a7892dp-34,
     -0x1.0c49fa4179b3bp-35},
    {0x1.05c3cc7afcceep-7, 0x1.24038dbf93bb6p-9, 0x1.8fe6f947f7bc2p-11, 0x1.3d194703a2ec0p-12,
     0x1.8259bdc45aeecp-14, 0x1.9bd9bd047c6a8p-16, 0x1.0eb581ae13a4ap-17, 0x1.9dad06b8260dbp-19,
     0x1.df8916a2d3ec0p-21, 0x1.e28f2ebeaae3bp-23, 0x1.2dc934847df65p-24, 0x1.b9808be668b5ep-26,
     0x1.e3ca96a9db578p-28, 0x1.c98131c2e3fbap-30, 0x1.0fd042f7ea33cp-31, 0x1.7cd8d5a3875d8p-33,
     0x1.8b9527b9ce596p-35, 0x1.619b96f98266cp-37, 0x1.91f21a5542008p-39, 0x1.0fa78fe96e655p-40},
    {-0x1.70954f286a0bdp-8, -0x1.53579324a43b9p-10, -0x1.8c5501d099f3cp-12,
     -0x1.1256ae81107a4p-13, -0x1.19486f127985dp-15, -0x1.f0515d72c9772p-18,
     -0x1.16d1902b11a9dp-19, -0x1.748b0f6e37e3bp-21, -0x1.6c0f479e0c2fap-23,
     -0x1.2fa444c35d15fp-25, -0x1.44d773e748330p-27, -0x1.9fa945aa7f945p-29,
     -0x1.7ff1eafd22f91p-31, -0x1.2cb8f8f84667dp-33, -0x1.3151458c9b5e3p-35,
     -0x1.75b79e4a71906p-37, -0x1.469836876fdbdp-39, -0x1.e2651dfe404f8p-42,
     -0x1.d37024f82536ap-44, -0x1.1367c0c9bf21ep-45},
    {0x1.097d5d62c3f61p-8, 0x1.92d2736a5d851p-11, 0x1.90aa608e64495p-13, 0x1.e393f2408a297p-15,
     0x1.a0682549e2f15p-17, 0x1.2f871c1c456d6p-19, 0x1.230a37d7a9f05p-21, 0x1.53984faa7db1bp-23,
     0x1.173ac4854bc18p-25, 0x1.817fd663f3ad5p-28, 0x1.605671191c104p-30, 0x1.89f4e1623c197p-32,
     0x1.3247c04da7ce2p-34, 0x1.8d08fcc75b288p-37, 0x1.582f2758f384ep-39, 0x1.6fd651061fe58p-41,
     0x1.0e2a8f69c210fp-43, 0x1.49958f2c36466p-46, 0x1.102b42b2e878ep-48, 0x1.1785911f37937p-50},
    {-0x1.85fc3dd89047cp-9, -0x1.e6dfa6e7b6513p-12, -0x1.9beb08f90e853p-14,
     -0x1.b0fb97b580a86p-16, -0x1.38cd6961979e3p-18, -0x1.78249aeb1f709p-21,
     -0x1.33661009bee79p-23, -0x1.38e4b82463d85p-25, -0x1.b086615bf5ad9p-28,
     -0x1.ed71fffedeb17p-31, -0x1.80dc49f001bf1p-33, -0x1.77b06fb941f60p-35,
     -0x1.eb5d0c193b8adp-38, -0x1.073c2825848acp-40, -0x1.855f072a7a659p-43,
     -0x1.6b1ec4fa631ecp-45, -0x1.c039986892f2fp-48, -0x1.c341fc876a806p-51,
     -0x1.3d6d0caa29486p-53, -0x1.1c0acfe2e03acp-55},
    {0x1.2be8616fefe3bp-9, 0x1.30c30a42dec95p-12, 0x1.b3cc0ef873fc6p-15, 0x1.8d3b45417acd3p-17,
     0x1.eab66ded99720p-20, 0x1.e14800822eda2p-23, 0x1.4cf6c31209580p-25, 0x1.265301313342fp-27,
     0x1.5cd61af72cff0p-30, 0x1.4513a3e23d147p-33, 0x1.adbc047419b08p-36, 0x1.6c947607b026ep-38,
     0x1.99aec3c9b8571p-41, 0x1.6689784d94743p-44, 0x1.c14f1d3a6049ap-47, 0x1.6bff1c76a5da4p-49,
     0x1.82448438ece34p-52, 0x1.3d0ce1b4d81ddp-55, 0x1.7942a784466a8p-58, 0x1.24cf5371fbecfp-60},
    {-0x1.c625e4e0f65e5p-10, -0x1.7afbb905987afp-13, -0x1.cc31708d8806bp-16,
     -0x1.6cc8030c3f51cp-18, -0x1.797deeeec90edp-21, -0x1.30ac161abf8c8p-24,
     -0x1.669b65810d0d4p-27, -0x1.1413120d9657ep-29, -0x1.129357c53a96fp-32,
     -0x1.a5ebdbd754135p-36, -0x1.db1fb312080a7p-39, -0x1.5f6a3fb9f3344p-41,
     -0x1.4bac9c90d364ap-44, -0x1.df004f540710cp-48, -0x1.ff7b67c2f63f8p-51,
     -0x1.693ca07e9cff8p-53, -0x1.41d1d180a8a0dp-56, -0x1.b38c377f63113p-60,
     -0x1.b9290e0aeb280p-63, -0x1.2a307565ab8d7p-65},
};
LANE double fit_e1_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p5, 2);
    double r = fit_e1_table_table[12][p.k];
    r = r * p.t + fit_e1_table_table[11][p.k];
    r = r * p.t + fit_e1_table_table[10][p.k];
    r = r * p.t + fit_e1_table_table[9][p.k];
    r = r * p.t + fit_e1_table_table[8][p.k];
    r = r * p.t + fit_e1_table_table[7][p.k];
    r = r * p.t + fit_e1_table_table[6][p.k];
    r = r * p.t + fit_e1_table_table[5][p.k];
    r = r * p.t + fit_e1_table_table[4][p.k];
    r = r * p.t + fit_e1_table_table[3][p.k];
    r = r * p.t + fit_e1_table_table[2][p.k];
    r = r * p.t + fit_e1_table_table[1][p.k];
    r = r * p.t + fit_e1_table_table[0][p.k];
    return r;
}

/* x e^x E1(x) by u = 1 / x, x >= 32: 2^-55.5 */
LANE double fit_e1_tail(double t) {
    double r = -0x1.7bdcbcc8cada6p+22;
    r = r * t + 0x1.bcfcae4f03191p+20;
    r = r * t + -0x1.1f6f1b90b8b90p+18;
    r = r * t + 0x1.2cd7949d937b4p+15;
    r = r * t + -0x1.38ec63f08703fp+12;
    r = r * t + 0x1.67ca74469fc5bp+9;
    r = r * t + -0x1.dffc60c49731bp+6;
    r = r * t + 0x1.7fffebc90c838p+4;
    r = r * t + -0x1.7fffffbc37884p+2;
    r = r * t + 0x1.ffffffff8743ep+0;
    r = r * t + -0x1.ffffffffffd30p-1;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

/* Ei(x) - ln x, x < 1/4: 2^-57.5 */
LANE double fit_ei(double t) {
    double r = 0x1.700cbb49ab601p-22;
    r = r * t + 0x1.9d712958deabep-19;
    r = r * t + 0x1.dba4b4d7e5ad7p-16;
    r = r * t + 0x1.e5731c09980aep-13;
    r = r * t + 0x1.b4e81d4d085b3p-10;
    r = r * t + 0x1.555555510cca6p-7;
    r = r * t + 0x1.c71c71c727012p-5;
    r = r * t + 0x1.fffffffffff2dp-3;
    r = r * t + 0x1.0000000000000p+0;
    r = r * t + 0x1.2788cfc6fb619p-1;
    return r;
}

/* x e^-x Ei(x), 2^-2 <= x < 2^6: 2^-53.1 */
static const double fit_ei_table_table[13][32] = {
    {-0x1.523c3a43b27bfp-4, -0x1.caf7e7a23d198p-6, 0x1.1bb17eb5b45e5p-5, 0x1.a3e5f904efb6ap-4,
     0x1.ad98f6c1cb086p-3, 0x1.6c34ac0d7277fp-2, 0x1.fe4657f116abap-2, 0x1.4445331c729d1p-1,
     0x1.a21528b93c077p-1, 0x1.0537c55910acap+0, 0x1.2db3464e55607p+0, 0x1.4bb51589c8561p+0,
     0x1.68a6d3efe78bbp+0, 0x1.799b6c863b81dp+0, 0x1.7b4ad2ad1d672p+0, 0x1.74e97a0238e79p+0,
     0x1.657bb7afc595ap+0, 0x1.506bb6751c797p+0, 0x1.3f96900f5914ep+0, 0x1.334ed2ca3218dp+0,
     0x1.271b3a3d9152ep+0, 0x1.1d8ce1cbf1720p+0, 0x1.17d0a46f2f427p+0, 0x1.13fe90b3f0857p+0,
     0x1.10267ce97e5a4p+0, 0x1.0cdf866180f36p+0, 0x1.0ab532f49ccbap+0, 0x1.092b1567b2330p+0,
     0x1.078b1a15a61dbp+0, 0x1.061a3f8a9c523p+0, 0x1.051fd0f0f75f6p+0, 0x1.046aa0ed887fep+0},
    {0x1.93f3df2a5fdf9p-1, 0x1.e49e4d170c5aep-1, 0x1.0cf507a225294p+0, 0x1.1dbe2809f31cfp+0,
     0x1.29c4346f4912ap+0, 0x1.2963138d2a194p+0, 0x1.1d705db05ed8bp+0, 0x1.0acf1b4dbf8dcp+0,
     0x1.d18bdf07dce2cp-1, 0x1.71847d153cb92p-1, 0x1.17ec4012833fbp-1, 0x1.94d01c0fdf5f6p-2,
     0x1.bd1a8af233cc6p-3, 0x1.f68bbb23fe66cp-5, -0x1.a590c558c8002p-6, -0x1.1780423c35476p-4,
     -0x1.60ae43360c9a3p-4, -0x1.340db1a000644p-4, -0x1.cd769f296c0dbp-5, -0x1.4aac2b3ce4d2ap-5,
     -0x1.9445d4caf5f86p-6, -0x1.cbac73f962621p-7, -0x1.25383350e3930p-7, -0x1.9842ca13afbb9p-8,
     -0x1.07e7c013c7074p-8, -0x1.4da3745344fa0p-9, -0x1.cc9c991ffb804p-10, -0x1.5141b3176fee5p-10,
     -0x1.c820369a3c3e7p-11, -0x1.2a4dde9799c75p-11, -0x1.a4800064ecb51p-12,
     -0x1.384a54ec2030dp-12},
    {0x1.87b464040a15dp+0, 0x1.05a3e0898fc12p+0, 0x1.535fc73c2f6d1p-1, 0x1.98cee4fbd9d9bp-2,
     0x1.ef075082875bdp-4, -0x1.cbb1d6befae15p-4, -0x1.fd7a8087beac1p-3, -0x1.4d5f7e314eb21p-2,
     -0x1.7e107501d95b3p-2, -0x1.791b6d96c9572p-2, -0x1.502b5b869d8efp-2, -0x1.1b2936125efa7p-2,
     -0x1.989968eab5892p-3, -0x1.df67133838592p-4, -0x1.f596033923acdp-5, -0x1.b6a5aecdbf4b3p-6,
     -0x1.04c22040e8049p-10, 0x1.2868a9e770695p-7, 0x1.28d402a808890p-7, 0x1.bf0905df2b3c8p-8,
     0x1.f8bb853823fc2p-9, 0x1.cf42f0a25d7f4p-10, 0x1.d5ddc7161bd7fp-11, 0x1.0c17c51fac6a6p-11,
     0x1.11b12710bab67p-12, 0x1.105cd00dd3f82p-13, 0x1.371c3979f516bp-14, 0x1.84fe98835edc2p-15,
     0x1.afdf8e7194231p-16, 0x1.c84a20da15094p-17, 0x1.0dd4018cf5ac2p-17, 0x1.5942b290d3f50p-18},
    {-0x1.a118552c12555p+1, -0x1.1ff21d386c66ap+1, -0x1.a079be2133518p+0, -0x1.35f071dcbf5e7p+0,
     -0x1.9a340d6399594p-1, -0x1.e2b8dce6d4decp-2, -0x1.16fdb8ba72535p-2, -0x1.2b9c0632d0e55p-3,
     -0x1.1a900cd99d442p-5, 0x1.2fb2be451fe9ap-5, 0x1.08b24edc2d2a8p-4, 0x1.230a38754b265p-4,
     0x1.0595584e65a14p-4, 0x1.76e7eb4604ae2p-5, 0x1.e084801388e30p-6, 0x1.1c95b100307fcp-6,
     0x1.bc8cf8de5783cp-8, 0x1.04bcb88b749cbp-10, -0x1.3816a3821b432p-11, -0x1.9a75cfa59cf1ap-11,
     -0x1.0c9d1e7f0eccfp-11, -0x1.c82e764232552p-13, -0x1.82ff862f6cd27p-14,
     -0x1.6be0007c2f528p-15, -0x1.21ad992fb772dp-16, -0x1.c1077a336308bp-18,
     -0x1.a6a44de496809p-19, -0x1.c25a571a7dc7ap-20, -0x1.99dcab98fe20cp-21,
     -0x1.5d7845ec76b24p-22, -0x1.5a9f4a7d3f260p-23, -0x1.7dfa1197a1848p-24},
    {0x1.4fd7b1e83ba26p+2, 0x1.8bacbd3f9bdbdp+1, 0x1.0024044579c90p+1, 0x1.6194331eeffdfp+0,
     0x1.b7aca738679c5p-1, 0x1.00c552caeda1cp-1, 0x1.3fd0dff14f0b7p-2, 0x1.9c7e37176fbd9p-3,
     0x1.b5b988e9a6302p-4, 0x1.6a28c1eb17175p-5, 0x1.da08b18551d71p-7, 0x1.4c106731410eep-13,
     -0x1.05ce214e05255p-7, -0x1.2ae8886753939p-7, -0x1.d38d6a728c224p-8, -0x1.3f6402eb8ed46p-8,
     -0x1.39d232d7ada67p-9, -0x1.89586dc1972e5p-11, -0x1.4289ce424109cp-13, 0x1.58a1171dd58f8p-16,
     0x1.9feba84262838p-15, 0x1.94698af63b5cdp-16, 0x1.3ac68f65f5f17p-17, 0x1.f9b4309ac7f0ap-19,
     0x1.3a54c898b0dacp-20, 0x1.76becf1af5684p-22, 0x1.20fdbe6c82c22p-23, 0x1.05cbb5b7f7aa7p-24,
     0x1.85f54252ce285p-26, 0x1.0c101550329e4p-27, 0x1.bdb905e6a49b1p-29, 0x1.a6e75d788b510p-30},
    {-0x1.3daa84a5127a6p+3, -0x1.2d1e1aa25fafap+2, -0x1.4702dc4c57f1ap+1, -0x1.870e588455810p+0,
     -0x1.9b12245836f2bp-1, -0x1.9a763980f0fe8p-2, -0x1.ceeba006254a5p-3, -0x1.1a93d4351f9c0p-3,
     -0x1.27e1a7811c0b0p-4, -0x1.12a3a5099dcefp-5, -0x1.093abfbf523b2p-6, -0x1.f61aab6afc54bp-8,
     -0x1.feb674383113cp-10, 0x1.fde74d604f955p-12, 0x1.ec5f6ec4cde8ap-11, 0x1.b22762dce77d0p-11,
     0x1.045d9bb0a24fep-11, 0x1.9a7797d89871fp-13, 0x1.0961f38ae1fabp-14, 0x1.fb86bf41e9f5bp-17,
     -0x1.ecf60821422a8p-20, -0x1.24b37a36c49fdp-19, -0x1.dda49ed372299p-21,
     -0x1.5df025e66f86dp-22, -0x1.5d879fc94574dp-24, -0x1.3db2696aa96a0p-26,
     -0x1.8e64d983d60dbp-28, -0x1.31d6655471164p-29, -0x1.740cbc3188895p-31,
     -0x1.9be75283029fdp-33, -0x1.1ee22bf16471bp-34, -0x1.d491d5e8d38bep-36},
    {0x1.6135faeee8280p+4, 0x1.0d201880084abp+3, 0x1.e60d5e879eb3ep+1, 0x1.efa0adaac7b59p+0,
     0x1.a96ed9a742df5p-1, 0x1.55f05f0548e4fp-2, 0x1.45c76cc3dc687p-3, 0x1.5d6a8e770eaf3p-4,
     0x1.3f9af23c98abap-5, 0x1.0e112beae8459p-6, 0x1.016a47c1fe7a3p-7, 0x1.05499d7f93388p-8,
     0x1.8795bb54c58efp-10, 0x1.731aa6f3ea2d7p-12, 0x1.1826770014c53p-16, -0x1.1fd896565bc75p-14,
     -0x1.1bccb41c062f7p-14, -0x1.19f23b917ff1fp-15, -0x1.b7451a6401384p-17,
     -0x1.22093bfc39940p-18, -0x1.ff2eb6e2e30bfp-22, 0x1.180d87ca0376bp-23, 0x1.3c4236a2bed82p-24,
     0x1.ceca2f789f512p-26, 0x1.8a20793674e59p-28, 0x1.1272a3e8af26fp-30, 0x1.1557f7fcd8e83p-32,
     0x1.674a7189a5ba9p-34, 0x1.640ca05813d6dp-36, 0x1.3d032bfdfa44dp-38, 0x1.71b65595793bep-40,
     0x1.03c9c9ab1ba71p-41},
    {-0x1.b169bceef3f9cp+5, -0x1.0b8c9637d8f93p+4, -0x1.94852f645e9dap+2, -0x1.616efe55eac20p+1,
     -0x1.f09c31717b3aep-1, -0x1.3ed1aa072815fp-2, -0x1.f717c2ef4b107p-4, -0x1.cc0a119bf8d38p-5,
     -0x1.5ae002de2686fp-6, -0x1.e73b1de92ff0ap-8, -0x1.9d284f74e0a62p-9, -0x1.8a6ffbbe72bb2p-10,
     -0x1.27a78e3a26be2p-11, -0x1.5fc9c5a763f70p-13, -0x1.8d14a784f4798p-15,
     -0x1.22eb45b98d7fbp-17, 0x1.377381317473dp-18, 0x1.11fcdf3b7462dp-18, 0x1.01744e72be123p-19,
     0x1.8dc662b03d723p-21, 0x1.21ca5f8a7f844p-23, 0x1.506c43b0154e2p-30, -0x1.490e6db656004p-28,
     -0x1.169cb6ec2c533p-29, -0x1.b8f1b36696f41p-32, -0x1.e3858d28ebef5p-35,
     -0x1.86eb4d2e1e03bp-37, -0x1.a8e55dcfdff78p-39, -0x1.55e619aca8444p-41,
     -0x1.e8df3f913aeb2p-44, -0x1.dd055f89b5c78p-46, -0x1.204e4362c5028p-47},
    {0x1.1add0715f29ecp+7, 0x1.1c20b161ffe7ep+5, 0x1.694c152ebd595p+3, 0x1.0fcb6b92e72dbp+2,
     0x1.3ad75b047dc18p+0, 0x1.457bf4d851968p-2, 0x1.ab0a4fbcaf4acp-4, 0x1.4c5bd4ee6c647p-5,
     0x1.972c08e062838p-7, 0x1.c8eb81688a9fap-9, 0x1.46419330c7017p-10, 0x1.12ce520fae6c2p-11,
     0x1.6ffed72e9c7f7p-13, 0x1.a8b74cea7c434p-15, 0x1.0fc35e2783bedp-16, 0x1.569d81127df49p-18,
     0x1.1a5854b217346p-21, -0x1.458f623e70589p-22, -0x1.c191ae3e398b2p-23,
     -0x1.969f8371de830p-24, -0x1.716341a7b3b4dp-26, -0x1.d856ad7636cedp-30,
     0x1.6ec0211903151p-33, 0x1.1e78ca0800596p-33, 0x1.db2e315ae1327p-36, 0x1.b062bc3adddf0p-39,
     0x1.1791ca5737fe2p-41, 0x1.fa869b24d1000p-44, 0x1.4990656d502e7p-46, 0x1.79b4c4c5a42d7p-49,
     0x1.341fd84a63637p-51, 0x1.403ae6bba945ap-53},
    {-0x1.815241fd1e165p+8, -0x1.3b8ffed4f1752p+6, -0x1.523f8a30f0b9dp+4, -0x1.b745eb567342cp+2,
     -0x1.a5278b321daa7p+0, -0x1.60d21e837d92bp-2, -0x1.836ad4bf4c9fdp-4, -0x1.0221b444cfcd6p-5,
     -0x1.0228d3082a52bp-7, -0x1.cceb6bfd9afb9p-10, -0x1.0fccfe7c9a752p-11,
     -0x1.871b70c2ed3a8p-13, -0x1.b6b2e58999825p-15, -0x1.b9cbd7ff2bb60p-17,
     -0x1.1051a0136c509p-18, -0x1.6f8ca3242ea0ap-20, -0x1.1b4c46d91658bp-22,
     -0x1.95af2956dd617p-28, 0x1.0aae4f905b92dp-26, 0x1.41a5b88e97c10p-27, 0x1.62bec7a871697p-29,
     0x1.49d731062ed58p-32, 0x1.b46aafaaff079p-37, -0x1.b55a3364eb450p-38, -0x1.dc90834eab967p-40,
     -0x1.83eef845d59b7p-43, -0x1.962dd9356dfccp-46, -0x1.30d48c0bd520bp-48,
     -0x1.3ebfe1577d01dp-51, -0x1.2457b1d565ac6p-54, -0x1.8e83e5dfb095dp-57,
     -0x1.63fa2b4f1de28p-59},
    {0x1.0f10ab7c970fcp+10, 0x1.6a502f240c5b1p+7, 0x1.47b90b3f7125ap+5, 0x1.6fd18d6ded3b3p+3,
     0x1.248f667868005p+1, 0x1.8e7ecd21d5b83p-2, 0x1.6fa41832a8eb1p-4, 0x1.a544ccd1df87bp-6,
     0x1.5a6a0afb4d4dbp-8, 0x1.ef9ca0bbada1ep-11, 0x1.e3584546ef9dcp-13, 0x1.26b7b00d8cbb5p-14,
     0x1.0ce052fbd553cp-16, 0x1.bbb710466b5bdp-19, 0x1.e68a709596e37p-21, 0x1.3a7bc3f7bc8ccp-22,
     0x1.089eeb8146f73p-24, 0x1.de7bdb4addb61p-28, -0x1.0a02a957c0cb1p-32, -0x1.719a70c62f346p-31,
     -0x1.116c1d2236825p-32, -0x1.3e7462fb3aea3p-35, -0x1.ceb912d62ca29p-39,
     0x1.7c0bb2c1ec41cp-44, 0x1.a9ade9d95384ap-44, 0x1.5788643facfb8p-47, 0x1.2b7c4b6d72e23p-50,
     0x1.733c43443eacap-53, 0x1.36246427e57a4p-56, 0x1.c5c8c3c3efa4cp-60, 0x1.021f7c597b871p-62,
     0x1.8c21342e30ac9p-65},
    {-0x1.9249778f8871fp+11, -0x1.b2e8f61373ee5p+8, -0x1.4a647afcb87a6p+6, -0x1.3f9de8e022d03p+4,
     -0x1.adfbc44649674p+1, -0x1.d87ec988ed099p-2, -0x1.6d0e3bb0c6a6ep-4, -0x1.6763c69347a8ap-6,
     -0x1.f0b840f1e09a9p-9, -0x1.1c0618f8087e7p-11, -0x1.caa314123dbfep-14,
     -0x1.da3189f0ba218p-16, -0x1.63b4e0ec66a95p-18, -0x1.ced128eed93e9p-21,
     -0x1.ab8f738f30c5fp-23, -0x1.f04b74ab167ddp-25, -0x1.934858a007000p-27,
     -0x1.b8b13f0dca3bdp-30, -0x1.74c5ad395df87p-33, 0x1.64da078f4ffbdp-36, 0x1.5198ca8a66bcdp-36,
     0x1.f60767ed04a09p-39, 0x1.e415720f4ea8bp-42, 0x1.e1731d3f25697p-46, -0x1.347b60ac504f3p-48,
     -0x1.2eaa1851e079ep-51, -0x1.ca4cf250d3675p-55, -0x1.d36eca167fbf5p-58,
     -0x1.3f7de12b85826p-61, -0x1.6c6a376253b53p-65, -0x1.563c2232784aap-68,
     -0x1.c056869118adfp-71},
    {0x1.284c6a9d05196p+13, 0x1.059b83385e521p+10, 0x1.4fbd65a62c8e8p+7, 0x1.18fffcdcd6fdbp+5,
     0x1.3a6cf667540a9p+2, 0x1.199fd1eddf72ep-1, 0x1.6ecde7bbbe19bp-4, 0x1.37b4d813392dfp-6,
     0x1.64fc7841794c1p-9, 0x1.4ab76d2259830p-12, 0x1.beb919c376eddp-15, 0x1.8afdf12020f11p-17,
     0x1.e30c389698332p-20, 0x1.f16980c656465p-23, 0x1.7ba92e0823ee2p-25, 0x1.7d63d540838bap-27,
     0x1.109682e740784p-29, 0x1.269cc2261b368p-32, 0x1.5352e08983ab7p-35, 0x1.eb8a7502f4389p-39,
     -0x1.26706e182cea7p-40, -0x1.42a64cd4833f0p-42, -0x1.757ae283ee930p-45,
     -0x1.27afec07e836cp-48, 0x1.02a595dc05458p-53, 0x1.e4311a148425ap-56, 0x1.5441bea260067p-59,
     0x1.244c0a0388c89p-62, 0x1.3b3af2a2d7dc3p-66, 0x1.1c70916a6f2dep-70, 0x1.bcc353917d618p-74,
     0x1.f3f3dc1f209d7p-77},
};
LANE double fit_ei_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p-2, 0x1p6, 2);
    double r = fit_ei_table_table[12][p.k];
    r = r * p.t + fit_ei_table_table[11][p.k];
    r = r * p.t + fit_ei_table_table[10][p.k];
    r = r * p.t + fit_ei_table_table[9][p.k];
    r = r * p.t + fit_ei_table_table[8][p.k];
    r = r * p.t + fit_ei_table_table[7][p.k];
    r = r * p.t + fit_ei_table_table[6][p.k];
    r = r * p.t + fit_ei_table_table[5][p.k];
    r = r * p.t + fit_ei_table_table[4][p.k];
    r = r * p.t + fit_ei_table_table[3][p.k];
    r = r * p.t + fit_ei_table_table[2][p.k];
    r = r * p.t + fit_ei_table_table[1][p.k];
    r = r * p.t + fit_ei_table_table[0][p.k];
    return r;
}

/* x e^-x Ei(x) by u = 1 / x, x >= 64: 2^-58.2 */
LANE double fit_ei_tail(double t) {
    double r = 0x1.48fb6ad131007p+23;
    r = r * t + 0x1.1a2fdc1b8d7e2p+15;
    r = r * t + 0x1.76a9ff52ae327p+15;
    r = r * t + 0x1.3453be1442bcap+12;
    r = r * t + 0x1.6878af464e1c6p+9;
    r = r * t + 0x1.dffa8f8a9de55p+6;
    r = r * t + 0x1.8000139502d1ap+4;
    r = r * t + 0x1.7fffffd66f58dp+2;
    r = r * t + 0x1.00000000174fdp+1;
    r = r * t + 0x1.fffffffffff4ep-1;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

LANE_END

#endif
