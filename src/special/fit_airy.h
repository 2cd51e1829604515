/* fit_airy.h - Airy functions.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_AIRY_H
#define WEFT_SPECIAL_FIT_AIRY_H

#include "lane.h"

LANE_BEGIN

/* 1 / sqrt(pi) */
#define FIT_PER_SQRT_PI 0x1.20dd750429b6dp-1

/* ai(x), |x| < 1: 2^-54.2 */
LANE double fit_ai(double t) {
    double r = 0x1.c4ccd5dae7569p-39;
    r = r * t + -0x1.1bc55f8ef65cdp-39;
    r = r * t + -0x1.4f0ff09f6599ep-33;
    r = r * t + 0x1.10bca63a179e7p-30;
    r = r * t + -0x1.64c85eb41bc2cp-45;
    r = r * t + -0x1.3a397d1fafa2ap-25;
    r = r * t + 0x1.bdab96ad25261p-23;
    r = r * t + 0x1.87c2435672604p-39;
    r = r * t + -0x1.7eea88491ea0bp-18;
    r = r * t + 0x1.cb98ee3880ae0p-16;
    r = r * t + 0x1.7a524a1c70d45p-49;
    r = r * t + -0x1.0d3ce7c865f79p-11;
    r = r * t + 0x1.028606ac672d9p-9;
    r = r * t + -0x1.1a5b10b63a85bp-45;
    r = r * t + -0x1.615ff039ebf5ep-6;
    r = r * t + 0x1.e4bb4c8341df6p-5;
    r = r * t + -0x1.7879a92c0f665p-62;
    r = r * t + -0x1.0907f42b70f8bp-2;
    r = r * t + 0x1.6b8c7962715b8p-2;
    return r;
}

/* ai(x) without its exponential and power, x > 0, 2^0 <= x < 2^4: 2^-53.2 */
static const double fit_ai_up_table[13][16] = {
    {0x1.1013f6ad6e362p-2, 0x1.136fc5a08a30ap-2, 0x1.15d06d8b2953cp-2, 0x1.1791f329480dbp-2,
     0x1.19771d994390bp-2, 0x1.1b2888a7a3017p-2, 0x1.1c4bf65a96e2dp-2, 0x1.1d1ab0320c20ep-2,
     0x1.1df16993c28b5p-2, 0x1.1ea99c94f2fa0p-2, 0x1.1f21490d0bf7bp-2, 0x1.1f7414469aac2p-2,
     0x1.1fc8303d73c61p-2, 0x1.200ec5e5ed102p-2, 0x1.203bd6e31d73ep-2, 0x1.205aa5731fb05p-2},
    {0x1.0249fc1c5a344p-6, 0x1.650a94990e2f5p-7, 0x1.02f58017a3b42p-7, 0x1.859d249435977p-8,
     0x1.0bd711f10192bp-8, 0x1.5d8361aabfbe5p-9, 0x1.e4cbb82f92919p-10, 0x1.5ff0de58e48dap-10,
     0x1.d052917bc125bp-11, 0x1.2322a2baa6796p-11, 0x1.88714566fd65fp-12, 0x1.16e47e7edc82bp-12,
     0x1.6788b78ae8f1fp-13, 0x1.b99965aa086dcp-14, 0x1.257f17315bc00p-14, 0x1.9d076895dc133p-15},
    {-0x1.9c2aca7600a61p-7, -0x1.e9af791bd0a15p-8, -0x1.382ddf3425699p-8, -0x1.a38b7c2a21daep-9,
     -0x1.f1d7b24b022ffp-10, -0x1.12f1e8390efe1p-10, -0x1.4ab69bf14ee34p-11,
     -0x1.a7e1253611d64p-12, -0x1.db83fd490f78dp-13, -0x1.f0e07bc0d73d8p-14,
     -0x1.1ee7e461acd88p-14, -0x1.648fbebe5d41ap-15, -0x1.829e44a40d444p-16,
     -0x1.87a574739a494p-17, -0x1.bace92099ea8bp-18, -0x1.0f02bf7499f44p-18},
    {0x1.365b3266a1f9dp-7, 0x1.3a8acc76e0e39p-8, 0x1.5ee9c9a2ec4b3p-9, 0x1.a4134737093fdp-10,
     0x1.ad3496ef855fbp-11, 0x1.90c1fd5d36d39p-12, 0x1.a1e4dda1dabbdp-13, 0x1.d8e5f411eb069p-14,
     0x1.c3552178acedcp-15, 0x1.894edeb09e0c0p-16, 0x1.8570859b196d6p-17, 0x1.a77bc8fc19626p-18,
     0x1.82884bea1df4dp-19, 0x1.4332a89dfbf88p-20, 0x1.36fe7971bb073p-21, 0x1.4b40d76e5cbcep-22},
    {-0x1.cb7049996cca5p-8, -0x1.8a09d6f0db11dp-9, -0x1.7ea37064593c4p-10, -0x1.9693e14d5b57dp-11,
     -0x1.6482f20cb4584p-12, -0x1.18bf1f8368285p-13, -0x1.fb07cabd0edd6p-15,
     -0x1.fa589c7b35da3p-16, -0x1.9b162f677c77fp-17, -0x1.2ad8002af9800p-18,
     -0x1.fba28a5a5f527p-20, -0x1.e33576ce1fbb9p-21, -0x1.737a14a5684f6p-22,
     -0x1.00887d1d2e0a8p-23, -0x1.a45a245da3692p-25, -0x1.85bd0af69b0fep-26},
    {0x1.5430fe1d10496p-8, 0x1.ea1c628c75fa9p-10, 0x1.9c1a035f62a32p-11, 0x1.833d16da72d24p-12,
     0x1.225415d1cc593p-13, 0x1.80882193a6938p-15, 0x1.2c391126cef88p-16, 0x1.085c8abfda03bp-17,
     0x1.6cf12a58963a7p-19, 0x1.ba914aa40f14ep-21, 0x1.427820498e5afp-22, 0x1.0cc1ae7685907p-23,
     0x1.5c2c2429c4ea9p-25, 0x1.8d552a638a387p-27, 0x1.1544cb919ff91p-28, 0x1.bfac4a33c32fep-30},
    {-0x1.fc008480d58e8p-9, -0x1.316009ae799c7p-10, -0x1.ba8c527775a7bp-12,
     -0x1.6e7223fd4efe2p-13, -0x1.d40f3ae2686bfp-15, -0x1.03da91fddf3e3p-16,
     -0x1.5e2db3fb87f98p-18, -0x1.0f9555fdd6ee4p-19, -0x1.3e75aa20fdf19p-21,
     -0x1.41fb3e7025e80p-23, -0x1.928097bc946bfp-25, -0x1.25bcf6c4494c6p-26,
     -0x1.40b2cca7f6e38p-28, -0x1.2e7ce8ce60588p-30, -0x1.67ac484e4be04p-32,
     -0x1.f9bf3e9bc0c90p-34},
    {0x1.7fb729b35183bp-9, 0x1.7efab69769bb0p-11, 0x1.dc54eb96e1305p-13, 0x1.5a7339bde0085p-14,
     0x1.779c75ad367b4p-16, 0x1.5c899ba6144f2p-18, 0x1.948cac0dba52dp-20, 0x1.13fe2cb51f68dp-21,
     0x1.12997713f5953p-23, 0x1.cea11da842761p-26, 0x1.effadafbab55cp-28, 0x1.3ced01adaa917p-29,
     0x1.23a1b21a6ed29p-31, 0x1.c6caa4156d81cp-34, 0x1.cccf7d974f79fp-36, 0x1.1a33aba1e7908p-37},
    {-0x1.2574acf9d7b90p-9, -0x1.e45d0d8addfa1p-12, -0x1.01a5c50f40825p-13,
     -0x1.484ca65182304p-15, -0x1.2d256f4c8bc57p-17, -0x1.d1aa12ba21749p-20,
     -0x1.d09de1b31252ep-22, -0x1.1674c1847fd64p-23, -0x1.d592ef0e26149p-26,
     -0x1.49490c07af4c3p-28, -0x1.2ea5854e2fc77p-30, -0x1.529bf5a922be2p-32,
     -0x1.069b54d2e1a05p-34, -0x1.529613d30ae0fp-37, -0x1.246227352be57p-39,
     -0x1.37fa154707b9ap-41},
    {0x1.c619bf9994134p-10, 0x1.35062270779b4p-12, 0x1.187ce1fca7549p-14, 0x1.385d8bec91e53p-16,
     0x1.e34f2f8b64082p-19, 0x1.3690e00c920c3p-21, 0x1.09e10b9a33085p-23, 0x1.179bb89ec81c8p-25,
     0x1.8ee3385dd9a58p-28, 0x1.d1656fc71961ap-31, 0x1.6e9395096410fp-33, 0x1.66ffff775a4b6p-35,
     0x1.d50136197520ap-38, 0x1.f42265e06fc7bp-41, 0x1.702ab3bc436a1p-43, 0x1.5649793e4d4dep-45},
    {-0x1.63672f6503ba4p-10, -0x1.8ded849cf86cap-13, -0x1.337f0f399494bp-15,
     -0x1.2ab9b53850a73p-17, -0x1.850a0a7ba2cc5p-20, -0x1.9e6d22374c5f2p-23,
     -0x1.2fdaad432f4ebp-25, -0x1.17f9aec86cf6ap-27, -0x1.51997d58de6f9p-30,
     -0x1.474159d719000p-33, -0x1.b98597262a078p-36, -0x1.7a5b6cf286fabp-38,
     -0x1.a07b1c336b72fp-41, -0x1.6f301853854f6p-44, -0x1.cccd0877f18b3p-47,
     -0x1.7548e44ea29d7p-49},
    {0x1.226972652e08ep-10, 0x1.082a540bda583p-13, 0x1.58e1d3a6cf45bp-16, 0x1.22b4fd4973208p-18,
     0x1.452682b602b07p-21, 0x1.1b576f7eec5d9p-24, 0x1.61014946bc802p-27, 0x1.1b7ff72e2e12ep-29,
     0x1.278d06ab1876bp-32, 0x1.d60ee5f5ff598p-36, 0x1.0d92bf7725dacp-38, 0x1.92652e4bc525ap-41,
     0x1.7ef73f3ab73f2p-44, 0x1.139158a1ee703p-47, 0x1.2494aef2a5f1bp-50, 0x1.9b17b03522a1fp-53},
    {-0x1.cf779cade3efcp-11, -0x1.59d4ceeadd898p-14, -0x1.7f503ab485228p-17,
     -0x1.191966410cc48p-19, -0x1.07bb3f7a71451p-22, -0x1.7b6a39e8036c9p-26,
     -0x1.938a50a3e0012p-29, -0x1.1b44191c453c2p-31, -0x1.f1e86ce4d9ccfp-35,
     -0x1.484349c549c6dp-38, -0x1.4210c74402e5cp-41, -0x1.a461187072364p-44,
     -0x1.50dd41528e3b2p-47, -0x1.90bfa87d2fbd5p-51, -0x1.6ab327edc892fp-54,
     -0x1.bc171ab59f7abp-57},
};
LANE double fit_ai_up(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p4, 2);
    double r = fit_ai_up_table[12][p.k];
    r = r * p.t + fit_ai_up_table[11][p.k];
    r = r * p.t + fit_ai_up_table[10][p.k];
    r = r * p.t + fit_ai_up_table[9][p.k];
    r = r * p.t + fit_ai_up_table[8][p.k];
    r = r * p.t + fit_ai_up_table[7][p.k];
    r = r * p.t + fit_ai_up_table[6][p.k];
    r = r * p.t + fit_ai_up_table[5][p.k];
    r = r * p.t + fit_ai_up_table[4][p.k];
    r = r * p.t + fit_ai_up_table[3][p.k];
    r = r * p.t + fit_ai_up_table[2][p.k];
    r = r * p.t + fit_ai_up_table[1][p.k];
    r = r * p.t + fit_ai_up_table[0][p.k];
    return r;
}

/* the same by u = 1 / zeta, zeta = 2/3 x^(3/2), x >= 16: 2^-56.5 */
LANE double fit_ai_tail(double t) {
    double r = -0x1.72e120bdbcce6p-3;
    r = r * t + 0x1.4735ce851b1d1p-4;
    r = r * t + -0x1.0bebb77adeabbp-5;
    r = r * t + 0x1.0a6fee2fa945cp-6;
    r = r * t + -0x1.5f3217097b069p-7;
    r = r * t + 0x1.57400a3cdbac0p-7;
    r = r * t + -0x1.40f6103d82ee7p-6;
    r = r * t + 0x1.20dd750429b6dp-2;
    return r;
}

/* ai(-x), 2^0 <= x < 2^3: 2^-53.4 */
static const double fit_ai_down_table[14][24] = {
    {0x1.11fc4d7458933p-1, 0x1.0e1242c66fd5bp-1, 0x1.0527e4bb14ec6p-1, 0x1.edcb863cf7805p-2,
     0x1.c63815996f185p-2, 0x1.93974daae82e2p-2, 0x1.565ced0901d64p-2, 0x1.0f7bc74a2fd97p-2,
     0x1.2ce565d5ac292p-3, -0x1.a79e7b7d85877p-6, -0x1.8e1e32a7f8722p-3, -0x1.5303f4ad2a8cdp-2,
     -0x1.a2abc8185991ep-2, -0x1.a1c5895c03d6ep-2, -0x1.4a66d34ab26c2p-2, -0x1.53ceef9db8ad2p-3,
     0x1.05b30e2b75dfep-3, 0x1.80f453c3d9834p-2, 0x1.c08806801325dp-3, -0x1.82bfa57a7c26cp-3,
     -0x1.6600b39fd3304p-2, -0x1.117cfaf866d7dp-5, 0x1.4b82a61952443p-2, 0x1.665ad04b8f079p-3},
    {-0x1.8f0a631a0c03ep-6, -0x1.96335386c4f08p-4, -0x1.7155402b4f3f8p-3, -0x1.101b913d4b9cbp-2,
     -0x1.691b3da197fc5p-2, -0x1.c058b6e5acdd2p-2, -0x1.09055aab90b41p-1, -0x1.2d07c3455d22bp-1,
     -0x1.554463ed081b7p-1, -0x1.66715d49a6da3p-1, -0x1.424855a09fb3ap-1, -0x1.c82b2df04c92cp-2,
     -0x1.4e2ea991f03b0p-3, 0x1.652953faa38bbp-3, 0x1.ff8bab913842ep-2, 0x1.76f3e496825aap-1,
     0x1.84beb2bf68f2dp-1, 0x1.044ccc5fedad9p-3, -0x1.6733c101c4b90p-1, -0x1.7a73ecc8b9b11p-1,
     0x1.87583b9af1c1bp-3, 0x1.d03b837256366p-1, 0x1.336f3acc28469p-2, -0x1.9f59e5a8e3ebap-1},
    {-0x1.231c124b9e1c6p-2, -0x1.40b5af4ba4cdcp-2, -0x1.56c45c358b764p-2, -0x1.62ea487bd1e43p-2,
     -0x1.62dbd0dfdecb0p-2, -0x1.5487a98833e6ep-2, -0x1.364436d029aa3p-2, -0x1.06ffe90fde5abp-2,
     -0x1.3fb3bc3306ebcp-3, 0x1.f70c32a50e90dp-6, 0x1.0543d13e3b0aep-2, 0x1.e755afb8ed2a7p-2,
     0x1.4716345305f9fp-1, 0x1.607eabe5a33d5p-1, 0x1.2b6d2f7bb1b20p-1, 0x1.49307820cae7bp-2,
     -0x1.160e3f0e2d3e2p-2, -0x1.c9222378924c4p-1, -0x1.265944440c90cp-1, 0x1.15f9bef0093cdp-1,
     0x1.17b08c54dcfdfp+0, 0x1.cd82e7832d7d1p-4, -0x1.2c6e6686f28eap+0, -0x1.5b27f9c9328bcp-1},
    {-0x1.5ba5f18d4ee6bp-4, -0x1.17b385d5e8cd5p-4, -0x1.753fc9ccfd1ecp-5, -0x1.11b50e8cf2282p-6,
     0x1.255bf1dd7bafdp-6, 0x1.d6a8894b8f5ecp-5, 0x1.9c39a7c347245p-4, 0x1.2a5619cb8859ap-3,
     0x1.b14ffc96d9756p-3, 0x1.202e1078f2d0dp-2, 0x1.3b2c79cfe0715p-2, 0x1.1315597556732p-2,
     0x1.399c3b04204f6p-3, -0x1.ed2b3647d5b77p-6, -0x1.fbfbd38be8821p-3, -0x1.c7ff1df543a6ap-2,
     -0x1.1e43df340f401p-1, -0x1.4e63930d39ffdp-3, 0x1.279cf346e0ab1p-1, 0x1.7acc69d021cb7p-1,
     -0x1.20510236cac54p-3, -0x1.03b4d34c5aa04p+0, -0x1.aabc2d6593b52p-2, 0x1.04c82aa62ae30p+0},
    {0x1.bda8a22d4ba88p-6, 0x1.4198635d034b0p-5, 0x1.a7083b67f471fp-5, 0x1.04c41dcfc31c4p-4,
     0x1.3130e6aa76b33p-4, 0x1.54ff36fe817b9p-4, 0x1.6c221d90244eep-4, 0x1.728a735dd3070p-4,
     0x1.54bd3ff017db3p-4, 0x1.ac249cb489076p-5, -0x1.b80e6ac12637fp-9, -0x1.3af90e6bc9c27p-4,
     -0x1.38dde85fa78a3p-3, -0x1.aa51f30c8ff0cp-3, -0x1.bf108b4daac26p-3, -0x1.5195ef1cae7e9p-3,
     0x1.0d7f6efe4ba44p-5, 0x1.5f0d28e620088p-2, 0x1.3d6c113bd6686p-2, -0x1.96a2b45e823d4p-3,
     -0x1.2b7f136ba108ap-1, -0x1.1c8b5242f9fb7p-3, 0x1.5e36196fe50ffp-1, 0x1.02d14f2000186p-1},
    {0x1.32c351f752748p-6, 0x1.42ff2f38eb223p-6, 0x1.4333dc40f0caap-6, 0x1.2f9ad70862eb1p-6,
     0x1.04f7de9a97c58p-6, 0x1.82002db6d2a7ep-7, 0x1.8b2048f22af8bp-8, -0x1.4cf998aa49687p-10,
     -0x1.e0de96d79f57bp-7, -0x1.1e58ddb7070a0p-5, -0x1.b37039fff67b6p-5, -0x1.ff47a05db57bdp-5,
     -0x1.c9ad01f1cc2cdp-5, -0x1.e0c4fb79b2b81p-6, 0x1.017e7391c19fdp-6, 0x1.1f8f38cab8a60p-4,
     0x1.0f21840744dfap-3, 0x1.55b0273ce94e5p-4, -0x1.f70c49f9a07edp-4, -0x1.eb369fdf5c3bfp-3,
     -0x1.5c6e770d1b3f1p-7, 0x1.58d5ad8f0a560p-2, 0x1.ad8e3052d0c7dp-3, -0x1.717f0f870b9e6p-2},
    {0x1.e91c0dcf85fd1p-10, 0x1.7aaf1d2d94b08p-11, -0x1.8439a27ed4b7bp-11, -0x1.46da4bf6d9870p-9,
     -0x1.2570be5640358p-8, -0x1.b067f83d78a29p-8, -0x1.1deca9f579daep-7, -0x1.5e8f0da14b162p-7,
     -0x1.a82f804771308p-7, -0x1.baf87664d9e3ep-7, -0x1.468f202183106p-7, -0x1.9f8b6fba92101p-10,
     0x1.622f9703a1266p-7, 0x1.902087385f598p-6, 0x1.1bcff922dcf71p-5, 0x1.2804b2769fdf0p-5,
     0x1.c9fbc7ecf2e48p-7, -0x1.9014758a7af64p-5, -0x1.2d0691343151bp-4, 0x1.b6e98bc0ab02fp-7,
     0x1.0330dd0f69c01p-3, 0x1.0a8e116bddd27p-4, -0x1.3616af2c22e68p-3, -0x1.50fc98d921a68p-3},
    {-0x1.25f0d2c499a03p-10, -0x1.87247f8b484eep-10, -0x1.e3e958574b059p-10,
     -0x1.19cf0e8b4206ep-9, -0x1.36321385385f0p-9, -0x1.41d7cfb932397p-9, -0x1.3789bb4bddd98p-9,
     -0x1.12a2f79d76543p-9, -0x1.449585e5d2026p-10, 0x1.7fe53fcc6daf6p-11, 0x1.bdea797e78032p-9,
     0x1.8ff9e980f3dc9p-8, 0x1.fecd017130b87p-8, 0x1.df592e954303ep-8, 0x1.f772a90b9cad1p-9,
     -0x1.4e919cd57afe1p-9, -0x1.d0a3ec86a180cp-7, -0x1.204e9b3c6b9b4p-6, 0x1.0533db54e2db3p-7,
     0x1.33b9997db4b5fp-5, 0x1.fc39b255b8d10p-7, -0x1.a042699ad3ab2p-5, -0x1.ae02fa48d52b2p-5,
     0x1.bed98b14b0ac0p-5},
    {-0x1.83b4c7dde5576p-12, -0x1.813310eb9b897p-12, -0x1.5f2d2387bbf9bp-12,
     -0x1.17dafd0252b35p-12, -0x1.4e7f9c01fb7cdp-13, -0x1.82e3bba0f12eep-17,
     0x1.6e7c5af264891p-13, 0x1.9be710da5e023p-12, 0x1.8aeeb903f3d78p-11, 0x1.39eba6e1d1cb2p-10,
     0x1.73481658838bdp-10, 0x1.397e5fa6e6a99p-10, 0x1.9da42d7ecbd31p-12, -0x1.f0f2be583b4c8p-11,
     -0x1.4abbc04acd144p-9, -0x1.ec0de60ee4d0fp-9, -0x1.c0e503ab6179ep-9, 0x1.5bb7221ae3364p-9,
     0x1.29a21bf4a8999p-7, 0x1.7d1e71bf8f461p-9, -0x1.c89e6f2f766d4p-7, -0x1.c615599a15328p-7,
     0x1.03cc56a2d1159p-6, 0x1.dea9a6122659bp-6},
    {-0x1.3a4e8a6f3ed3bp-17, 0x1.e9232c36ac486p-17, 0x1.708dd0881a55cp-15, 0x1.454ff946c2159p-14,
     0x1.dc3fe169477bdp-14, 0x1.38df235628d06p-13, 0x1.7ba2bb670a900p-13, 0x1.addaa88172d9bp-13,
     0x1.c5b11534b7cfbp-13, 0x1.571946264a3bap-13, 0x1.e28393797f501p-17, -0x1.d0e8ba7263723p-13,
     -0x1.0011c2131cdc0p-11, -0x1.659702e90f70cp-11, -0x1.61aa9f7ea8d25p-11,
     -0x1.7e345294ffac4p-12, 0x1.510d8b7d45860p-11, 0x1.e2232d97bdb26p-10, 0x1.ccd72da82ae70p-12,
     -0x1.a19694628e911p-9, -0x1.96dbe58dd6460p-9, 0x1.f9eb9b74c7a67p-9, 0x1.e43721fcd20d4p-8,
     -0x1.d607f3a55214cp-9},
    {0x1.1a42071683562p-16, 0x1.67773a8b28dcdp-16, 0x1.aa0e561c0169bp-16, 0x1.d85038f43767bp-16,
     0x1.e7a00cf789bfcp-16, 0x1.cd5bfdf433da1p-16, 0x1.800803b80b313p-16, 0x1.f16ee9e1a8756p-17,
     -0x1.0e5193e01ff5dp-18, -0x1.4d565dfbebf43p-15, -0x1.4bd018b1d9083p-14,
     -0x1.bca84e6816823p-14, -0x1.a4af7e1703caep-14, -0x1.7f91768c38b5cp-15,
     0x1.ee8d8e42e374dp-15, 0x1.8e733af5b7950p-13, 0x1.4ec8143140c3dp-12, 0x1.d17ccd8fe06d3p-15,
     -0x1.4439fee168f44p-11, -0x1.3c335b3218db3p-11, 0x1.a103b994fbddcp-11, 0x1.a46e2314a43a7p-10,
     -0x1.6bf4e0c3043f2p-11, -0x1.9929e3aa8f637p-9},
    {0x1.cf4aec2103548p-19, 0x1.ab1c3990d6f2dp-19, 0x1.5247fca9b9c35p-19, 0x1.7b3867292fb62p-20,
     -0x1.5dc1e3eef1e81p-23, -0x1.251d4b1c478bap-19, -0x1.32c91e60518b7p-18,
     -0x1.e1ef13155fb08p-18, -0x1.7202d956e72ecp-17, -0x1.e3d0713860775p-17,
     -0x1.bb8cf84d544f8p-17, -0x1.54bff47722b85p-18, 0x1.594002c2e74dcp-17, 0x1.efa7ce441becbp-16,
     0x1.7ae7c3679eddbp-15, 0x1.89ff6a14fec4cp-15, 0x1.a65fb38876a1fp-18, -0x1.b24480ea1c062p-14,
     -0x1.b24affe3db11cp-14, 0x1.25d3f98557901p-13, 0x1.3dc253a6d2437p-12, -0x1.d11c4b545e9b7p-14,
     -0x1.4ae16e899745bp-11, -0x1.b1145c8e7f74ap-17},
    {-0x1.15ee675ee86e4p-24, -0x1.45c57ba0393d5p-22, -0x1.3a53a37641cacp-21,
     -0x1.e00db7c29c893p-21, -0x1.43388b54080a0p-20, -0x1.8daa482f072fdp-20,
     -0x1.c45929909d50fp-20, -0x1.db0667f7742d7p-20, -0x1.a560e2ecb8b43p-20,
     -0x1.17098e0f0dc58p-21, 0x1.89d171ebe3d71p-20, 0x1.0b8851d5373d7p-18, 0x1.971200b0833d2p-18,
     0x1.a82f6b27befe5p-18, 0x1.d2445a7ca30c3p-19, -0x1.7b6e4a51164d7p-19, -0x1.fa01982972410p-17,
     -0x1.07ad580faa4bap-16, 0x1.649d7c6a93dfbp-16, 0x1.a28ba28974173p-15, -0x1.e324a2ea5b1a5p-17,
     -0x1.ce52bfd283043p-14, -0x1.1c44ac012b93ep-16, 0x1.b54b1d4df5237p-13},
    {-0x1.1a0e01373ca77p-23, -0x1.5ae597c7ca209p-23, -0x1.8b01b4393cb68p-23,
     -0x1.9f54a48514dd1p-23, -0x1.8c6410ba51563p-23, -0x1.4793a9a1abbb3p-23,
     -0x1.919062414e10bp-24, -0x1.893a8bc456ffbp-28, 0x1.7ab12da1451c7p-23, 0x1.fd0ade1c15c42p-22,
     0x1.8733a09aa0b03p-21, 0x1.9e37e96d48d74p-21, 0x1.d2f726f2e6846p-22, -0x1.75025a694765fp-22,
     -0x1.7f13fdeef1279p-20, -0x1.3fa25a66dcc0ep-19, -0x1.264b943d48cd9p-19,
     0x1.77ba80d8bb50fp-19, 0x1.efaf73fa488f6p-18, -0x1.6845e8ec623dap-20, -0x1.1f1cbf03b15c7p-16,
     -0x1.65b75c907153bp-18, 0x1.1964286de7197p-15, 0x1.54177c3b95fb2p-16},
};
LANE double fit_ai_down(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p3, 3);
    double r = fit_ai_down_table[13][p.k];
    r = r * p.t + fit_ai_down_table[12][p.k];
    r = r * p.t + fit_ai_down_table[11][p.k];
    r = r * p.t + fit_ai_down_table[10][p.k];
    r = r * p.t + fit_ai_down_table[9][p.k];
    r = r * p.t + fit_ai_down_table[8][p.k];
    r = r * p.t + fit_ai_down_table[7][p.k];
    r = r * p.t + fit_ai_down_table[6][p.k];
    r = r * p.t + fit_ai_down_table[5][p.k];
    r = r * p.t + fit_ai_down_table[4][p.k];
    r = r * p.t + fit_ai_down_table[3][p.k];
    r = r * p.t + fit_ai_down_table[2][p.k];
    r = r * p.t + fit_ai_down_table[1][p.k];
    r = r * p.t + fit_ai_down_table[0][p.k];
    return r;
}

/* bi(x), |x| < 1: 2^-52.1 */
LANE double fit_bi(double t) {
    double r = 0x1.d80a6d10af83ep-41;
    r = r * t + 0x1.8b5e63bc3d9f6p-38;
    r = r * t + -0x1.3f49292abff1ep-43;
    r = r * t + 0x1.222825749839dp-32;
    r = r * t + 0x1.d68d3507959fep-30;
    r = r * t + 0x1.a28225d4bcd7fp-44;
    r = r * t + 0x1.10180c338bf43p-24;
    r = r * t + 0x1.81f62e858e657p-22;
    r = r * t + 0x1.d662ed67a9c82p-45;
    r = r * t + 0x1.4b9d77a67ebb3p-17;
    r = r * t + 0x1.8e05e5126f83ap-15;
    r = r * t + -0x1.3dea5c320306cp-47;
    r = r * t + 0x1.d2557028b41ffp-11;
    r = r * t + 0x1.bfc6a1b6f547ap-9;
    r = r * t + -0x1.83c6ea71b6589p-53;
    r = r * t + 0x1.3208119ab305bp-5;
    r = r * t + 0x1.a3ca379b8538dp-4;
    r = r * t + 0x1.e9460fe06e7b8p-59;
    r = r * t + 0x1.cb0c1a680c8a1p-2;
    r = r * t + 0x1.3ad7a9b4a3ea9p-1;
    return r;
}

/* bi(x) without its exponential and power, x > 0, 2^0 <= x < 2^4: 2^-53.3 */
static const double fit_bi_up_table[14][16] = {
    {0x1.3d86e17bfe356p-1, 0x1.3adae603f50fbp-1, 0x1.36ad53b73c35dp-1, 0x1.328b1022e2ff2p-1,
     0x1.2d98211ebae72p-1, 0x1.296aa583cd9fap-1, 0x1.270bca04137d2p-1, 0x1.259f6bd7f1357p-1,
     0x1.24573f567c24bp-1, 0x1.235d43237aa9dp-1, 0x1.22c7392816524p-1, 0x1.2264600980213p-1,
     0x1.2203c247e7377p-1, 0x1.21b5732165737p-1, 0x1.2184b550f3762p-1, 0x1.2163eedba42f9p-1},
    {-0x1.09cf3b625cd4fp-7, -0x1.e56e9433ecf32p-6, -0x1.143db6d0cd9c7p-5, -0x1.edfb81cd13061p-6,
     -0x1.5d73648868140p-6, -0x1.8be083310d402p-7, -0x1.cacfaed254d82p-8, -0x1.205cb9e53073dp-8,
     -0x1.4b9694e0fb00ap-9, -0x1.7803e3e4d163dp-10, -0x1.ddc69616bd8f8p-11,
     -0x1.46915dc6a7c70p-11, -0x1.952df4ae0169fp-12, -0x1.e2539f3439ec5p-13,
     -0x1.3a54922ca14cep-13, -0x1.b4829ed6df16fp-14},
    {-0x1.1dbfaa9631885p-4, -0x1.5fb72ba598528p-6, 0x1.f048e83bedff1p-10, 0x1.5d27217b9a321p-7,
     0x1.76f46d8a0ebe1p-7, 0x1.c6710b18784bap-8, 0x1.d258d66d394d4p-9, 0x1.e65c405ad54c7p-10,
     0x1.ae14655b7b87dp-11, 0x1.78c4941625a87p-12, 0x1.8a2f0cf7bfb22p-13, 0x1.cb9feeb106776p-14,
     0x1.d45f4f1665eebp-15, 0x1.c31fd6897cf07p-16, 0x1.ee36d8032876dp-17, 0x1.2818be35825bap-17},
    {0x1.6256bcf12c95bp-4, 0x1.71e6c8e875b91p-5, 0x1.3eba04191adc6p-6, 0x1.69455b2798ccfp-8,
     -0x1.2941349748deap-9, -0x1.7cdc3de8b3ae1p-9, -0x1.a5899afd5984ap-10, -0x1.8dde6e5d8d490p-11,
     -0x1.1208e50e728e0p-12, -0x1.69b4eda3ddda5p-14, -0x1.3438c9385ef34p-15,
     -0x1.311c6bb3cfd9bp-16, -0x1.fcef7210381d1p-18, -0x1.8bb387d34f8e2p-19,
     -0x1.6be6078e65508p-20, -0x1.77f2cf55ed212p-21},
    {-0x1.9b395c81bb8d8p-5, -0x1.0e129a2ee97eep-5, -0x1.38fc7b4d7607dp-6, -0x1.371170fb61486p-7,
     -0x1.0c3e6f697c5dap-9, 0x1.2e708f2345c99p-11, 0x1.2d1938d7c12dcp-11, 0x1.2e5f440bedcb9p-12,
     0x1.60ef9061ca5bdp-14, 0x1.59e87179875cbp-16, 0x1.d8c8b0c198afbp-18, 0x1.8af33c26ad421p-19,
     0x1.0c83fb1b04a3ep-20, 0x1.503b26d9d23b7p-22, 0x1.033bb7c79ad67p-23, 0x1.cd7602a3fd0d1p-25},
    {0x1.e76e306803500p-7, 0x1.9d8d576736291p-7, 0x1.34d0c59bbff16p-7, 0x1.89f9635fe83dfp-8,
     0x1.2bb3af298c40fp-9, 0x1.096e84cda3312p-12, -0x1.f3a877359686cp-14, -0x1.811aa2d1a68fap-14,
     -0x1.c27d34075ac4cp-16, -0x1.50801e4eea2fdp-18, -0x1.69c37623c56f8p-20,
     -0x1.f9e444bddbfffp-22, -0x1.170b6f094a975p-23, -0x1.189e083c7cab2p-25,
     -0x1.6a4bb65f421b2p-27, -0x1.1597af388ff2ap-28},
    {-0x1.ad295b9fa53fbp-10, -0x1.d5ec215c3c766p-10, -0x1.326e3f73e6d31p-9, -0x1.1441262b7d19fp-9,
     -0x1.35175fec6dbffp-10, -0x1.389b586a07fd7p-12, -0x1.3bc147c20978dp-16,
     0x1.4bf6f47d22aedp-16, 0x1.0cbc274f99d62p-17, 0x1.4fbe11738559cp-20, 0x1.1781bf7f9b700p-22,
     0x1.436956e208e70p-24, 0x1.1fc1707b347d5p-26, 0x1.cf6a49bd57e2fp-29, 0x1.f43d0c972e059p-31,
     0x1.49b0d2ef8aa1bp-32},
    {0x1.24ce8f2c27e94p-10, -0x1.0455462ff5e89p-11, -0x1.2ad8905a8e299p-14, 0x1.2c625b03356acp-12,
     0x1.6f52f8ec35168p-12, 0x1.391f9d0c93d2cp-13, 0x1.013ed10fbd12cp-15, 0x1.4672565974a5dp-26,
     -0x1.10b8d2fd22162p-19, -0x1.53def47583e4dp-22, -0x1.b890348234e1fp-25,
     -0x1.9f7564f805eb4p-27, -0x1.27db2f8153d8bp-29, -0x1.7c35b22981a6ep-32,
     -0x1.56a312a6f097cp-34, -0x1.842ae073c1756p-36},
    {-0x1.47448f6c0cc80p-9, 0x1.c94bcf6b9a367p-15, 0x1.00446180a5358p-12, 0x1.b948fc184ba30p-14,
     -0x1.2f17f3dd0c5fap-15, -0x1.7d74e41ac18d7p-15, -0x1.058295fef80f4p-16,
     -0x1.490cbb55e94e0p-19, 0x1.817e4573a5927p-22, 0x1.51515ffe5e1f2p-24, 0x1.64a2052d41218p-27,
     0x1.0dbe08679fa0dp-29, 0x1.3052f0e957241p-32, 0x1.36d8811e54461p-35, 0x1.d2f4d6d95dd42p-38,
     0x1.c643229153129p-40},
    {0x1.5e8151c323a2ap-9, 0x1.4b3c29e6c9a99p-12, -0x1.48009b390f4bfp-15, -0x1.0d64af273351ep-14,
     -0x1.3ee80001a0192p-16, 0x1.c94bd32013265p-18, 0x1.4ad3cc3e84eddp-18, 0x1.67991077cfb8ep-20,
     -0x1.13a222b28a648p-29, -0x1.36335e95617e3p-26, -0x1.281acb91e957ap-29,
     -0x1.6450e8d1b33d7p-32, -0x1.3a0bd35e462e4p-35, -0x1.fb848b0b34db4p-39,
     -0x1.3d25553711f93p-41, -0x1.08afa01445649p-43},
    {-0x1.1ece720de3588p-9, -0x1.4a667c9ef7a09p-12, -0x1.65b73460f6a3dp-15, 0x1.1806d84ecd5b1p-17,
     0x1.5f4c44dc56df3p-17, 0x1.181e3a9146ea5p-20, -0x1.f10b1a3deb17bp-21, -0x1.dd45f032ffb69p-22,
     -0x1.04dbe7f816c97p-25, 0x1.e421d356e2990p-29, 0x1.f072ec885fd6cp-32, 0x1.e19dd508f331ap-35,
     0x1.45730c650d154p-38, 0x1.9e1fa99124223p-42, 0x1.addd434936d3bp-45, 0x1.338359ccc49d5p-47},
    {0x1.bb3aeeb6b9e94p-10, 0x1.b7c716a906068p-13, 0x1.429b8257e4d1ep-15, 0x1.a4783213a6608p-18,
     -0x1.112bda22a0b5bp-19, -0x1.fc64a1d357fd8p-21, 0x1.8af2d77b753f2p-27, 0x1.9eba37cbbbba4p-24,
     0x1.fb61310082bd3p-27, -0x1.010e6d8a1096ep-31, -0x1.974ae53f51165p-34,
     -0x1.4e758a7f5dac0p-37, -0x1.54b95ac07ca8cp-41, -0x1.529484aed22b5p-45,
     -0x1.23266908369e0p-48, -0x1.64a1a0b859593p-51},
    {-0x1.69fee6cefafa1p-10, -0x1.14931e969e2e6p-13, -0x1.626e61b7c0120p-16,
     -0x1.437ece024bd24p-18, -0x1.2c2a51a1888c2p-22, 0x1.2033cbb3a510bp-22, 0x1.050792fabeee8p-24,
     -0x1.3b5a3a1eb7290p-27, -0x1.39e408f291d12p-28, -0x1.945644c3395dbp-36,
     0x1.3c81d9447011bp-36, 0x1.e92c8692b7a74p-40, 0x1.821bddd37cd7fp-44, 0x1.2043d7d8cceafp-48,
     0x1.9495ce955538fp-52, 0x1.a4d4c48230e78p-55},
    {0x1.23bf3fd01f618p-10, 0x1.60764d507e169p-14, 0x1.5d76973aee870p-17, 0x1.1b039c4366000p-19,
     0x1.5718f502d3807p-22, -0x1.d03a0d20413a9p-26, -0x1.83f5ef1057198p-26,
     -0x1.4b320585e221fp-29, 0x1.ffdd3851c2021p-31, 0x1.39bf845fa7abcp-35, -0x1.9a8e1e0c135b0p-39,
     -0x1.5e8e0d5159deep-42, -0x1.a0e366c1d1477p-47, -0x1.da877f40cc984p-52,
     -0x1.12438b8ed4b81p-55, -0x1.e73bc7ee6394fp-59},
};
LANE double fit_bi_up(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p4, 2);
    double r = fit_bi_up_table[13][p.k];
    r = r * p.t + fit_bi_up_table[12][p.k];
    r = r * p.t + fit_bi_up_table[11][p.k];
    r = r * p.t + fit_bi_up_table[10][p.k];
    r = r * p.t + fit_bi_up_table[9][p.k];
    r = r * p.t + fit_bi_up_table[8][p.k];
    r = r * p.t + fit_bi_up_table[7][p.k];
    r = r * p.t + fit_bi_up_table[6][p.k];
    r = r * p.t + fit_bi_up_table[5][p.k];
    r = r * p.t + fit_bi_up_table[4][p.k];
    r = r * p.t + fit_bi_up_table[3][p.k];
    r = r * p.t + fit_bi_up_table[2][p.k];
    r = r * p.t + fit_bi_up_table[1][p.k];
    r = r * p.t + fit_bi_up_table[0][p.k];
    return r;
}

/* the same by u = 1 / zeta, zeta = 2/3 x^(3/2), x >= 16: 2^-55.9 */
LANE double fit_bi_tail(double t) {
    double r = 0x1.5f0130dddc2e7p+1;
    r = r * t + 0x1.c916fff3388dfp-2;
    r = r * t + 0x1.536b7a8acd8c6p-3;
    r = r * t + 0x1.0c3962b1fba55p-4;
    r = r * t + 0x1.0a7253e96a0d5p-5;
    r = r * t + 0x1.5f321cb805dddp-6;
    r = r * t + 0x1.57400a423ccfcp-6;
    r = r * t + 0x1.40f6103d83a08p-5;
    r = r * t + 0x1.20dd750429b6dp-1;
    return r;
}

/* bi(-x), 2^0 <= x < 2^3: 2^-53.9 */
static const double fit_bi_down_table[14][24] = {
    {0x1.1193f224182dep-4, -0x1.0feef3aceee97p-7, -0x1.54d4d717a3944p-4, -0x1.404c17f558efdp-3,
     -0x1.cef34a4675c38p-3, -0x1.2923be51a54edp-2, -0x1.62f764a60bd71p-2, -0x1.92bf30a7a4c8ap-2,
     -0x1.c2f9dc7c0a406p-2, -0x1.ce5bbbb952567p-2, -0x1.9602ea6457a51p-2, -0x1.1c311f7cfcffcp-2,
     -0x1.c1cf5ffb3be76p-4, 0x1.41a86d84b34adp-4, 0x1.0020c46fc5f12p-2, 0x1.7682906a456e9p-2,
     0x1.7c16237e4164bp-2, 0x1.135b410b250b1p-4, -0x1.34945f2f5526cp-2, -0x1.3ee22630fd44ep-2,
     0x1.2210e6a9da593p-4, 0x1.64b3805c6158ap-2, 0x1.d97638dbd4c4bp-4, -0x1.2839ed9101846p-2},
    {-0x1.321becb9cfd19p-1, -0x1.342af45aa2399p-1, -0x1.3073911591007p-1, -0x1.25d74b5b6a46cp-1,
     -0x1.1366b37c8bf29p-1, -0x1.f0ea55a6afa10p-2, -0x1.a95a551418f7dp-2, -0x1.504750677698fp-2,
     -0x1.592cfb4d1052fp-3, 0x1.5d9abd4b6a31fp-4, 0x1.6a0f67fc9dcebp-2, 0x1.2d11214e4e486p-1,
     0x1.782b50d623405p-1, 0x1.7e47ba55a9657p-1, 0x1.32d3314ebe9f5p-1, 0x1.377fcd8d3dfc1p-2,
     -0x1.246307daf268bp-2, -0x1.a5e27782fb5f1p-1, -0x1.f3cbe8a417766p-2, 0x1.ddde4b3a404dap-2,
     0x1.be574e9e20d20p-1, 0x1.2ec35a8e48a1cp-4, -0x1.c086d5eae5ceap-1, -0x1.e9702d3352b1ap-2},
    {-0x1.22ad314659b0cp-5, 0x1.42ebc15d5bb53p-8, 0x1.bf575a4f06b2ap-5, 0x1.cc6d6270afd8cp-4,
     0x1.69ae12070c00cp-3, 0x1.f56c5129c6f50p-3, 0x1.41b033367abafp-2, 0x1.8629372267a26p-2,
     0x1.df297a43cae46p-2, 0x1.1286777608e35p-1, 0x1.0a71e9d1d9845p-1, 0x1.98869d43abafbp-2,
     0x1.5f6a02fc46cccp-3, -0x1.0f661c67f7472p-3, -0x1.d03b640a96c51p-2, -0x1.6ace7be6f3432p-1,
     -0x1.93d785b6257b3p-1, -0x1.46fc5d3d3bfccp-3, 0x1.9502bcee1fc38p-1, 0x1.ca6516e66c132p-1,
     -0x1.c53a68696530dp-3, -0x1.2cf7744df2234p+0, -0x1.ad13238738cd1p-2, 0x1.1ef81e2479799p+0},
    {0x1.840ee70137b69p-4, 0x1.ed98fd4dc5d56p-4, 0x1.26cc30df81d76p-3, 0x1.4efb018b2a012p-3,
     0x1.6c08dcad7abd4p-3, 0x1.7a8fba48f9e4ep-3, 0x1.774e5f9e285d7p-3, 0x1.5f6dc97ab385ap-3,
     0x1.109337d4a3dd8p-3, 0x1.53b52470b9b66p-5, -0x1.6aee59b72f10fp-4, -0x1.e2507557170acp-3,
     -0x1.7519d034978ebp-2, -0x1.bb77b63090b54p-2, -0x1.9d6f51a71ca8bp-2, -0x1.07984cd2439a9p-2,
     0x1.1f84e9f6c19d8p-3, 0x1.48416297763b1p-1, 0x1.e8c07b6ccd637p-2, -0x1.94cf570fa8bf4p-2,
     -0x1.d6fb4c0841677p-1, -0x1.2134630ed3f74p-3, 0x1.0a0d90a64b4b0p+0, 0x1.54c7f0fd3add2p-1},
    {0x1.b1e1e6a9fa5dcp-5, 0x1.96e55b3f30aa6p-5, 0x1.6501de3c1c9a6p-5, 0x1.197a2f8ee3927p-5,
     0x1.65a73684c8b0bp-6, 0x1.89cfb0e7a9619p-8, -0x1.a48d69fc63f2ap-7, -0x1.17c5b19ccc211p-5,
     -0x1.19e08cb88253fp-4, -0x1.cfcc77968196dp-4, -0x1.257b9341b8a0fp-3, -0x1.281b8bca87070p-3,
     -0x1.b1cec21cd1b5ap-4, -0x1.98c430fa82040p-6, 0x1.6465a2ada1c41p-4, 0x1.a0b56872c5378p-3,
     0x1.366b94b344882p-2, 0x1.0e0f6213e5c8bp-3, -0x1.38bc11ed5b176p-2, -0x1.df1e118c57e8dp-2,
     0x1.5d1a9b5e275bfp-5, 0x1.4f6f0490e0981p-1, 0x1.4dfcb3c8d36fap-2, -0x1.5e467a62516b4p-1},
    {-0x1.ab286149ca28fp-9, -0x1.e51053e826ed6p-8, -0x1.8f01789416791p-7, -0x1.1cb30160281f3p-6,
     -0x1.7431912271836p-6, -0x1.c819249b91dc8p-6, -0x1.08b94a58b9531p-5, -0x1.243e3a86e89e5p-5,
     -0x1.33825bd57d332p-5, -0x1.03f5e24bd05d2p-5, -0x1.d78bdad2603c3p-7, 0x1.c7ae78a8d57fap-7,
     0x1.8c17dd427c163p-5, 0x1.467b0437fa67ep-4, 0x1.88962f34dfbb6p-4, 0x1.5d68a04c227f8p-4,
     0x1.3aba90664b81ep-7, -0x1.277e4c333a6c2p-3, -0x1.5198ccfbf24f5p-3, 0x1.1a2c67c2a4f51p-4,
     0x1.31b1b887cbb9fp-2, 0x1.b3fc864ec171dp-4, -0x1.6c52b65d91a4cp-2, -0x1.417fc731f1873p-2},
    {-0x1.49e5d1e40284cp-8, -0x1.881a3952d2861p-8, -0x1.b76741e9d8c71p-8, -0x1.d1364f9c484f6p-8,
     -0x1.ced08e36d766fp-8, -0x1.a9f3646367d15p-8, -0x1.5d8282c9233f9p-8, -0x1.cc9dedc19afc0p-9,
     0x1.cb6ca54b1b356p-12, 0x1.f0e3c0f5eb2bdp-8, 0x1.fba84c7bcbf24p-7, 0x1.63a20a76c3cecp-6,
     0x1.7bbd843097de8p-6, 0x1.1a80959c7bfcep-6, 0x1.81eb920779bb4p-9, -0x1.2203d4067683fp-6,
     -0x1.86253f31aedc7p-5, -0x1.5a1b8c4bb0111p-5, 0x1.337ea2ddb6112p-5, 0x1.a54c4c437ca8fp-4,
     0x1.64eba15e25353p-6, -0x1.24400958a5d50p-3, -0x1.d0bfc7b52e7adp-4, 0x1.3c83807af8b74p-3},
    {-0x1.34f706400f31dp-10, -0x1.fe50a8d365ed0p-11, -0x1.58821c7314292p-11,
     -0x1.d46ad2b57e633p-13, 0x1.552e12ac3dfa6p-12, 0x1.ff667b15cc090p-11, 0x1.bdad195543b99p-10,
     0x1.42487b0d05a65p-9, 0x1.cfb31714d54ffp-9, 0x1.264950e1baa16p-8, 0x1.1a8c963709c7ep-8,
     0x1.46710f67e8d90p-9, -0x1.1a09f3356f3e1p-10, -0x1.7cd49f3c4ecb4p-8, -0x1.52f4f6704001ap-7,
     -0x1.a0a49e1ac6b06p-7, -0x1.0c5bb3b74df2cp-7, 0x1.afd27ce9380dcp-7, 0x1.c8bbe0016b219p-6,
     0x1.bff53f38c5198p-10, -0x1.743bd3310d08ap-5, -0x1.0bec3917bdf00p-5, 0x1.b77f0a5daff43p-5,
     0x1.30041e23867dap-4},
    {0x1.425712167d496p-13, 0x1.0f9fd923158a1p-12, 0x1.88c78fe7d9da2p-12, 0x1.02384c903f852p-11,
     0x1.3bfd2989234dcp-11, 0x1.6b4fe64338197p-11, 0x1.890a1ff98b5c9p-11, 0x1.8dbcf98198302p-11,
     0x1.56b8eb88139a4p-11, 0x1.01052ffa0e2d7p-12, -0x1.ec07f5ca34895p-12, -0x1.6539754c0ffc6p-10,
     -0x1.1ab247f5fbb52p-9, -0x1.42c44a8c7bddfp-9, -0x1.f2a2231af0e16p-10, -0x1.38f1e8529eeccp-12,
     0x1.c3447d1fa9318p-9, 0x1.93b649d935c61p-8, -0x1.2dab2e88abf98p-11, -0x1.826072b5e9ca7p-7,
     -0x1.fcb4419fbf15dp-8, 0x1.f557709bf5192p-7, 0x1.58c41166975bfp-6, -0x1.0291ad3ff9be7p-6},
    {0x1.6e3146b64c591p-14, 0x1.9fde65acadd44p-14, 0x1.b8d2508440af2p-14, 0x1.b039e01150a22p-14,
     0x1.7dc645ae42436p-14, 0x1.1abc3e99983c4p-14, 0x1.065577a7e6d7bp-15, -0x1.23363a0df1044p-16,
     -0x1.cf7649b0dcc1ep-14, -0x1.09bcdcb1a191dp-12, -0x1.8672244c8f8ffp-12,
     -0x1.a465ee3a383c6p-12, -0x1.2094f42734d5bp-12, 0x1.14140597398f8p-15, 0x1.f7379950578d4p-12,
     0x1.e7abe667946eep-11, 0x1.2c1f698cff2b3p-10, -0x1.28528a6ec14e1p-12, -0x1.4ec2a04cb6ee5p-9,
     -0x1.9a42f07b5c567p-10, 0x1.dd555d3c9e172p-9, 0x1.4ad4ba78dd1ffp-8, -0x1.f585b18175b9ep-9,
     -0x1.4c20c22f438bcp-7},
    {0x1.7a87c15a62ccep-17, 0x1.f068db9d04326p-18, 0x1.ed7dd769146c5p-20, -0x1.695e3ba6ded26p-18,
     -0x1.d86846e636488p-17, -0x1.8fd18bd102f66p-16, -0x1.1d1bd643eea90p-15,
     -0x1.6e2d86c03a5d0p-15, -0x1.cb36fdcf75eeep-15, -0x1.d8ccc7d759526p-15,
     -0x1.1f0a0ba258630p-15, 0x1.0a0e68df638d3p-16, 0x1.6c3f8416961dep-14, 0x1.49110acab4c2fp-13,
     0x1.91b4d2729d903p-13, 0x1.4339fd1460685p-13, -0x1.2c4b6119f6021p-14, -0x1.ee71af17dc4c0p-12,
     -0x1.219025e34f2e8p-12, 0x1.81031b2ac6f17p-11, 0x1.11a3cd809f8fep-10, -0x1.9b1c3c587939ep-11,
     -0x1.2c4c9a1f5ac34p-9, 0x1.183000caf4c61p-11},
    {-0x1.2cbaeb0669996p-19, -0x1.cbbc5ee4b59a8p-19, -0x1.38aee1f7b024dp-18,
     -0x1.86d940b632222p-18, -0x1.c6768fb83b50cp-18, -0x1.ec296ecd85c88p-18,
     -0x1.ebef7ac34f259p-18, -0x1.ba4e2d6eeac93p-18, -0x1.ff1a44c50e65bp-19,
     0x1.b353be187be5bp-19, 0x1.b94baeb521750p-17, 0x1.7fa485395572bp-16, 0x1.cc210ab0091c6p-16,
     0x1.66a42011e5133p-16, 0x1.8c7ad5bbd1f5ap-20, -0x1.f8387dc983b4cp-16, -0x1.3cce7af7d8253p-14,
     -0x1.6f60df7f8ff52p-15, 0x1.0a9ba711e5a93p-13, 0x1.8c593e934b3bcp-13, -0x1.1df7f035d8462p-13,
     -0x1.d6a523bca7effp-12, 0x1.fef63f2ad1a5fp-15, 0x1.c19ab4c647288p-11},
    {-0x1.93b92746ad887p-21, -0x1.b6d0d9199302dp-21, -0x1.b50bcb51c78adp-21,
     -0x1.835e696aaa3e0p-21, -0x1.186db23bace23p-21, -0x1.b92ede56dd126p-23,
     0x1.ee8beeee687dfp-23, 0x1.9ec9929870dd9p-21, 0x1.cd492f6042988p-20, 0x1.8961de28dff5dp-19,
     0x1.d50b62dc78c24p-19, 0x1.68115b0330670p-19, 0x1.6454da8f84d8fp-26, -0x1.1e1bc442576c4p-18,
     -0x1.2a306be8471a6p-17, -0x1.8382d2024cac2p-17, -0x1.a325607e28de3p-18,
     0x1.3fa5b2637aa07p-16, 0x1.f7267101a9ce2p-16, -0x1.53364c9e664cdp-16, -0x1.3fedc96006d45p-14,
     0x1.3e57f16c85a83p-19, 0x1.41badccc6fff8p-13, 0x1.70e281a1b43b2p-15},
    {-0x1.e9a2d112105acp-25, -0x1.6dbb0e0b96e80p-26, 0x1.d7e22bd68e0c1p-26, 0x1.7aeb9c4aa60d4p-24,
     0x1.538204eff68f4p-23, 0x1.f264d80f0e613p-23, 0x1.455496fe7e491p-22, 0x1.843ea126be462p-22,
     0x1.afc4ef5446718p-22, 0x1.4de4486d90364p-22, -0x1.89c86c94ddf9cp-29, -0x1.18fdbb947fe4dp-21,
     -0x1.28ac22c8cf572p-20, -0x1.8981241afdee5p-20, -0x1.51e0c9ddd464ap-20,
     -0x1.ff8dd838df50bp-23, 0x1.512b767024d28p-19, 0x1.2192e2bddb33dp-18, -0x1.52fb5049e5c97p-19,
     -0x1.84a9c0434fa71p-17, -0x1.325eef7e85db5p-20, 0x1.9741ab7e90d8ep-16, 0x1.858218be98b44p-17,
     -0x1.7f676db96c64ep-15},
};
LANE double fit_bi_down(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p3, 3);
    double r = fit_bi_down_table[13][p.k];
    r = r * p.t + fit_bi_down_table[12][p.k];
    r = r * p.t + fit_bi_down_table[11][p.k];
    r = r * p.t + fit_bi_down_table[10][p.k];
    r = r * p.t + fit_bi_down_table[9][p.k];
    r = r * p.t + fit_bi_down_table[8][p.k];
    r = r * p.t + fit_bi_down_table[7][p.k];
    r = r * p.t + fit_bi_down_table[6][p.k];
    r = r * p.t + fit_bi_down_table[5][p.k];
    r = r * p.t + fit_bi_down_table[4][p.k];
    r = r * p.t + fit_bi_down_table[3][p.k];
    r = r * p.t + fit_bi_down_table[2][p.k];
    r = r * p.t + fit_bi_down_table[1][p.k];
    r = r * p.t + fit_bi_down_table[0][p.k];
    return r;
}

/* size of Ai and Bi of -x by u = zeta^-2, x >= 8: 2^-56.5 */
LANE double fit_airy_modulus(double t) {
    double r = -0x1.aefae10527277p+14;
    r = r * t + 0x1.4c22d61566d13p+10;
    r = r * t + -0x1.b0e5f75696c06p+5;
    r = r * t + 0x1.81cb592e09efcp+1;
    r = r * t + -0x1.21d389dd57165p-2;
    r = r * t + 0x1.c35ba71fb6348p-5;
    r = r * t + -0x1.1c71c71c6c95bp-5;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

/* zeta times the phase beyond zeta - pi / 4: 2^-53.1 */
LANE double fit_airy_phase(double t) {
    double r = -0x1.d0d2076bfc82fp+22;
    r = r * t + 0x1.2e6f0b4e7e68ep+18;
    r = r * t + -0x1.0f6d045819fd3p+13;
    r = r * t + 0x1.11110f6aa376bp+8;
    r = r * t + -0x1.82a54e697e1d9p+3;
    r = r * t + 0x1.b42a0c58412b5p-1;
    r = r * t + -0x1.c67549f76b0c2p-4;
    r = r * t + 0x1.23075fde46f98p-5;
    r = r * t + -0x1.1c71c71c71c72p-4;
    return r;
}

LANE_END

#endif
