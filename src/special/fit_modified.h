/* fit_modified.h - the modified Bessel functions I and K of orders 0 and 1.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_MODIFIED_H
#define WEFT_SPECIAL_FIT_MODIFIED_H

#include "lane.h"

LANE_BEGIN

/* I0(x) by z = x^2, x < 1: 2^-55.9 */
LANE double fit_i0(double t) {
    double r = 0x1.577ce313e8736p-39;
    r = r * t + 0x1.02dfb0740ef8ep-31;
    r = r * t + 0x1.2345763a40948p-24;
    r = r * t + 0x1.c71c71ab8cb3cp-18;
    r = r * t + 0x1.c71c71c73884bp-12;
    r = r * t + 0x1.ffffffffffe3fp-7;
    r = r * t + 0x1.0000000000001p-2;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

/* K0(x) without its logarithm and pole by z = x^2, x < 1: 2^-56.5 */
LANE double fit_k0(double t) {
    double r = 0x1.d18d85e88bc46p-38;
    r = r * t + 0x1.4c1f24650b2ffp-30;
    r = r * t + 0x1.5d6b288377c9fp-23;
    r = r * t + 0x1.f474766fbdbeap-17;
    r = r * t + 0x1.bb90e85e13c13p-11;
    r = r * t + 0x1.9dadb01453f6ep-6;
    r = r * t + 0x1.1dadb014541edp-2;
    r = r * t + 0x1.dadb014541eb2p-4;
    return r;
}

/* e^-x sqrt(x) I0(x), 2^0 <= x < 2^5: 2^-53.7 */
static const double fit_i0_table_table[14][20] = {
    {0x1.d951ec79782f2p-2, 0x1.d0f763157a7a7p-2, 0x1.c8deb4cafbfafp-2, 0x1.c1d543bc5ac9fp-2,
     0x1.b97ed658574bdp-2, 0x1.b1c871c73386dp-2, 0x1.acb5aae98c6c1p-2, 0x1.a942e84ad7cf8p-2,
     0x1.a5d7fdfb05ca3p-2, 0x1.a305321dcf5bep-2, 0x1.a133c3442661fp-2, 0x1.9fed8d78b81d4p-2,
     0x1.9e987d2458b45p-2, 0x1.9d6c42af2232dp-2, 0x1.9ca164b500e3fp-2, 0x1.9c0f0c620c341p-2,
     0x1.9b72b66de3991p-2, 0x1.9ae67fbc8a375p-2, 0x1.9a8674df92b67p-2, 0x1.9a408bcc6599ep-2},
    {-0x1.f88e38f894ff8p-6, -0x1.0e5dbecfed1d8p-5, -0x1.e80086344acaap-6, -0x1.9ba2eef6d9a4fp-6,
     -0x1.2f4e5f9bdb8c4p-6, -0x1.8bec07d0a0725p-7, -0x1.083847285e946p-7, -0x1.6f5294f1db47bp-8,
     -0x1.ce1354962a5e8p-9, -0x1.1ad73a035da32p-9, -0x1.7f4eade3832ebp-10, -0x1.15c1da3174dc8p-10,
     -0x1.746ff5256389fp-11, -0x1.e42bff9d98c2ap-12, -0x1.540a0f6f370cbp-12,
     -0x1.f7e48e2d14eb5p-13, -0x1.58efa3e05150dp-13, -0x1.c7fbbd9ee35c9p-14,
     -0x1.43abff8475bd6p-14, -0x1.e334f7d211096p-15},
    {-0x1.e6d059d4452b6p-7, 0x1.86efec490d471p-9, 0x1.1bf0d4acc6163p-7, 0x1.37767d849f0c9p-7,
     0x1.01c6c086754bcp-7, 0x1.4cf753912c3d3p-8, 0x1.97791838204e9p-9, 0x1.f595a19ed2d05p-10,
     0x1.0188a60b1c412p-10, 0x1.e9ae67f16a89fp-12, 0x1.0d478dd955cbdp-12, 0x1.491fa54d36de3p-13,
     0x1.66d839a756e56p-14, 0x1.76a7d548bbeafp-15, 0x1.b83b402e79b0cp-16, 0x1.187de31d20620p-16,
     0x1.3d75f9622382dp-17, 0x1.54fd749b05b05p-18, 0x1.97ba8e22e90cep-19, 0x1.06e5f967356dfp-19},
    {0x1.370f421d36af3p-5, 0x1.b3a3518c51a86p-7, 0x1.b81ec6b038016p-9, -0x1.fd0bb9838e3b8p-12,
     -0x1.fbfed68b77501p-10, -0x1.a97c6ea91ab05p-10, -0x1.0c8934fa7d5b2p-10,
     -0x1.3bffcde2ddc80p-11, -0x1.1c1e3e6211d19p-12, -0x1.b1b123d2f09cap-14,
     -0x1.82f94d128abacp-15, -0x1.8c1255138f557p-16, -0x1.5c98b6c3d0310p-17,
     -0x1.2324da6cda488p-18, -0x1.1db998367ccdfp-19, -0x1.38d6a91b36621p-20,
     -0x1.248343b74d154p-21, -0x1.fe5cbd1ae0431p-23, -0x1.00ef438191e9bp-23,
     -0x1.1e2c55e25f5b5p-24},
    {-0x1.34a79d4c95d81p-5, -0x1.f063cc77164cap-7, -0x1.8b8c46d239188p-8, -0x1.1f8bcdf8a354ep-9,
     -0x1.7ee96c0001d89p-13, 0x1.457cec6e96ffdp-12, 0x1.127369d70dd54p-12, 0x1.558202598384cp-13,
     0x1.25e18b570d0bcp-14, 0x1.80045075e4f3dp-16, 0x1.1b996007f2058p-17, 0x1.e591f36be4f06p-19,
     0x1.56429ba59748dp-20, 0x1.c6cfd3d73e5d0p-22, 0x1.74011ec8d6582p-23, 0x1.5d9d976a14be5p-24,
     0x1.0ddcac57016d6p-25, 0x1.7e3955b6c35e4p-27, 0x1.43fcf280251bep-28, 0x1.37a00ebea9895p-29},
    {0x1.ca71e93a9fbc9p-6, 0x1.6753c407a842bp-7, 0x1.2c0268cc2127bp-8, 0x1.fc61a9fc42360p-10,
     0x1.040d678444edfp-11, 0x1.c8b36d40173b4p-16, -0x1.560e0f2ed01e5p-15, -0x1.2281864598a4bp-15,
     -0x1.0e32be3f2a3cep-16, -0x1.48194520a107ap-18, -0x1.a20a732fce6d6p-20,
     -0x1.2ee58a89cf04ep-21, -0x1.548acc131d829p-23, -0x1.657e0325c08f4p-25,
     -0x1.e60522c0f8f5dp-27, -0x1.8796d15c673a8p-28, -0x1.f29a8d2a1b6a2p-30,
     -0x1.1e7d88a6e30f0p-31, -0x1.98c349f0dde5cp-33, -0x1.53791f0d18676p-34},
    {-0x1.2ea6ede1c3ff8p-6, -0x1.ad198d18bdd03p-8, -0x1.57b0e6e801c47p-9, -0x1.255bd968dc936p-10,
     -0x1.547a5a86d61cfp-12, -0x1.d858efd8ca9f6p-15, -0x1.c2004dfae20cep-19,
     0x1.30b49891f1cfap-18, 0x1.9ffa1b51d4b67p-19, 0x1.046302c52c563p-20, 0x1.2e880cf91429fp-22,
     0x1.7d493625d42bap-24, 0x1.57ef4b4ff91dfp-26, 0x1.1b3a0c11ce9ecp-28, 0x1.3ecac5e19c0dbp-30,
     0x1.b7b46dabf5175p-32, 0x1.cd4b1c13b39d8p-34, 0x1.add721d9c0715p-36, 0x1.0201ced31e8fap-37,
     0x1.71f5aa0457e5ep-39},
    {0x1.8600447bf8d28p-7, 0x1.d891664d1a9dbp-9, 0x1.580b7703496d9p-10, 0x1.174e5a8e5eda1p-11,
     0x1.4219e0eb7eb46p-13, 0x1.04a5d46317957p-15, 0x1.7449e78932074p-18, 0x1.7a39269f1d3c0p-22,
     -0x1.d9460d6ac5ad3p-22, -0x1.71623c06f6c3cp-23, -0x1.a20dc394c1926p-25,
     -0x1.dc783c864960fp-27, -0x1.60120f5f618f0p-29, -0x1.c52bcdd2484a4p-32,
     -0x1.a445ec6de9965p-34, -0x1.ef261b90bed3cp-36, -0x1.ab75f90f00473p-38,
     -0x1.42c181802134cp-40, -0x1.45e60202618a6p-42, -0x1.935abd1705199p-44},
    {-0x1.01edc8d618e30p-7, -0x1.00bc4456c4d2fp-9, -0x1.45aedef1d13c9p-11, -0x1.e2a3d54a0d55ap-13,
     -0x1.032c11581d18ap-14, -0x1.a57ecc8da0ebep-17, -0x1.62ea6f65ef23bp-19,
     -0x1.030da0c398660p-21, 0x1.6dca9403d984cp-26, 0x1.bc62ae7fee594p-26, 0x1.0c069e5792568p-27,
     0x1.216e3bc56de74p-29, 0x1.6afb440e94d2cp-32, 0x1.6ea92a3c72e66p-35, 0x1.16b3ddb1882b6p-37,
     0x1.17b82bd4addc6p-39, 0x1.8cd0469398e41p-42, 0x1.e52d1e4419a5cp-45, 0x1.9bea4a7b4f8b0p-47,
     0x1.b7f536fc97ec9p-49},
    {0x1.641026ee635e3p-8, 0x1.1da6448b35c8bp-10, 0x1.32a89aa4e0fcdp-12, 0x1.9172d3215a264p-14,
     0x1.7e62b816761d6p-16, 0x1.22c7e8a3a198fp-18, 0x1.f58a05d7dd0e8p-21, 0x1.b2882a45dd0b1p-23,
     0x1.c7ba8d359cceep-27, -0x1.8fe336afe541cp-29, -0x1.34f895f29cf21p-30,
     -0x1.4e59d3899be19p-32, -0x1.74a9f0e7e0b6cp-35, -0x1.2c1e4f26bdbb8p-38,
     -0x1.745bc66cafaeap-41, -0x1.3d4732b81085ap-43, -0x1.71153c18040a2p-46,
     -0x1.6d0cbf033988bp-49, -0x1.047da858972f7p-51, -0x1.e01a9ecd9753dp-54},
    {-0x1.ff31437e78d4dp-9, -0x1.4979c08ab8e9dp-11, -0x1.2746b82042cc7p-13,
     -0x1.4e22cd5b26af2p-15, -0x1.0f7006b1fc60ep-17, -0x1.6e369ac39e29fp-20,
     -0x1.2f805416b6103p-22, -0x1.10b9dd6b75a66p-24, -0x1.b200afdb665dcp-28,
     0x1.d4e6b01595fb9p-34, 0x1.30cb255affd42p-33, 0x1.66ee3b60d7db8p-35, 0x1.772c12825ed4dp-38,
     0x1.efb5d51430f6fp-42, 0x1.f5a9fc4ddba4bp-45, 0x1.69855c87471d0p-47, 0x1.57b6e7ee3c88cp-50,
     0x1.12de7c451444ep-53, 0x1.49a1ae107682ep-56, 0x1.060e17b017d97p-58},
    {0x1.7a8318100ab22p-9, 0x1.8935a435e1744p-12, 0x1.25748a719e2d4p-14, 0x1.1c32b7a13159fp-16,
     0x1.7fad809322867p-19, 0x1.b7bf294c92640p-22, 0x1.4ee20777e8338p-24, 0x1.2666d1ec03b10p-26,
     0x1.050ded0672e5bp-29, 0x1.0c00feff629c5p-34, -0x1.c508d91787a7bp-37, -0x1.5c2cb07256d9dp-38,
     -0x1.6d0f94594c241p-41, -0x1.9b5b3c19ca05cp-45, -0x1.553f75113df4ap-48,
     -0x1.9e4f90bf89655p-51, -0x1.4130e9e615dd0p-54, -0x1.9e9a9265128b0p-58,
     -0x1.a18421af679b3p-61, -0x1.1e3ff034f3045p-63},
    {-0x1.287666f5344fcp-9, -0x1.ecc7a6c5f7678p-13, -0x1.3110274b1a408p-15,
     -0x1.f6df6445e4d76p-18, -0x1.1beb70af4de48p-20, -0x1.08d9e974990f6p-23,
     -0x1.634d772c62577p-26, -0x1.250e9f96267cfp-28, -0x1.0d5a4fc6d9175p-31,
     -0x1.b621fb2983a8fp-36, 0x1.5e7c57234da17p-42, 0x1.233d882d9f600p-41, 0x1.5e09d978b8b77p-44,
     0x1.6064ac9cb1b4fp-48, 0x1.e12e1e648f626p-52, 0x1.e70ef40cf549ap-55, 0x1.3c5fc9d8274b0p-58,
     0x1.433bc2ab2a70ap-62, 0x1.0e95fd4dc082bp-65, 0x1.3e0bee9017675p-68},
    {0x1.c938a57905536p-10, 0x1.3471fa1869c8dp-13, 0x1.3ff1b53261069p-16, 0x1.c3b1e31d97983p-19,
     0x1.a1a7d52cf91fcp-22, 0x1.3a704d76e82e4p-25, 0x1.6a838528fade1p-28, 0x1.10546a91fa278p-30,
     0x1.da2da2b85a17fp-34, 0x1.b33ae6cbe558bp-38, 0x1.dece688427be8p-43, -0x1.6b995d52843acp-45,
     -0x1.2b231e569d8e8p-47, -0x1.1e73bdc0e59f1p-51, -0x1.4cbc34eea9465p-55,
     -0x1.1b2df4de0f87cp-58, -0x1.299c090109005p-62, -0x1.e8f80ce89f5adp-67,
     -0x1.574da9a5d8b82p-70, -0x1.5bcb7eb99dd73p-73},
};
LANE double fit_i0_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p5, 2);
    double r = fit_i0_table_table[13][p.k];
    r = r * p.t + fit_i0_table_table[12][p.k];
    r = r * p.t + fit_i0_table_table[11][p.k];
    r = r * p.t + fit_i0_table_table[10][p.k];
    r = r * p.t + fit_i0_table_table[9][p.k];
    r = r * p.t + fit_i0_table_table[8][p.k];
    r = r * p.t + fit_i0_table_table[7][p.k];
    r = r * p.t + fit_i0_table_table[6][p.k];
    r = r * p.t + fit_i0_table_table[5][p.k];
    r = r * p.t + fit_i0_table_table[4][p.k];
    r = r * p.t + fit_i0_table_table[3][p.k];
    r = r * p.t + fit_i0_table_table[2][p.k];
    r = r * p.t + fit_i0_table_table[1][p.k];
    r = r * p.t + fit_i0_table_table[0][p.k];
    return r;
}

/* e^x sqrt(x) K0(x), 2^0 <= x < 2^4: 2^-53.3 */
static const double fit_k0_table_table[13][16] = {
    {0x1.275525e7cab98p+0, 0x1.2afbaa8f71860p+0, 0x1.2db234d1e7349p+0, 0x1.2fcc0b4d1b0cbp+0,
     0x1.323187ae81ae9p+0, 0x1.347ea35be0d04p+0, 0x1.362a2a3ecd988p+0, 0x1.376efc2a56af1p+0,
     0x1.38da9e1bafedcp+0, 0x1.3a30add9cd2eap+0, 0x1.3b2467f5b5125p+0, 0x1.3bdaf84281889p+0,
     0x1.3ca49a74b4b59p+0, 0x1.3d5f8fe5930b1p+0, 0x1.3de32139daf5cp+0, 0x1.3e44c3d0fd70ap+0},
    {0x1.125dbf48e68abp-4, 0x1.8e3088c475b65p-5, 0x1.2f0061b4f4447p-5, 0x1.dd7b204779e7ep-6,
     0x1.5e77f506b15dfp-6, 0x1.ef52e45391d81p-7, 0x1.7118797ad845fp-7, 0x1.1de57b63ecdbcp-7,
     0x1.9b31b6dc8c1cap-8, 0x1.1c9a62fe94c43p-8, 0x1.a17be6b26de98p-9, 0x1.3f5ae02152968p-9,
     0x1.c4ae0994fac3ap-10, 0x1.34e12414f4f41p-10, 0x1.c058d2cf6522ap-11, 0x1.543195ab9cffbp-11},
    {-0x1.80aa1bfeec817p-5, -0x1.d4bd413b99f68p-6, -0x1.3402e42ecad54p-6, -0x1.aba6f649b4ce4p-7,
     -0x1.0ac911c7f7e68p-7, -0x1.3ab7e43cd749fp-8, -0x1.92f571e903768p-9, -0x1.11c8707d37c91p-9,
     -0x1.4cc4f2ab703e8p-10, -0x1.7e1b617e08e4ap-11, -0x1.df212ae233a6ap-12,
     -0x1.40254eb134fc7p-12, -0x1.7d8dd8b66b9fep-13, -0x1.adab17eb12c89p-14,
     -0x1.097da2ca480a5p-14, -0x1.5ecde2c8d9982p-15},
    {0x1.169da6bd2cb07p-5, 0x1.1b58cb97f9807p-6, 0x1.40278393ecca8p-7, 0x1.865a6b4f5527ap-8,
     0x1.9c6d328ec0d10p-9, 0x1.94ba61a03c657p-10, 0x1.bc2bbc50608d6p-11, 0x1.0843dad35bf02p-11,
     0x1.0ef5010523e7cp-12, 0x1.01aebc0fc7ecap-13, 0x1.13ea7cf54c123p-14, 0x1.41d9ba8c500dfp-15,
     0x1.4249225b99eacp-16, 0x1.2b4d05153ae0ep-17, 0x1.3ac895f030f10p-18, 0x1.6a11c36f5d495p-19},
    {-0x1.9e1a631ccc942p-6, -0x1.5df292d21a2fbp-7, -0x1.52dbdf033c68cp-8, -0x1.69eb20186d760p-9,
     -0x1.42e60ab4846d9p-10, -0x1.06e63aeb2b91ap-11, -0x1.edad10e9fa821p-13,
     -0x1.00d929c14fd3cp-13, -0x1.bba7e12f82c2fp-15, -0x1.5cfaaaad412a7p-16,
     -0x1.3ecf3e1780a57p-17, -0x1.446858474436fp-18, -0x1.10c23673fe556p-19,
     -0x1.a19256a71d373p-21, -0x1.75a1d058d5154p-22, -0x1.76038be00c169p-23},
    {0x1.3a190f6d25297p-6, 0x1.b7bfcd672e896p-8, 0x1.6c0b05adff6b7p-9, 0x1.53f391a61db2cp-10,
     0x1.ff1e75a95a15dp-12, 0x1.588a2f71071acp-13, 0x1.145657be87753p-14, 0x1.f65360574a1a2p-16,
     0x1.6cf990f93d9c8p-17, 0x1.da60dc2d3a42dp-19, 0x1.7174df3130cfdp-20, 0x1.47c4cbc37f332p-21,
     0x1.ce872cde71126p-23, 0x1.23adaa52558f0p-24, 0x1.bbef929f16a37p-26, 0x1.82aa20a3e98cep-27},
    {-0x1.e470da80a73e5p-7, -0x1.1841e749fd7edp-8, -0x1.8bfc0c935bac5p-10, -0x1.42d6158669047p-11,
     -0x1.984929b89b5a1p-13, -0x1.c6f60a0b1bfa1p-15, -0x1.375329a754403p-16,
     -0x1.eddb57d2c2b18p-18, -0x1.2d8d07ed3a0c5p-19, -0x1.43811fa2fce7fp-21,
     -0x1.ad4db6ec00fcbp-23, -0x1.4be58ef5a6004p-24, -0x1.88d48ded707ddp-26,
     -0x1.97fe3a0425759p-28, -0x1.07fd46717cbdbp-29, -0x1.900cf87dff383p-31},
    {0x1.7ab2a419779e7p-7, 0x1.697b2b6973e84p-9, 0x1.b34191bd3df4ep-11, 0x1.35740ff929b39p-12,
     0x1.48bfec95a69dep-14, 0x1.2e5fd2b216972p-16, 0x1.60b423417c368p-18, 0x1.e7dc3b0d08a1cp-20,
     0x1.f43e4003473cfp-22, 0x1.ba950dae0c831p-24, 0x1.f41457095fbd9p-26, 0x1.50c37df5a62b5p-27,
     0x1.4e2a556f17bebp-29, 0x1.1daefa02e6784p-31, 0x1.3a4112248957fp-33, 0x1.9e34243672b8fp-35},
    {-0x1.2b683be27ed9fp-7, -0x1.d6ec9024603d6p-10, -0x1.e2b310d1412dap-12,
     -0x1.2b021286b419dp-13, -0x1.0a8ad5d649254p-15, -0x1.9442cc456226ep-18,
     -0x1.9190235575effp-20, -0x1.e400de601eb0cp-22, -0x1.a063432ffcc20p-24,
     -0x1.2f977129f9ffcp-26, -0x1.23ecd0f8d054bp-28, -0x1.56596a914d565p-30,
     -0x1.1cae7b9c174bep-32, -0x1.9086b8fa5c686p-35, -0x1.766a4a9634d63p-37,
     -0x1.ad283e87beecdp-39},
    {0x1.ddc450bff88f4p-8, 0x1.354f795b9e61fp-10, 0x1.0daf49188a24bp-12, 0x1.22e847491e1b0p-14,
     0x1.b29fe84984e65p-17, 0x1.0f919363d05f5p-19, 0x1.cb290a5acf1a6p-22, 0x1.e1ff074c63fe9p-24,
     0x1.5b848cba0597fp-26, 0x1.a1783d01a6f3bp-29, 0x1.55809684daea4p-31, 0x1.5c9dc852fc7a3p-33,
     0x1.e574afe29b73dp-36, 0x1.18fe3b128bdaep-38, 0x1.be67b2a551702p-41, 0x1.bcea3b6099f46p-43},
    {-0x1.807a008fefb0fp-8, -0x1.996376cfc1356p-11, -0x1.2f62453e4eba8p-13,
     -0x1.1cc2b817adc32p-15, -0x1.6468996205684p-18, -0x1.6e9adf483f143p-21,
     -0x1.07941b2dab10ap-23, -0x1.e1b25461d1ac4p-26, -0x1.2307cc149b1a7p-28,
     -0x1.1fc5fc9bb2f75p-31, -0x1.905312bdf452ep-34, -0x1.639aba442d34cp-36,
     -0x1.9eae4c39681e5p-39, -0x1.8ac1dcb27124ap-42, -0x1.0a5ca2d890de6p-44,
     -0x1.cd944f2fb69ffp-47},
    {0x1.428a5a1ba25a5p-8, 0x1.170b13708e729p-11, 0x1.5d0a404394939p-14, 0x1.1bc4ed77645dfp-16,
     0x1.30463719c5909p-19, 0x1.fcebc743d8acdp-23, 0x1.34f2cc0a8545dp-25, 0x1.e9359e972bff7p-28,
     0x1.fb08c01c2179ap-31, 0x1.978955738d875p-34, 0x1.de8bff63c8670p-37, 0x1.702fd6df7f813p-39,
     0x1.7063dec53c220p-42, 0x1.1cb7ecc181540p-45, 0x1.43fbd807637f2p-48, 0x1.e5d17d135a86fp-51},
    {-0x1.0716857882fb3p-8, -0x1.75d8a4b48c930p-12, -0x1.8d0604a10fca3p-15,
     -0x1.189ac65ce81b6p-17, -0x1.f7a3bbfce330ap-21, -0x1.5a3b0727e47fdp-24,
     -0x1.6526698eadcc3p-27, -0x1.ebe283bf025a5p-30, -0x1.aada40bbf1eefp-33,
     -0x1.1a1fcb39d09a1p-36, -0x1.197b20418de26p-39, -0x1.78b181f5f6f61p-42,
     -0x1.3b74cc9c3533ep-45, -0x1.90be260668623p-49, -0x1.8334c4bb73c26p-52,
     -0x1.f89ffb5aa44e7p-55},
};
LANE double fit_k0_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p4, 2);
    double r = fit_k0_table_table[12][p.k];
    r = r * p.t + fit_k0_table_table[11][p.k];
    r = r * p.t + fit_k0_table_table[10][p.k];
    r = r * p.t + fit_k0_table_table[9][p.k];
    r = r * p.t + fit_k0_table_table[8][p.k];
    r = r * p.t + fit_k0_table_table[7][p.k];
    r = r * p.t + fit_k0_table_table[6][p.k];
    r = r * p.t + fit_k0_table_table[5][p.k];
    r = r * p.t + fit_k0_table_table[4][p.k];
    r = r * p.t + fit_k0_table_table[3][p.k];
    r = r * p.t + fit_k0_table_table[2][p.k];
    r = r * p.t + fit_k0_table_table[1][p.k];
    r = r * p.t + fit_k0_table_table[0][p.k];
    return r;
}

/* e^-x sqrt(x) I0(x) by u = 1 / x, x >= 32: 2^-53.8 */
LANE double fit_i0_tail(double t) {
    double r = 0x1.579b7e8015124p+4;
    r = r * t + 0x1.823de62cbc5c9p+0;
    r = r * t + 0x1.739236a09e198p-1;
    r = r * t + 0x1.d2019b6b4b768p-3;
    r = r * t + 0x1.7328e2efa6580p-4;
    r = r * t + 0x1.6e8700e814934p-5;
    r = r * t + 0x1.debb121b9710ap-6;
    r = r * t + 0x1.cb94dda48df33p-6;
    r = r * t + 0x1.9884533d43716p-5;
    r = r * t + 0x1.9884533d43651p-2;
    return r;
}

/* e^x sqrt(x) K0(x) by u = 1 / x, x >= 16: 2^-53.5 */
LANE double fit_k0_tail(double t) {
    double r = 0x1.02b466f869c66p+5;
    r = r * t + -0x1.353d292c10badp+4;
    r = r * t + 0x1.b430b7bdd72e9p+2;
    r = r * t + -0x1.10557233f0584p+1;
    r = r * t + 0x1.6ec2e3a0200c7p-1;
    r = r * t + -0x1.2371915f9840cp-2;
    r = r * t + 0x1.1fdeb36b822e6p-3;
    r = r * t + -0x1.77fe85e9e5b2fp-4;
    r = r * t + 0x1.68f4583e9b2d2p-4;
    r = r * t + -0x1.40d931ff624aep-3;
    r = r * t + 0x1.40d931ff62706p+0;
    return r;
}

/* I1(x) / x by z = x^2, x < 1: 2^-58.1 */
LANE double fit_i1(double t) {
    double r = 0x1.56e49889c94d4p-43;
    r = r * t + 0x1.27dd486d33ca8p-35;
    r = r * t + 0x1.845c9717fe68bp-28;
    r = r * t + 0x1.6c16c15fda7dap-21;
    r = r * t + 0x1.c71c71c728e82p-15;
    r = r * t + 0x1.55555555554f2p-9;
    r = r * t + 0x1.0000000000000p-4;
    r = r * t + 0x1.0000000000000p-1;
    return r;
}

/* K1(x) without its logarithm and pole, / x by z = x^2, x < 1: 2^-54.3 */
LANE double fit_k1(double t) {
    double r = -0x1.db688ccb14b42p-42;
    r = r * t + -0x1.86258b6d14c25p-34;
    r = r * t + -0x1.e212b2db4be01p-27;
    r = r * t + -0x1.a2918212c5226p-20;
    r = r * t + -0x1.d802af7a6fbf5p-14;
    r = r * t + -0x1.303ae729ff27ep-8;
    r = r * t + -0x1.5dadb014541ecp-4;
    r = r * t + -0x1.3b5b6028a83d6p-2;
    return r;
}

/* e^-x sqrt(x) I1(x), 2^0 <= x < 2^5: 2^-53.3 */
static const double fit_i1_table_table[14][20] = {
    {0x1.ced7788456780p-3, 0x1.06178733ad646p-2, 0x1.1dcb611591287p-2, 0x1.30267a344c714p-2,
     0x1.446dc0bcbf107p-2, 0x1.568a7135eaf66p-2, 0x1.627f583d96532p-2, 0x1.6ad20786af57cp-2,
     0x1.735cbb19837b7p-2, 0x1.7ab7c4ece4527p-2, 0x1.7f9cc8072c39bp-2, 0x1.831d4ab89c845p-2,
     0x1.86d5cc6edd86cp-2, 0x1.8a287a78b93ebp-2, 0x1.8c6d8f8ca50d7p-2, 0x1.8e13d3aadfc2ep-2,
     0x1.8fd9be12cbe71p-2, 0x1.91734e8ddbb09p-2, 0x1.928d2e079c891p-2, 0x1.935b0969c77a0p-2},
    {0x1.161747503a948p-3, 0x1.ae45f0b066aedp-4, 0x1.4c8e126c5b183p-4, 0x1.024dd6f981728p-4,
     0x1.67c58f1b6e2fbp-5, 0x1.cf649131dd804p-6, 0x1.3ac93dd90338ep-6, 0x1.c2136fe000b3bp-7,
     0x1.270234b921050p-7, 0x1.77e846d87aab7p-8, 0x1.05311de0267e2p-8, 0x1.80c104911d654p-9,
     0x1.0612acfe8bedap-9, 0x1.59370260888f6p-10, 0x1.e9156d4884a47p-11, 0x1.6c968516c43d6p-11,
     0x1.f65a86b9e7196p-12, 0x1.4dec2231c516fp-12, 0x1.dbe0e5e81a757p-13, 0x1.6433f5c5554fep-13},
    {-0x1.19e7c277f6116p-4, -0x1.bcaa3fbc4a194p-5, -0x1.546b9e501d64ep-5, -0x1.0111083a6fbe6p-5,
     -0x1.4f090a60a4982p-6, -0x1.7f3ff8452ee59p-7, -0x1.c5a8ba40a21d8p-8, -0x1.18f035e462195p-8,
     -0x1.2bc4b895138a9p-9, -0x1.2dbf7589667bfp-10, -0x1.5a41379661e07p-11,
     -0x1.b354a8252be6fp-12, -0x1.e77892ea05870p-13, -0x1.03f482457e27cp-13,
     -0x1.35a1c63839de5p-14, -0x1.8e52ca042bc9dp-15, -0x1.c74e7d3086467p-16,
     -0x1.ed522b755c72cp-17, -0x1.28abab386ea5dp-17, -0x1.80329fbaeee53p-18},
    {0x1.41562ec07b164p-6, 0x1.2f66294189989p-6, 0x1.f4e6db7aeac7cp-7, 0x1.85dbabaa3b882p-7,
     0x1.fcc7bb4b9d890p-8, 0x1.161ad93db0625p-8, 0x1.3039bb334b33ep-9, 0x1.54d83a2fcc1d5p-10,
     0x1.32e14a21bbc2dp-11, 0x1.ed916a92aada6p-13, 0x1.d1c3c7986e881p-14, 0x1.f13ae940e5bf9p-15,
     0x1.c7a5073f671c6p-16, 0x1.888cc54ee3e43p-17, 0x1.88b4ae5ae3c04p-18, 0x1.b3afcb8f3c52ep-19,
     0x1.9cf9426e86dbdp-20, 0x1.6c9324e606556p-21, 0x1.720470026bebbp-22, 0x1.9e7d4e98456d2p-23},
    {0x1.5c25aff62f4a5p-10, -0x1.5f16347074997p-9, -0x1.c90be6459dee3p-9, -0x1.a2fa8f01c8225p-9,
     -0x1.2d3b243cd291bp-9, -0x1.529f4db819279p-10, -0x1.6991e04c459bcp-11,
     -0x1.7f8ae1c97ab94p-12, -0x1.32b40a71b93d5p-13, -0x1.9787e3e85dd7ap-15,
     -0x1.3e2d8cab1b425p-16, -0x1.1f6bdb8711324p-17, -0x1.acb020b1aa3eep-19,
     -0x1.29569df809103p-20, -0x1.f3059a76469b3p-22, -0x1.dd2b5153caae0p-23,
     -0x1.76e113797c4a6p-24, -0x1.0d8ffa545047fp-25, -0x1.cda73a5f9f6bdp-27,
     -0x1.bf47452a874d5p-28},
    {-0x1.6efe9ca9d6ea6p-8, -0x1.895a50634753ep-10, -0x1.86c24ea77d7e9p-15, 0x1.b22821d00892cp-12,
     0x1.f7660b0f77a41p-12, 0x1.4be45dc8fe4d6p-12, 0x1.6fcbffe30efd5p-13, 0x1.81f520225f93cp-14,
     0x1.2108367091741p-15, 0x1.4d0c0bfc70c19p-17, 0x1.b74c41b479f92p-19, 0x1.50bba8045940ap-20,
     0x1.96bd940921e9bp-22, 0x1.c43800d8a324ep-24, 0x1.3dc3295446ceap-25, 0x1.05ad4b0f5be5fp-26,
     0x1.5498e3a764ad8p-28, 0x1.8ed561442afa3p-30, 0x1.2017f1c8c6c45p-31, 0x1.e2c8a375d907cp-33},
    {0x1.1f1ef90346bc6p-8, 0x1.9aa9413851155p-10, 0x1.18d054e937bc4p-11, 0x1.278a68243dc9bp-13,
     -0x1.2fd43466f7e45p-15, -0x1.daf9b81846833p-15, -0x1.33e3b5d854626p-15,
     -0x1.515acb95a38d6p-16, -0x1.f2df2028ecb7ap-18, -0x1.06be47f00de0ap-19,
     -0x1.2e9a943c1c453p-21, -0x1.8ebc023e8bb90p-23, -0x1.85df1c088d101p-25,
     -0x1.59983bf155a17p-27, -0x1.95bd19edfc5a2p-29, -0x1.1f7862c0f2814p-30,
     -0x1.35bf1340ab730p-32, -0x1.273722063c3c8p-34, -0x1.67b3c649950f4p-36,
     -0x1.049f759ff5f9cp-37},
    {-0x1.56f92ab292f4fp-9, -0x1.e354fb42748d1p-11, -0x1.6faabfeb79249p-12,
     -0x1.1823093a21095p-13, -0x1.a7ad23750c705p-16, 0x1.158507ff6b6f8p-18, 0x1.81dabeb83705cp-18,
     0x1.ed51cd0133737p-19, 0x1.80d2d96633854p-20, 0x1.86c602928afd2p-22, 0x1.9894b4c061f41p-24,
     0x1.d965111bd43a8p-26, 0x1.79bad3c75b09ep-28, 0x1.09c26b9bdd337p-30, 0x1.03d92d131e9e5p-32,
     0x1.3c641ade689aap-34, 0x1.19fc505f4c1d4p-36, 0x1.b54c814b859ccp-39, 0x1.c1496ebca7571p-41,
     0x1.1976ca8435e75p-42},
    {0x1.7db59e245dda6p-10, 0x1.df037ba2064d7p-12, 0x1.5ec8bc808e2d1p-13, 0x1.1527dbb9c21b5p-14,
     0x1.1ab45a002c99bp-16, 0x1.089bfa88ad297p-19, -0x1.aeb23d716d3dfp-22, -0x1.133d9477211dep-21,
     -0x1.0218ce2469933p-22, -0x1.0c659e88c5f8ep-24, -0x1.0938253681498p-26,
     -0x1.162d7a58fa543p-28, -0x1.712171b92a1fcp-31, -0x1.9bd6b8a8c735fp-34,
     -0x1.4e1bb2591f8f6p-36, -0x1.5cf7f3a74e1a3p-38, -0x1.01031834a676ap-40,
     -0x1.4417d4aa0d88bp-43, -0x1.18b550b60b27fp-45, -0x1.300f62206448bp-47},
    {-0x1.b076f25ea6e79p-11, -0x1.c5add8083c1c1p-13, -0x1.2a3f6ba57458fp-14,
     -0x1.c02885b757fedp-16, -0x1.d45f283b0637ap-18, -0x1.43118c6b29090p-20,
     -0x1.2bc5d0574e3c7p-23, 0x1.24116d324da8ap-25, 0x1.1d8bd753b1ea8p-25, 0x1.4e043df1ed7dbp-27,
     0x1.4553535bce31bp-29, 0x1.3ec720ce13892p-31, 0x1.69c820a62bf88p-34, 0x1.41d4390722e1fp-37,
     0x1.af9eb24107034p-40, 0x1.81df71c33e87cp-42, 0x1.d51994c4421dep-45, 0x1.e0b8778b65b51p-48,
     0x1.5eeb64d6a3e14p-50, 0x1.4891e973d2800p-52},
    {0x1.0288ac52dedf0p-11, 0x1.b5ca341fe7344p-14, 0x1.ed54c16bd9155p-16, 0x1.4ecf45cc6e514p-17,
     0x1.45e95886b93f2p-19, 0x1.d966380ddc85cp-22, 0x1.53f50e193e72cp-24, 0x1.360945e5efb59p-27,
     -0x1.b8429e49f0390p-29, -0x1.6f2bf1d8fab02p-30, -0x1.73208a2c7b5c5p-32,
     -0x1.5ee72d892fe76p-34, -0x1.6026ec3fed3bdp-37, -0x1.faee4f63624c8p-41,
     -0x1.1854ca096927dp-43, -0x1.abeb581d2dab8p-46, -0x1.ac5826e81d77fp-49,
     -0x1.64a8420d366afp-52, -0x1.b6d0dfd97fd4ap-55, -0x1.6321ec7821448p-57},
    {-0x1.476deddc1a772p-12, -0x1.ba7261d05ebf3p-15, -0x1.a059079385440p-17,
     -0x1.ece728771e34dp-19, -0x1.a4c8dfe8427cfp-21, -0x1.20110dad4a8c2p-23,
     -0x1.c083ecf529462p-26, -0x1.4a7dd5324bc11p-28, -0x1.15e07d2009edcp-37,
     0x1.52f8680b30b96p-33, 0x1.83475bd682ef0p-35, 0x1.6e0b689aa4620p-37, 0x1.515267bcbab34p-40,
     0x1.91ebc504f8646p-44, 0x1.6ea7c48fc462bp-47, 0x1.dc562cbb20998p-50, 0x1.881c15c9ef8bap-53,
     0x1.08ecebdb86fefp-56, 0x1.128cfd2f8ec2cp-59, 0x1.8002a18d4945fp-62},
    {0x1.be84d250b0b16p-13, 0x1.dde9c3b6211d7p-16, 0x1.726a41e088e90p-18, 0x1.75e9be500fb2cp-20,
     0x1.106470562e882p-22, 0x1.45fa3fe7bb41ap-25, 0x1.edc45a3683828p-28, 0x1.925859186a142p-30,
     0x1.e465ee978cb0ap-34, -0x1.b8d39fd313a11p-37, -0x1.6b2b58e682fc4p-38,
     -0x1.68aeb3d3925eep-40, -0x1.479755d6b77aap-43, -0x1.4a5b042a5162cp-47,
     -0x1.eef5afeac5e9ep-51, -0x1.0efe40342204cp-53, -0x1.791767bf3f581p-57,
     -0x1.963de45eeeea9p-61, -0x1.5f4672841dfa2p-64, -0x1.a624ba712940fp-67},
    {-0x1.3377f107edf23p-13, -0x1.0892151283becp-16, -0x1.541dc32c79c93p-19,
     -0x1.23e75ed569de7p-21, -0x1.5d57265909226p-24, -0x1.5e171acf718d4p-27,
     -0x1.e6b2e9a613cdcp-30, -0x1.8baf040a5a34ap-32, -0x1.33a89ea60bd79p-35,
     0x1.f90886b01594bp-47, 0x1.1e542e23b28dfp-41, 0x1.4370e440cb969p-43, 0x1.23ea01174b0fep-46,
     0x1.04dbd16691305p-50, 0x1.483fc050f9863p-54, 0x1.309fc7cd80babp-57, 0x1.5ab17272366d2p-61,
     0x1.2e56e5f43407bp-65, 0x1.b80d4a81c2c84p-69, 0x1.c8ce7fe08d7f7p-72},
};
LANE double fit_i1_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p5, 2);
    double r = fit_i1_table_table[13][p.k];
    r = r * p.t + fit_i1_table_table[12][p.k];
    r = r * p.t + fit_i1_table_table[11][p.k];
    r = r * p.t + fit_i1_table_table[10][p.k];
    r = r * p.t + fit_i1_table_table[9][p.k];
    r = r * p.t + fit_i1_table_table[8][p.k];
    r = r * p.t + fit_i1_table_table[7][p.k];
    r = r * p.t + fit_i1_table_table[6][p.k];
    r = r * p.t + fit_i1_table_table[5][p.k];
    r = r * p.t + fit_i1_table_table[4][p.k];
    r = r * p.t + fit_i1_table_table[3][p.k];
    r = r * p.t + fit_i1_table_table[2][p.k];
    r = r * p.t + fit_i1_table_table[1][p.k];
    r = r * p.t + fit_i1_table_table[0][p.k];
    return r;
}

/* e^x sqrt(x) K1(x), 2^0 <= x < 2^4: 2^-53.5 */
static const double fit_k1_table_table[14][16] = {
    {0x1.997193af966a6p+0, 0x1.8b42c166314eep+0, 0x1.810e90c9c1ca0p+0, 0x1.79595502af066p+0,
     0x1.70c2a98f6748cp+0, 0x1.68b7040105755p+0, 0x1.62ffb106bc759p+0, 0x1.5eb974f4efb98p+0,
     0x1.5a02618458b4fp+0, 0x1.55a42344c9fb4p+0, 0x1.52918a9f1b042p+0, 0x1.5049e3e7f0f97p+0,
     0x1.4dcaccdc59810p+0, 0x1.4b7f69c9e5f14p+0, 0x1.49e50d8e09750p+0, 0x1.48b622031d3c8p+0},
    {-0x1.0f74a4c3a3c0dp-2, -0x1.7ba0c1b91ccd3p-3, -0x1.18f235e308599p-3, -0x1.b13113a122a31p-4,
     -0x1.3613cb0bf926cp-4, -0x1.aba85fbe73d97p-5, -0x1.38fedd4ab0793p-5, -0x1.de3b08b710607p-6,
     -0x1.5291db4a0c1e6p-6, -0x1.cdbb41ff2522fp-7, -0x1.4f07b16b9aeefp-7, -0x1.fc67d06d6c8d7p-8,
     -0x1.6511dd7c9f53dp-8, -0x1.e32749b4ec7e3p-9, -0x1.5c8ad8b76ceb9p-9, -0x1.0745e039d2b51p-9},
    {0x1.ab9f30fc7bcecp-3, 0x1.ef20173586d76p-4, 0x1.3907a831cf02ap-4, 0x1.a5a264b93c846p-5,
     0x1.fbe35ff33463ep-6, 0x1.216ec5d062be8p-6, 0x1.694446c970aa7p-7, 0x1.e15b3fd4cdadfp-8,
     0x1.1e0fb67aa36ebp-8, 0x1.4181dc195a680p-9, 0x1.8ced3f3589a06p-10, 0x1.061bba3c3ff62p-10,
     0x1.344942314c7bdp-11, 0x1.56e01972d2541p-12, 0x1.a3fd131232032p-13, 0x1.13a3ccc3f6a19p-13},
    {-0x1.57ab9dd2b99c1p-3, -0x1.484cce6d9ed78p-4, -0x1.61b563bb88d8fp-5, -0x1.9f5aa602923d3p-6,
     -0x1.a408d221e71efp-7, -0x1.8ac9bbc630718p-8, -0x1.a39439d91b6d3p-9, -0x1.e6ff0277396e8p-10,
     -0x1.e5530d1220c08p-11, -0x1.c112b42ebb728p-12, -0x1.d759a0189a9aap-13,
     -0x1.0ec2fe4f3a647p-13, -0x1.0a89618aae592p-14, -0x1.e722ac8df47d6p-16,
     -0x1.fa75b6493bd77p-17, -0x1.20c1b34d1e064p-17},
    {0x1.185d8c6d62b21p-3, 0x1.b8ed2011e6aa6p-5, 0x1.94104002053f5p-6, 0x1.9d15a66a382d0p-7,
     0x1.5e22fb89390b3p-8, 0x1.0ef6354f745dcp-9, 0x1.e9db19639f500p-11, 0x1.eedd9280f290fp-12,
     0x1.9d1f65bc62e41p-13, 0x1.3a744fae38e11p-14, 0x1.18720db2b9be7p-15, 0x1.182bcabbd8629p-16,
     0x1.cd77d4151107dp-18, 0x1.5a5d8250c7357p-19, 0x1.3194f47bc3bd9p-20, 0x1.2eaa2e02c30eap-21},
    {-0x1.ceb1702eb7348p-4, -0x1.2b0941cdd1b5dp-5, -0x1.d19a9165cb41cp-7, -0x1.9dfdadf781b8cp-8,
     -0x1.25c540f96ae3dp-9, -0x1.75edbe01ba083p-11, -0x1.1f395759041b8p-12,
     -0x1.f8c3255ada716p-14, -0x1.60ba8cfa17027p-15, -0x1.b969b06f31058p-17,
     -0x1.4e58456aaf08dp-18, -0x1.2259ae797359dp-19, -0x1.8ff2bf0ee9fdep-21,
     -0x1.ecf8cb77f5312p-23, -0x1.710001accd99cp-24, -0x1.3d688c9188164p-25},
    {0x1.8136f3a901871p-4, 0x1.98d03d347765cp-6, 0x1.0e243218e0022p-7, 0x1.a18289cf629c5p-9,
     0x1.ef9f413b56f75p-11, 0x1.032c586b1ddedp-12, 0x1.521bd07b5d8bep-14, 0x1.0245af556d2fap-15,
     0x1.2df7978635ddbp-17, 0x1.36769f6b80e7dp-19, 0x1.8f46b675abda2p-21, 0x1.2d518a8e0d1f6p-22,
     0x1.5b00d858bb80ap-24, 0x1.5f18f71b92e02p-26, 0x1.bddb0d1619ca6p-28, 0x1.4d08dd79c5fa2p-29},
    {-0x1.42ffe5e0b9817p-4, -0x1.193ae9a8512b4p-6, -0x1.3b4614799ab07p-8, -0x1.a7414ccd96e89p-10,
     -0x1.a3fbed0d84181p-12, -0x1.68a6b5f3448e1p-14, -0x1.8f52072b2538dp-16,
     -0x1.090ebffa67038p-17, -0x1.031f0532177d8p-19, -0x1.b58af2f90a778p-22,
     -0x1.dd8c3def8a8b0p-24, -0x1.391975bd18b25p-25, -0x1.2d5df5f76a3eap-27,
     -0x1.f47b55aa2ac1fp-30, -0x1.0d843e678cb01p-31, -0x1.5d97f83fad955p-33},
    {0x1.1067d58b880efp-4, 0x1.84f60a908b44bp-7, 0x1.71b541198c82ap-9, 0x1.aef57f346213fp-11,
     0x1.65443e46fe88cp-13, 0x1.f78676fece68ap-16, 0x1.d8f82d80c75e3p-18, 0x1.10b4e234028a7p-19,
     0x1.bda570f3a5bbfp-22, 0x1.34d76ed3e0a58p-24, 0x1.1dfad81c263f0p-26, 0x1.45b8ad9f983ddp-28,
     0x1.05f9c3056c0e1p-30, 0x1.64f697288a19dp-33, 0x1.46056819076f0p-35, 0x1.6f238ed06e9b7p-37},
    {-0x1.cdac9b6d8cea0p-5, -0x1.0e2926a834e01p-7, -0x1.b34a2ca487313p-10, -0x1.b86fa8f768e8cp-12,
     -0x1.30ebfe368731cp-14, -0x1.6082ca16ac636p-17, -0x1.18cea76bb4a09p-19,
     -0x1.1933abc167785p-21, -0x1.7ff02528f07a7p-24, -0x1.b4a951b25373ep-27,
     -0x1.56f44dab63e7ap-29, -0x1.533772fec8056p-31, -0x1.c7da8eed371d8p-34,
     -0x1.fd88a100f270dp-37, -0x1.8a93920134096p-39, -0x1.81ba1fe05a897p-41},
    {0x1.8889a8b5fe9d0p-5, 0x1.789313456adb0p-8, 0x1.01186fb3255c0p-10, 0x1.c385a8610f3b8p-13,
     0x1.04d1c56fe6262p-15, 0x1.eeabfda953840p-19, 0x1.4e20f2b9f45d3p-21, 0x1.228329fa0f9b5p-23,
     0x1.4b1b05ae9b1bbp-26, 0x1.35068e92c9f31p-29, 0x1.9bb1cbdf38b34p-32, 0x1.6197174eb6330p-34,
     0x1.8ca43dde71c36p-37, 0x1.6bc434036d171p-40, 0x1.ddb461ec97b92p-43, 0x1.9561af1d667e4p-45},
    {-0x1.4f1d2f8637c06p-5, -0x1.075ccc9d7a185p-8, -0x1.30a4635735745p-11, -0x1.d0353c7080ae2p-14,
     -0x1.bf9c73f38f017p-17, -0x1.5bf4e383a4ef9p-20, -0x1.8e6c602a410c9p-23,
     -0x1.2cb0bca9cc930p-25, -0x1.1e2ce08600ffap-28, -0x1.b6159297e085dp-32,
     -0x1.eed1efbb7e92fp-35, -0x1.70f1a99f983fap-37, -0x1.599f2e43c8c86p-40,
     -0x1.03eec51dedb62p-43, -0x1.215aa661a6c7ap-46, -0x1.aa3d22cd2f287p-49},
    {0x1.2b02ad70e6f94p-5, 0x1.7bab2a8083728p-9, 0x1.7114ceeaed89dp-12, 0x1.e57fedfe67966p-15,
     0x1.9143c02c770b4p-18, 0x1.f83f71be83682p-22, 0x1.e5725072b4514p-25, 0x1.3c64347896ad9p-27,
     0x1.024ea496a2d93p-30, 0x1.3fb6fb1380c68p-34, 0x1.2faf519e03bf8p-37, 0x1.872360da88d7ap-40,
     0x1.3a7a075c63d5dp-43, 0x1.7e621e3183ee4p-47, 0x1.65e2630172d8cp-50, 0x1.c73986c268151p-53},
    {-0x1.00b712f3e1305p-5, -0x1.0aec740a90ea2p-9, -0x1.b77d138bd3a53p-13, -0x1.f57124fa7eaafp-16,
     -0x1.59ce75d46d33ap-19, -0x1.640c64741845ap-23, -0x1.226b5229b6df4p-26,
     -0x1.487c6ed6e684fp-29, -0x1.bfbc4eec6b157p-33, -0x1.c6459b527f44cp-37,
     -0x1.6db5686dae762p-40, -0x1.98cd654d0d6c3p-43, -0x1.1268a35f31636p-46,
     -0x1.11886ef9dc9abp-50, -0x1.b1eecb972ae92p-54, -0x1.defd9ac5d2b4fp-57},
};
LANE double fit_k1_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p4, 2);
    double r = fit_k1_table_table[13][p.k];
    r = r * p.t + fit_k1_table_table[12][p.k];
    r = r * p.t + fit_k1_table_table[11][p.k];
    r = r * p.t + fit_k1_table_table[10][p.k];
    r = r * p.t + fit_k1_table_table[9][p.k];
    r = r * p.t + fit_k1_table_table[8][p.k];
    r = r * p.t + fit_k1_table_table[7][p.k];
    r = r * p.t + fit_k1_table_table[6][p.k];
    r = r * p.t + fit_k1_table_table[5][p.k];
    r = r * p.t + fit_k1_table_table[4][p.k];
    r = r * p.t + fit_k1_table_table[3][p.k];
    r = r * p.t + fit_k1_table_table[2][p.k];
    r = r * p.t + fit_k1_table_table[1][p.k];
    r = r * p.t + fit_k1_table_table[0][p.k];
    return r;
}

/* e^-x sqrt(x) I1(x) by u = 1 / x, x >= 32: 2^-53.8 */
LANE double fit_i1_tail(double t) {
    double r = -0x1.7c98aa60b5e47p+4;
    r = r * t + -0x1.be0699cb1a2b4p+0;
    r = r * t + -0x1.abade8af8f569p-1;
    r = r * t + -0x1.13710a9246cbcp-2;
    r = r * t + -0x1.c5a2253132576p-4;
    r = r * t + -0x1.d73fe74bdbefdp-5;
    r = r * t + -0x1.4f1c8c97132e6p-5;
    r = r * t + -0x1.7efc0e093bbbcp-5;
    r = r * t + -0x1.32633e6df28f3p-3;
    r = r * t + 0x1.9884533d43651p-2;
    return r;
}

/* e^x sqrt(x) K1(x) by u = 1 / x, x >= 16: 2^-53.6 */
LANE double fit_k1_tail(double t) {
    double r = -0x1.21a5faf811959p+5;
    r = r * t + 0x1.5c1870ac61cd5p+4;
    r = r * t + -0x1.efc4f3c57df02p+2;
    r = r * t + 0x1.3a75e1eb7f72ap+1;
    r = r * t + -0x1.b17da83c46d97p-1;
    r = r * t + 0x1.6436377b06365p-2;
    r = r * t + -0x1.721e5c29c708dp-3;
    r = r * t + 0x1.07322aa373d41p-3;
    r = r * t + -0x1.2ccb9edf08ceap-3;
    r = r * t + 0x1.e145caff1393cp-2;
    r = r * t + 0x1.40d931ff62706p+0;
    return r;
}

LANE_END

#endif
