/* fit_airy_prime.h - the derivatives of Airy functions.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_AIRY_PRIME_H
#define WEFT_SPECIAL_FIT_AIRY_PRIME_H

#include "lane.h"

LANE_BEGIN

/* aip(x), |x| < 1: 2^-53.4 */
LANE double fit_aip(double t) {
    double r = -0x1.0ef26e120e85ap-37;
    r = r * t + 0x1.fcfa179ff6594p-35;
    r = r * t + -0x1.aee521fe7a855p-40;
    r = r * t + -0x1.4f092fc64385cp-29;
    r = r * t + 0x1.fd65177d8604dp-27;
    r = r * t + -0x1.e8e95557e65f7p-41;
    r = r * t + -0x1.fe8e57845cec7p-22;
    r = r * t + 0x1.4e40b36456cffp-19;
    r = r * t + 0x1.e0fe5cff98b01p-42;
    r = r * t + -0x1.dea52a6e0f35fp-15;
    r = r * t + 0x1.028606aaab6c3p-12;
    r = r * t + 0x1.0323996302859p-44;
    r = r * t + -0x1.d72a95a289035p-9;
    r = r * t + 0x1.83c90a029a057p-7;
    r = r * t + -0x1.9388f6d7bdadbp-51;
    r = r * t + -0x1.615ff039ebf45p-4;
    r = r * t + 0x1.6b8c7962715b9p-3;
    r = r * t + -0x1.01daee2dee4ffp-57;
    r = r * t + -0x1.0907f42b70f8bp-2;
    return r;
}

/* aip(x) without its exponential and power, x > 0, 2^0 <= x < 2^4: 2^-53.3 */
static const double fit_aip_up_table[13][16] = {
    {-0x1.39dcb0410dfd3p-2, -0x1.34a117af26f0fp-2, -0x1.30fe934a752e1p-2, -0x1.2e58c9d9fbef4p-2,
     -0x1.2b864a9137aa3p-2, -0x1.2908d81b01151p-2, -0x1.27608319c7233p-2, -0x1.26359fd581a69p-2,
     -0x1.25010d75fb0b3p-2, -0x1.23f9e48b9ee85p-2, -0x1.234fb18266de9p-2, -0x1.22da4e347a2b1p-2,
     -0x1.22635b95303e3p-2, -0x1.21ffc6a479b2dp-2, -0x1.21c04f8dbab9bp-2, -0x1.2194fa82443bcp-2},
    {0x1.96dac8d3e7a15p-6, 0x1.1314c4a594ea0p-6, 0x1.88c4fed91921fp-7, 0x1.23fcd0f7c4f47p-7,
     0x1.8c42fc62740d3p-8, 0x1.fefb5b464c454p-9, 0x1.5f7ef7237cfd7p-9, 0x1.fb562d82dc66dp-10,
     0x1.4c95f1c1041dcp-10, 0x1.9ecc163ea4de2p-11, 0x1.168f70a6cb88ep-11, 0x1.8aec37cfdc5f3p-12,
     0x1.fbcb3cd13c833p-13, 0x1.3729ecc00a85ep-13, 0x1.9d06ae26ac50fp-14, 0x1.22561ebb13393p-14},
    {-0x1.5a0480c3b845ap-6, -0x1.8d8aa3e36bd2ap-7, -0x1.eeca40bc8aba6p-8, -0x1.46820ee0ded88p-8,
     -0x1.7bc95f6132d1bp-9, -0x1.9be33ce4a046bp-10, -0x1.e9380829035d4p-11,
     -0x1.36a9ecc5f179ap-11, -0x1.5923faece9d4dp-12, -0x1.65950455a06e4p-13,
     -0x1.9a9e8d7b71655p-14, -0x1.fc494af40f6f0p-15, -0x1.1270cd8337badp-15,
     -0x1.150b0c56ff528p-16, -0x1.38879a57101fcp-17, -0x1.7df669b1367cfp-18},
    {0x1.16ff94a0b84b2p-6, 0x1.0e3d411670ae6p-7, 0x1.23c1c643b61eep-8, 0x1.54b8116a210fcp-9,
     0x1.52b936e78819cp-10, 0x1.3466cce490f66p-11, 0x1.3c05d193cc5a5p-12, 0x1.611b457a0c40ep-13,
     0x1.4c7a68217852ep-14, 0x1.1e4cfa5e1d8fap-15, 0x1.193e9b251a515p-16, 0x1.302044496d68ep-17,
     0x1.13fe0577651ffp-18, 0x1.cb461811ad94fp-20, 0x1.b886d37d01282p-21, 0x1.d431c5ec78560p-22},
    {-0x1.bb0e0759b4732p-7, -0x1.671f2f403c976p-8, -0x1.4e9ce43acd8fcp-9, -0x1.588d104c58017p-10,
     -0x1.23be47e462a7fp-11, -0x1.bcd79e9d1b189p-13, -0x1.88bc94418af40p-14,
     -0x1.81cd7dc2f1819p-15, -0x1.33c25fca9975dp-16, -0x1.b88b8a2a9ee22p-18,
     -0x1.724c941a84245p-19, -0x1.5de72ce3dcd88p-20, -0x1.0af5854c101fep-21,
     -0x1.6e52c2aa1687fp-23, -0x1.2add6fee6f723p-24, -0x1.144b3f750a55cp-25},
    {0x1.5fb3b5e421d67p-7, 0x1.da216ac78ec35p-9, 0x1.7b81466a357ebp-10, 0x1.57619569f98b7p-11,
     0x1.ed82b912fd235p-13, 0x1.3a1ff1eaec9cdp-14, 0x1.dd12625c6bd0ap-16, 0x1.9b9e1382e1f4cp-17,
     0x1.15f8ab7fbca88p-18, 0x1.4a9d73a19b3d7p-20, 0x1.db90e9a333770p-22, 0x1.88b7ebe7b3f55p-23,
     0x1.f7ed0d1c3afa3p-25, 0x1.1d318cc0de30ap-26, 0x1.8beb37bfdeaa4p-28, 0x1.3e7297b016606p-29},
    {-0x1.18d97b1b255fcp-7, -0x1.395081c0dd9c4p-9, -0x1.ad344c09617d8p-11, -0x1.543616a49868bp-12,
     -0x1.9d90ee9ef2f70p-14, -0x1.b6407c40329acp-16, -0x1.1db62dfbc4811p-17,
     -0x1.b08564d0494e6p-19, -0x1.ee0c67b23f4e6p-21, -0x1.e7f3dceed9dc2p-23,
     -0x1.2c398bfea52f8p-24, -0x1.b1534aff9336bp-26, -0x1.d3a1718e5345ep-28,
     -0x1.b4b1b9d850400p-30, -0x1.01f1a3eba8906p-31, -0x1.6912e5ba417a5p-33},
    {0x1.c430c798edb2cp-8, 0x1.9ff5be9b6c186p-10, 0x1.e61d061882898p-12, 0x1.50b2986a6ea9bp-13,
     0x1.59278b31be241p-15, 0x1.2f9c5a6a9f821p-17, 0x1.533af6d5d567dp-19, 0x1.c1f580ba7adf2p-21,
     0x1.b22d15fc3f199p-23, 0x1.63d08d7e63b7dp-25, 0x1.7671d5cdbca84p-27, 0x1.d83f00c8ed17bp-29,
     0x1.ac9b6784f2b8bp-31, 0x1.4a41aec3d06f0p-33, 0x1.4c0c258c48652p-35, 0x1.94842dc15ab76p-37},
    {-0x1.6f1965a1779a9p-8, -0x1.15bdc37b7fb12p-10, -0x1.14432dca53720p-12,
     -0x1.4db8b73925fcfp-14, -0x1.1fc291b95145dp-16, -0x1.a32bca04e11a6p-19,
     -0x1.90a048703c4b2p-21, -0x1.d105da02c8de0p-23, -0x1.7a9721fdd9372p-25,
     -0x1.0136ba308f8a0p-27, -0x1.cec4b34bf4808p-30, -0x1.fde16c5ce6856p-32,
     -0x1.85265b28c347bp-34, -0x1.eed909acecb24p-37, -0x1.a77a1e9273035p-39,
     -0x1.c10715ef17032p-41},
    {0x1.2c3b47f6f78f4p-8, 0x1.751c697273679p-11, 0x1.3b5f0fde33a9bp-13, 0x1.4bb378b6c3f6ep-15,
     0x1.dff39bbb16fedp-18, 0x1.20e18ba20e984p-20, 0x1.d7a1d3d241851p-23, 0x1.de83bd75e7247p-25,
     0x1.48211176beed5p-27, 0x1.71641b0151bd3p-30, 0x1.1bf1ef3af0097p-32, 0x1.1141e6ed7e0adp-34,
     0x1.5e7fb1ea118c3p-37, 0x1.6fe27f666d0cep-40, 0x1.0c041bfc4b062p-42, 0x1.eec406657af2ap-45},
    {-0x1.eed17c733d5a1p-9, -0x1.f850a93f24125p-12, -0x1.69c1091bc8754p-14,
     -0x1.4aded2c48b93fp-16, -0x1.91310a8aeb06bp-19, -0x1.8e4193766de12p-22,
     -0x1.153a95bb2d662p-24, -0x1.eb245485cf126p-27, -0x1.1b78c088bb825p-29,
     -0x1.080be1bfa4d65p-32, -0x1.5aa255aec459dp-35, -0x1.23425e9144df5p-37,
     -0x1.3a09b6f5a5e33p-40, -0x1.0ff2514d1895bp-43, -0x1.51486b4e78f14p-46,
     -0x1.0efe2ff5be3ecp-48},
    {0x1.a969aff6edc35p-9, 0x1.5f0d0485c6f8bp-12, 0x1.a81db5dfbca88p-15, 0x1.4f961418e4c1dp-17,
     0x1.5cb37a67d6c4ep-20, 0x1.1997af62d1933p-23, 0x1.4b9818cecafd9p-26, 0x1.fe297548b0440p-29,
     0x1.fb90ed32ea85ep-32, 0x1.820412ba2213ep-35, 0x1.ad64cf4a79a0cp-38, 0x1.397d054ffa691p-40,
     0x1.23ac03d854ba6p-43, 0x1.9b40567b3e0e3p-47, 0x1.aed6162336695p-50, 0x1.2bdee5a867f88p-52},
    {-0x1.62ced68085e7fp-9, -0x1.df8f3f2af3872p-13, -0x1.eaec8145961a5p-16,
     -0x1.51419108d019bp-18, -0x1.2504f5fd7cf80p-21, -0x1.851d65901e008p-25,
     -0x1.85c8a1a72e8dbp-28, -0x1.054493cb22808p-30, -0x1.b497166285f2bp-34,
     -0x1.12334825fd8e2p-37, -0x1.0425f8b737e1ap-40, -0x1.4b6bae6143797p-43,
     -0x1.03021722cb650p-46, -0x1.2d3aa65b7fb11p-50, -0x1.0c9bf70db2f06p-53,
     -0x1.457fd5085710dp-56},
};
LANE double fit_aip_up(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p4, 2);
    double r = fit_aip_up_table[12][p.k];
    r = r * p.t + fit_aip_up_table[11][p.k];
    r = r * p.t + fit_aip_up_table[10][p.k];
    r = r * p.t + fit_aip_up_table[9][p.k];
    r = r * p.t + fit_aip_up_table[8][p.k];
    r = r * p.t + fit_aip_up_table[7][p.k];
    r = r * p.t + fit_aip_up_table[6][p.k];
    r = r * p.t + fit_aip_up_table[5][p.k];
    r = r * p.t + fit_aip_up_table[4][p.k];
    r = r * p.t + fit_aip_up_table[3][p.k];
    r = r * p.t + fit_aip_up_table[2][p.k];
    r = r * p.t + fit_aip_up_table[1][p.k];
    r = r * p.t + fit_aip_up_table[0][p.k];
    return r;
}

/* the same by u = 1 / zeta, zeta = 2/3 x^(3/2), x >= 16: 2^-54.9 */
LANE double fit_aip_tail(double t) {
    double r = -0x1.85b05051c8000p-3;
    r = r * t + 0x1.5a0970f0af243p-4;
    r = r * t + -0x1.1e684c02fa85bp-5;
    r = r * t + 0x1.219b24f342d66p-6;
    r = r * t + -0x1.8883476535554p-7;
    r = r * t + 0x1.95a8c64899ec7p-7;
    r = r * t + -0x1.c1587d22eac57p-6;
    r = r * t + -0x1.20dd750429b6dp-2;
    return r;
}

/* aip(-x), 2^0 <= x < 2^3: 2^-53.2 */
static const double fit_aip_down_table[14][24] = {
    {0x1.8f0a631a0c03ep-6, 0x1.96335386c4f08p-4, 0x1.7155402b4f3f8p-3, 0x1.101b913d4b9cbp-2,
     0x1.691b3da197fc5p-2, 0x1.c058b6e5acdd2p-2, 0x1.09055aab90b41p-1, 0x1.2d07c3455d22bp-1,
     0x1.554463ed081b7p-1, 0x1.66715d49a6da3p-1, 0x1.424855a09fb3ap-1, 0x1.c82b2df04c92cp-2,
     0x1.4e2ea991f03b0p-3, -0x1.652953faa38bbp-3, -0x1.ff8bab913842ep-2, -0x1.76f3e496825aap-1,
     -0x1.84beb2bf68f2dp-1, -0x1.044ccc5fedad9p-3, 0x1.6733c101c4b90p-1, 0x1.7a73ecc8b9b11p-1,
     -0x1.87583b9af1c1bp-3, -0x1.d03b837256366p-1, -0x1.336f3acc28469p-2, 0x1.9f59e5a8e3ebap-1},
    {0x1.231c124b9e1c6p-1, 0x1.40b5af4ba4cdcp-1, 0x1.56c45c358b764p-1, 0x1.62ea487bd1e43p-1,
     0x1.62dbd0dfdecb0p-1, 0x1.5487a98833e6ep-1, 0x1.364436d029aa3p-1, 0x1.06ffe90fde5abp-1,
     0x1.3fb3bc3306ebcp-2, -0x1.f70c32a50e90dp-5, -0x1.0543d13e3b0aep-1, -0x1.e755afb8ed2a7p-1,
     -0x1.4716345305f9fp+0, -0x1.607eabe5a33d5p+0, -0x1.2b6d2f7bb1b20p+0, -0x1.49307820cae7bp-1,
     0x1.160e3f0e2d3dep-1, 0x1.c9222378924bep+0, 0x1.265944440c90dp+0, -0x1.15f9bef0093bdp+0,
     -0x1.17b08c54dcfdbp+1, -0x1.cd82e7832d8c3p-3, 0x1.2c6e6686f28ddp+1, 0x1.5b27f9c9328f5p+0},
    {0x1.04bc7529fb2d1p-2, 0x1.a38d48c0dd340p-3, 0x1.17efd759bdd71p-3, 0x1.9a8f95d36b3c3p-5,
     -0x1.b809eacc3987cp-5, -0x1.60fe66f8ab871p-3, -0x1.352b3dd2755b4p-2, -0x1.bf8126b14c867p-2,
     -0x1.44fbfd7123180p-1, -0x1.b04518b56c393p-1, -0x1.d8c2b6b7d0aa0p-1, -0x1.9ca0063001acbp-1,
     -0x1.d66a588630770p-2, 0x1.71e068b5e0499p-4, 0x1.7cfcdea8ee619p-1, 0x1.55ff5677f2bcfp+0,
     0x1.ad65cece16e06p+0, 0x1.f5955c93d6ffep-2, -0x1.bb6b6cea51014p+0, -0x1.1c194f5c1958dp+1,
     0x1.b0798352302d8p-2, 0x1.858f3cf287f14p+1, 0x1.400d220c2ec54p+0, -0x1.872c3ff94056ap+1},
    {-0x1.bda8a22d4ba88p-4, -0x1.4198635d034b0p-3, -0x1.a7083b67f471fp-3, -0x1.04c41dcfc31c4p-2,
     -0x1.3130e6aa76b33p-2, -0x1.54ff36fe817b9p-2, -0x1.6c221d90244eep-2, -0x1.728a735dd3070p-2,
     -0x1.54bd3ff017db2p-2, -0x1.ac249cb489074p-3, 0x1.b80e6ac126394p-7, 0x1.3af90e6bc9c27p-2,
     0x1.38dde85fa78a2p-1, 0x1.aa51f30c8ff0ap-1, 0x1.bf108b4daac24p-1, 0x1.5195ef1cae7e8p-1,
     -0x1.0d7f6efe49961p-3, -0x1.5f0d28e61f3fap+0, -0x1.3d6c113bd672fp+0, 0x1.96a2b45e7e781p-1,
     0x1.2b7f136ba091dp+1, 0x1.1c8b5243018b8p-1, -0x1.5e36196fe368dp+1, -0x1.02d14f2003a53p+1},
    {-0x1.7f7426752711ap-4, -0x1.93befb0725eabp-4, -0x1.9400d3512cfd5p-4, -0x1.7b818cca7ba5dp-4,
     -0x1.4635d6413db6ep-4, -0x1.e28039248751dp-5, -0x1.ede85b2eb5b6ep-6, 0x1.a037fed4dbc29p-8,
     0x1.2c8b1e46c396cp-4, 0x1.65ef1524c8cc8p-3, 0x1.1026243ffa0d2p-2, 0x1.3f8cc43a916d7p-2,
     0x1.1e0c21371f9c1p-2, 0x1.2c7b1d2c0fb32p-3, -0x1.41de10763207dp-4, -0x1.677306fd66cfap-2,
     -0x1.52e9e509168f0p-1, -0x1.ab1c310c23b9dp-2, 0x1.3a67ae3c05753p-1, 0x1.330223eb9a0cdp+0,
     0x1.b38a14d03ced9p-5, -0x1.af0b18f2ce51bp+0, -0x1.0c78de33c0532p+0, 0x1.cdded368d205ap+0},
    {-0x1.6ed50a5ba47ccp-7, -0x1.1c0355e22f829p-8, 0x1.232b39df1f8aep-8, 0x1.ea4771f2464a8p-7,
     0x1.b8291d81604ffp-6, 0x1.444dfa2e1a799p-5, 0x1.ace2fef036c7bp-5, 0x1.06eb4a38f8503p-4,
     0x1.3e23a03594528p-4, 0x1.4c3a58cba2cc0p-4, 0x1.e9d6b03243dacp-5, 0x1.37a893cbef960p-7,
     -0x1.09a3b142b7b35p-4, -0x1.2c18656a4680ap-3, -0x1.a9b7f5b44a4d5p-3, -0x1.bc070bb1ef17fp-3,
     -0x1.577cd5f4061adp-4, 0x1.2c0f58261848dp-2, 0x1.c389d9ce61d1ep-2, -0x1.492f28bf89958p-4,
     -0x1.84c94b9613808p-1, -0x1.8fd51a2a4e874p-2, 0x1.d12206be7cab7p-1, 0x1.f97ae54daf1d4p-1},
    {0x1.0132b86c066c4p-7, 0x1.563fef99df453p-7, 0x1.a76c2d4c61a53p-7, 0x1.ed2a5973b38c7p-7,
     0x1.0f6bd11491536p-6, 0x1.199cd5c20bf2ap-6, 0x1.109883e2621ebp-6, 0x1.e09d31538f140p-7,
     0x1.1c02d52918327p-7, -0x1.4fe897d2e06b5p-8, -0x1.862d2a4ea9a18p-6, -0x1.5dfaac50d5f2cp-5,
     -0x1.bef361430b4fdp-5, -0x1.a36e08c29b1c6p-5, -0x1.b88453ea28c7bp-6, 0x1.24bf693acdd4ap-6,
     0x1.968f6ef6ec070p-4, 0x1.f8898fa9d8f01p-4, -0x1.c91abfda0fba2p-5, -0x1.0d42664e7a231p-2,
     -0x1.bcb27c056ffcbp-4, 0x1.6c3a1c6926f6ap-2, 0x1.78429afd220c0p-2, -0x1.86fe59b64d35ap-2},
    {0x1.83b4c7ddd4f9dp-9, 0x1.813310eb8de38p-9, 0x1.5f2d2387b381bp-9, 0x1.17dafd0252184p-9,
     0x1.4e7f9c020f4b8p-10, 0x1.82e3bba3c6d3bp-14, -0x1.6e7c5af21ab66p-10, -0x1.9be710da2aa8cp-9,
     -0x1.8aeeb8fb4483dp-8, -0x1.39eba6dd173f3p-7, -0x1.73481655b0a69p-7, -0x1.397e5fa8d7c61p-7,
     -0x1.9da42da23582ep-9, 0x1.f0f2be3975657p-8, 0x1.4abbc04212d6ep-6, 0x1.ec0de609766d2p-6,
     0x1.c0e505df2806ep-6, -0x1.5bb71b6178027p-6, -0x1.29a21c0b6c6a5p-4, -0x1.7d1e81e6f2bd5p-6,
     0x1.c89e6d32dba97p-4, 0x1.c61561b3f4522p-4, -0x1.03cc5318b76b6p-3, -0x1.dea9adad39869p-3},
    {0x1.61985bbd121eep-14, -0x1.1323c8ded9d57p-13, -0x1.9e9f8a99326fbp-12,
     -0x1.6df9f86fa9182p-11, -0x1.0be3eecb41998p-10, -0x1.5ffb07c0f8db1p-10,
     -0x1.ab1712d3f78d2p-10, -0x1.e395fd91ac691p-10, -0x1.fe6737dd301e1p-10,
     -0x1.81fc6eea1f8d5p-10, -0x1.0f6a02c9d07c9p-13, 0x1.0582e8e539366p-9, 0x1.2013fa586bfd0p-8,
     0x1.9249e34837c5cp-8, 0x1.8ddff36dd2fe8p-8, 0x1.adfadcde24977p-9, -0x1.7b2f3f5348049p-8,
     -0x1.0f33c9b4aded0p-6, -0x1.033903c72977bp-8, 0x1.d5c967f8967b4p-6, 0x1.c9b75f43cf182p-6,
     -0x1.1c94893e17593p-5, -0x1.105f01ba40776p-4, 0x1.08647d8c428dep-5},
    {-0x1.60d286fc17409p-13, -0x1.c155079d9ad94p-13, -0x1.0a48f5554c658p-12,
     -0x1.2732238fc170ap-12, -0x1.30c408abf7e8dp-12, -0x1.2059800536f00p-12,
     -0x1.e00a08e0caa2dp-13, -0x1.36e5580f48bc7p-13, 0x1.51e3fb572786dp-15, 0x1.a0abb020c1abbp-12,
     0x1.9ec40a296b880p-11, 0x1.15e9381fee129p-10, 0x1.06edcf4495762p-10, 0x1.df76b5d9893f4p-12,
     -0x1.3517f8e9fad78p-11, -0x1.f20fe1df9445cp-10, -0x1.a27c1e0e34827p-9,
     -0x1.2306a79ae5f6ap-11, 0x1.9548a86cbc735p-8, 0x1.8b479932508dfp-8, -0x1.04a081eb4db08p-7,
     -0x1.06c88c5e1db82p-6, 0x1.c6e51f5f69b4bp-8, 0x1.ff7b554060fcep-6},
    {-0x1.3e83822e7d7b4p-15, -0x1.25a3673217f86p-15, -0x1.d122fa23d1d38p-16,
     -0x1.04b6c51ed115fp-16, 0x1.e0eabe226328fp-20, 0x1.930849f37c2abp-16, 0x1.a5d48b3187992p-15,
     0x1.4b545dcdf7e57p-14, 0x1.fcc3f231faa8fp-14, 0x1.4c9f4bf9a94cep-13, 0x1.30f0e04fdd279p-13,
     0x1.d487a3cbbcd06p-15, -0x1.dab8317a696fdp-14, -0x1.54c365ba4e59fp-12,
     -0x1.047f5508f5113p-11, -0x1.0edf8fa954681p-11, -0x1.225868bd80962p-14,
     0x1.2a8f279ad9198p-10, 0x1.2a921e79cc239p-10, -0x1.94047ade91efap-10, -0x1.b4e9bda369814p-9,
     0x1.3fc6f80e3657bp-10, 0x1.c6f49bf26e7bfp-8, 0x1.2977a62595f47p-13},
    {0x1.9f42a7c0f1877p-21, 0x1.e850e09423524p-19, 0x1.d7625be42fadap-18, 0x1.680951e466fdep-17,
     0x1.e4e4a9acd7307p-17, 0x1.2a51da4aa341bp-16, 0x1.536066a5fb471p-16, 0x1.646de24ede74dp-16,
     0x1.3ce6fd9de1423p-16, 0x1.a656b73f1ebd1p-18, -0x1.26cc85971d639p-16, -0x1.917e3281a2ed1p-15,
     -0x1.31bed2a11591dp-14, -0x1.3ee8814cfd23fp-14, -0x1.5f7216627ccfap-15,
     0x1.1b7cabc7b8ecap-15, 0x1.7d443fd76977ap-13, 0x1.90e4dae1d0491p-13, -0x1.0b9aae0bfdd4dp-12,
     -0x1.3d23a80375b83p-11, 0x1.6400e92697f8bp-13, 0x1.5dfb7aa2f2e78p-10, 0x1.c10b871c6187bp-13,
     -0x1.4b030bbab9b79p-9},
    {0x1.ca54ee1e32b80p-20, 0x1.19d85424a6f8cp-19, 0x1.40edaf5e217d7p-19, 0x1.516f8721776c2p-19,
     0x1.420aa02b01d0ep-19, 0x1.0a2032434e99fp-19, 0x1.4634b7806adbbp-20, 0x1.3e80a02254656p-24,
     -0x1.33c5594982a1ep-19, -0x1.9d93687e6a19cp-18, -0x1.3dcad3818c746p-17,
     -0x1.5071aac2d967fp-17, -0x1.7b265dc068a57p-18, 0x1.2f3ffd7c2e7e0p-18, 0x1.373c71d1c3500p-16,
     0x1.03a66daa4439ap-15, 0x1.dd6065d0b280ap-16, -0x1.31526bae072abp-15, -0x1.923836e5b9c67p-14,
     0x1.2632a067df84cp-16, 0x1.d206f0a319920p-13, 0x1.215da280d8afdp-14, -0x1.c8c432bb1c0d7p-12,
     -0x1.138671381a83bp-12},
    {0x1.174c7956b7f8ap-22, 0x1.d1d8fb48cd9d1p-23, 0x1.210cdb7aede21p-23, 0x1.4a81d73802802p-27,
     -0x1.520f70188e566p-23, -0x1.830390b592716p-22, -0x1.3afa6b69bbf28p-21,
     -0x1.b62e147bd0060p-21, -0x1.286e554d22e80p-20, -0x1.42c99dc9ecb92p-20,
     -0x1.817b188253788p-21, 0x1.092cde78bed76p-21, 0x1.2e3035ebbcd85p-19, 0x1.0695bca3e8306p-18,
     0x1.29dfffa2c4508p-18, 0x1.72b6811811075p-19, -0x1.2cb5fc7c6dea0p-18, -0x1.cae88cbf10bcap-17,
     0x1.869c6fed235c1p-21, 0x1.139fdc22b4e61p-15, 0x1.0f084a4ebe114p-16, -0x1.14749afabc0a7p-14,
     -0x1.e2f667aa400d7p-15, 0x1.038dfa84c2674p-13},
};
LANE double fit_aip_down(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p3, 3);
    double r = fit_aip_down_table[13][p.k];
    r = r * p.t + fit_aip_down_table[12][p.k];
    r = r * p.t + fit_aip_down_table[11][p.k];
    r = r * p.t + fit_aip_down_table[10][p.k];
    r = r * p.t + fit_aip_down_table[9][p.k];
    r = r * p.t + fit_aip_down_table[8][p.k];
    r = r * p.t + fit_aip_down_table[7][p.k];
    r = r * p.t + fit_aip_down_table[6][p.k];
    r = r * p.t + fit_aip_down_table[5][p.k];
    r = r * p.t + fit_aip_down_table[4][p.k];
    r = r * p.t + fit_aip_down_table[3][p.k];
    r = r * p.t + fit_aip_down_table[2][p.k];
    r = r * p.t + fit_aip_down_table[1][p.k];
    r = r * p.t + fit_aip_down_table[0][p.k];
    return r;
}

/* bip(x), |x| < 1: 2^-54.5 */
LANE double fit_bip(double t) {
    double r = 0x1.1964403cd4c11p-36;
    r = r * t + 0x1.bd028f25a5565p-34;
    r = r * t + -0x1.76c34577d48adp-39;
    r = r * t + 0x1.2224a256c5647p-28;
    r = r * t + 0x1.b9262ff51473fp-26;
    r = r * t + 0x1.ca0fe7f51a0c9p-40;
    r = r * t + 0x1.ba270773a7572p-21;
    r = r * t + 0x1.2178a1a6fd626p-18;
    r = r * t + 0x1.a30c0f19f0d48p-41;
    r = r * t + 0x1.9e84d599cec81p-14;
    r = r * t + 0x1.bfc6a1b3eec84p-12;
    r = r * t + -0x1.e8af87baa14c0p-44;
    r = r * t + 0x1.980ac2239f69dp-8;
    r = r * t + 0x1.4fd4f9493858bp-6;
    r = r * t + -0x1.5fbcbb6a5a807p-50;
    r = r * t + 0x1.3208119ab304fp-3;
    r = r * t + 0x1.3ad7a9b4a3eaap-2;
    r = r * t + 0x1.e71244d0b5778p-57;
    r = r * t + 0x1.cb0c1a680c8a1p-2;
    return r;
}

/* bip(x) without its exponential and power, x > 0, 2^0 <= x < 2^4: 2^-53.2 */
static const double fit_bip_up_table[14][16] = {
    {0x1.ee2b909164025p-2, 0x1.fa3260980ef84p-2, 0x1.03a37a9aa2868p-1, 0x1.096bb03de7eb7p-1,
     0x1.0ff945760e720p-1, 0x1.1561d0e9dec70p-1, 0x1.1877e6354a97fp-1, 0x1.1a59d973d2eecp-1,
     0x1.1c12f5aefb278p-1, 0x1.1d676a48d7fd6p-1, 0x1.1e3564e115557p-1, 0x1.1ebdb8b343a02p-1,
     0x1.1f436f28e4efcp-1, 0x1.1fb023b86df82p-1, 0x1.1ff3f2505604cp-1, 0x1.20219abed71cap-1},
    {0x1.3ce97dc7df0b5p-5, 0x1.a65f2c3106b27p-5, 0x1.91dfcd3e96ae6p-5, 0x1.4eb827134bcf3p-5,
     0x1.c6c4aa6e5b7b7p-6, 0x1.00387d86e05c2p-6, 0x1.2d2c38ed0771fp-7, 0x1.808c45c410acdp-8,
     0x1.c128e54bb3bc6p-9, 0x1.015d41b3fc2b1p-9, 0x1.48dfee0b723afp-10, 0x1.c3303612fd406p-11,
     0x1.18d91a3acfc87p-11, 0x1.4f383fc71c1ccp-12, 0x1.b5a4439826a21p-13, 0x1.30359b5ddafeap-13},
    {0x1.a195fee9198a2p-5, 0x1.9086de1cbfc8cp-8, -0x1.a94fd76bf68aap-7, -0x1.2aed195d623b9p-6,
     -0x1.ff1ec7281ee22p-7, -0x1.21b3957166242p-7, -0x1.2811c58d33436p-8, -0x1.39b0bceb99b7ap-9,
     -0x1.1c8aaee462591p-10, -0x1.fc2f91a9e90f8p-12, -0x1.0c7446e01d4b3p-12,
     -0x1.3ae518bfa5073p-13, -0x1.42aed4726d362p-14, -0x1.3829b85df1e3ep-15,
     -0x1.56e49f592f191p-16, -0x1.9b99d2d1a3783p-17},
    {-0x1.595e3e335dc8ap-4, -0x1.429a949ca08c8p-5, -0x1.cf6cb5c16dcacp-7, -0x1.90f578a42fb63p-10,
     0x1.26f402b681f8ep-8, 0x1.f81adc3aff965p-9, 0x1.07b67ee7511bcp-9, 0x1.f1825230f9197p-11,
     0x1.603a22edccf30p-12, 0x1.df0edf3cf7a62p-14, 0x1.9e8619ae4f6f0p-15, 0x1.9e08576002377p-16,
     0x1.5c28e64e96519p-17, 0x1.106da5a2a49c4p-18, 0x1.f701468a409f8p-20, 0x1.047ee187c570fp-20},
    {0x1.dd0224c1a97f2p-5, 0x1.13c05efff7081p-5, 0x1.25ff1d2959f2bp-6, 0x1.0a8dc178bf5b0p-7,
     0x1.2419977d36e0ap-10, -0x1.02ab7c348209ap-10, -0x1.8277f62c7fe5fp-11,
     -0x1.7412faedc7f3bp-12, -0x1.b7db3a12bf72cp-14, -0x1.c022674ba7280p-16,
     -0x1.394099eee1f33p-17, -0x1.0903e0b6bef5dp-18, -0x1.6c74cccf14737p-20,
     -0x1.cc57553c0dd6ep-22, -0x1.64c757da56801p-23, -0x1.3ea5458e8eb0dp-24},
    {-0x1.a03aa6e49232ep-6, -0x1.fa2929c443491p-7, -0x1.4778820d4ab3fp-7, -0x1.82cb889de1838p-8,
     -0x1.0976320470172p-9, -0x1.ba5aee927334cp-14, 0x1.78329284286cfp-13, 0x1.e08db64a5cab0p-14,
     0x1.11c4691204b3bp-15, 0x1.a8da16f59ca50p-18, 0x1.d744049cf0cfap-20, 0x1.4f3f05d66d8eep-21,
     0x1.7766b7b5d0826p-23, 0x1.7dcb07274def1p-25, 0x1.f03fb767f9c5bp-27, 0x1.7de9d8bfe6185p-28},
    {0x1.661b29196270bp-7, 0x1.1d79456b8c761p-8, 0x1.99f538efbb524p-9, 0x1.3092eb5c93e16p-9,
     0x1.30a9020d56f3bp-10, 0x1.0f61caf90d060p-12, -0x1.eae67b7465b91p-22, -0x1.c7484856757b6p-16,
     -0x1.4328dd61451fbp-17, -0x1.9c5c2d984d9f6p-20, -0x1.650581d5d6206p-22,
     -0x1.a6b58ef14f5bcp-24, -0x1.7f5e9de081f03p-26, -0x1.39196a712a2a2p-28,
     -0x1.54d3be235858ap-30, -0x1.c3bb58e8c4ad6p-32},
    {-0x1.19a47d70e429ap-7, -0x1.4a973c7403bb3p-10, -0x1.e81bf1b652884p-12,
     -0x1.ec75a3def0ff2p-12, -0x1.8f8a4f97b9df6p-12, -0x1.2e97ec07e9081p-13,
     -0x1.b093caf8c56fap-16, 0x1.1aecf15cbad9ep-19, 0x1.4cfa8a86e88dbp-19, 0x1.97105413b80f6p-22,
     0x1.13287c9299868p-24, 0x1.0b55986a0d8ecp-26, 0x1.8602b00f075fap-29, 0x1.fdfc9bfd80045p-32,
     0x1.d04df3bccaa1dp-34, 0x1.08c219952a783p-35},
    {0x1.193ef8e88c6d6p-7, 0x1.1b7965f70beb0p-10, 0x1.b5ec0dd6b3116p-15, -0x1.de35e43b8ebc0p-18,
     0x1.e8878abe2ecf2p-15, 0x1.8c0ab9a12379cp-15, 0x1.f120363566831p-17, 0x1.041a2c685d947p-19,
     -0x1.007005f80e689p-21, -0x1.8d0d89fac31b6p-24, -0x1.b2c943ef2e314p-27,
     -0x1.55358f7299c06p-29, -0x1.8c9ba99d7570ep-32, -0x1.9da9c37b66184p-35,
     -0x1.3a82790d709d9p-37, -0x1.34638300d9c6ap-39},
    {-0x1.fc542a03b8d68p-8, -0x1.18bdbdcfe1d04p-10, -0x1.f6b6c724bcd24p-14, 0x1.455d33db84ccfp-16,
     0x1.31af7ca492ddep-17, -0x1.16eb8018be3bap-17, -0x1.4e19ede2f38e6p-18,
     -0x1.4fa3ce613ad46p-20, 0x1.06e2d43fada59p-25, 0x1.6ba72f0972216p-26, 0x1.60623b6a859b6p-29,
     0x1.ba2df568ba542p-32, 0x1.9444d58b66e1dp-35, 0x1.4edcfca3e29d9p-38, 0x1.a887bec907dc1p-41,
     0x1.6598f78d83a1ep-43},
    {0x1.a8dfb2552ddebp-8, 0x1.b573fffd94c1ap-11, 0x1.14a2ac43aada4p-13, 0x1.94a07f616b832p-17,
     -0x1.c9fc89bb09900p-18, -0x1.be6d3e8e0e435p-22, 0x1.109ae15292184p-20, 0x1.d8cf71956b821p-22,
     0x1.a4456719c3eaap-26, -0x1.214aede955b82p-28, -0x1.215b4a29ccf97p-31,
     -0x1.24a8f26b82073p-34, -0x1.9d7ce362274e6p-38, -0x1.0ed237cd27e62p-41,
     -0x1.1dcd17ed34fdap-44, -0x1.9d4a164464889p-47},
    {-0x1.5dbc98bee46a9p-8, -0x1.2be8274c1d177p-11, -0x1.7d01357a7fe9cp-14,
     -0x1.0fd9593eed926p-16, 0x1.8bd08469ae410p-21, 0x1.93748dacd3fefp-21, -0x1.aeebbf34f9fc9p-25,
     -0x1.b16e8382b70f4p-24, -0x1.dbe88d637e037p-27, 0x1.5110ae8a89b2ep-31, 0x1.d45a2d87dc365p-34,
     0x1.8dac4209f3ea4p-37, 0x1.aacc657f5510ap-41, 0x1.b6b065216656fp-45, 0x1.80737516aea1bp-48,
     0x1.dcad368face88p-51},
    {0x1.2e232451f0c69p-8, 0x1.9b4e220dce6b6p-12, 0x1.bc2884513e98bp-15, 0x1.4fbaf56f9e439p-17,
     0x1.afe7381cbb658p-21, -0x1.cdf03e98011d2p-23, -0x1.a804ebdc2b423p-25, 0x1.86ad7c73cceffp-27,
     0x1.36ffd02ad3b56p-28, -0x1.9e24984ff1dbbp-38, -0x1.6b87eb2bd0c9bp-36,
     -0x1.1c8027598352ep-39, -0x1.db37b9976c750p-44, -0x1.7184419c1d679p-48,
     -0x1.090fd226aef25p-51, -0x1.17918bf1ddfbep-54},
    {-0x1.faafd452bef0bp-9, -0x1.171dadf061b72p-12, -0x1.ecbe779592a1bp-16,
     -0x1.4307d464fdd70p-18, -0x1.24261dcf43ce9p-21, 0x1.ade89fb2f4e2dp-27, 0x1.576fb38cb7a83p-26,
     0x1.e4f6224acb5a4p-30, -0x1.0837db3e6adcfp-30, -0x1.0f8d8036659b0p-35, 0x1.e00e090529a2cp-39,
     0x1.90ad8402ea3d3p-42, 0x1.f8a4ef0b4070fp-47, 0x1.2cfc7282a8e80p-51, 0x1.649e7acb6ca20p-55,
     0x1.41bede70b493bp-58},
};
LANE double fit_bip_up(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p4, 2);
    double r = fit_bip_up_table[13][p.k];
    r = r * p.t + fit_bip_up_table[12][p.k];
    r = r * p.t + fit_bip_up_table[11][p.k];
    r = r * p.t + fit_bip_up_table[10][p.k];
    r = r * p.t + fit_bip_up_table[9][p.k];
    r = r * p.t + fit_bip_up_table[8][p.k];
    r = r * p.t + fit_bip_up_table[7][p.k];
    r = r * p.t + fit_bip_up_table[6][p.k];
    r = r * p.t + fit_bip_up_table[5][p.k];
    r = r * p.t + fit_bip_up_table[4][p.k];
    r = r * p.t + fit_bip_up_table[3][p.k];
    r = r * p.t + fit_bip_up_table[2][p.k];
    r = r * p.t + fit_bip_up_table[1][p.k];
    r = r * p.t + fit_bip_up_table[0][p.k];
    return r;
}

/* the same by u = 1 / zeta, zeta = 2/3 x^(3/2), x >= 16: 2^-56.1 */
LANE double fit_bip_tail(double t) {
    double r = -0x1.6d28e15e483e0p+1;
    r = r * t + -0x1.e004d8f1a2585p-2;
    r = r * t + -0x1.66c32a034a5afp-3;
    r = r * t + -0x1.1eb9891fe8d83p-4;
    r = r * t + -0x1.219da51bc1166p-5;
    r = r * t + -0x1.88834d559fe1cp-6;
    r = r * t + -0x1.95a8c64e36fd7p-6;
    r = r * t + -0x1.c1587d22eb7f7p-5;
    r = r * t + 0x1.20dd750429b6dp-1;
    return r;
}

/* bip(-x), 2^0 <= x < 2^3: 2^-53.8 */
static const double fit_bip_down_table[14][24] = {
    {0x1.321becb9cfd19p-1, 0x1.342af45aa2399p-1, 0x1.3073911591007p-1, 0x1.25d74b5b6a46cp-1,
     0x1.1366b37c8bf29p-1, 0x1.f0ea55a6afa10p-2, 0x1.a95a551418f7dp-2, 0x1.504750677698fp-2,
     0x1.592cfb4d1052fp-3, -0x1.5d9abd4b6a31fp-4, -0x1.6a0f67fc9dcebp-2, -0x1.2d11214e4e486p-1,
     -0x1.782b50d623405p-1, -0x1.7e47ba55a9657p-1, -0x1.32d3314ebe9f5p-1, -0x1.377fcd8d3dfc1p-2,
     0x1.246307daf268bp-2, 0x1.a5e27782fb5f1p-1, 0x1.f3cbe8a417766p-2, -0x1.ddde4b3a404dap-2,
     -0x1.be574e9e20d20p-1, -0x1.2ec35a8e48a1bp-4, 0x1.c086d5eae5ceap-1, 0x1.e9702d3352b1ap-2},
    {0x1.22ad314659b0cp-4, -0x1.42ebc15d5bb53p-7, -0x1.bf575a4f06b2ap-4, -0x1.cc6d6270afd8cp-3,
     -0x1.69ae12070c00cp-2, -0x1.f56c5129c6f50p-2, -0x1.41b033367abafp-1, -0x1.8629372267a26p-1,
     -0x1.df297a43cae46p-1, -0x1.1286777608e35p+0, -0x1.0a71e9d1d9845p+0, -0x1.98869d43abafbp-1,
     -0x1.5f6a02fc46cccp-2, 0x1.0f661c67f7472p-2, 0x1.d03b640a96c51p-1, 0x1.6ace7be6f3432p+0,
     0x1.93d785b6257b0p+0, 0x1.46fc5d3d3bfd2p-2, -0x1.9502bcee1fc2ep+0, -0x1.ca6516e66c130p+0,
     0x1.c53a6869652b6p-2, 0x1.2cf7744df222cp+1, 0x1.ad13238738d24p-1, -0x1.1ef81e2479784p+1},
    {-0x1.230b2d40e9c8fp-2, -0x1.7232bdfa54600p-2, -0x1.ba32494f42c31p-2, -0x1.f6788250bf01bp-2,
     -0x1.1106a5821c0dfp-1, -0x1.1bebcbb6bb6bap-1, -0x1.197ac7b69e461p-1, -0x1.0792571c06a44p-1,
     -0x1.98dcd3bef5cc4p-2, -0x1.fd8fb6a916918p-4, 0x1.1032c349634cbp-2, 0x1.69bc580151481p-1,
     0x1.17d35c2771ab0p+0, 0x1.4c99c8a46c87fp+0, 0x1.36137d3d557e8p+0, 0x1.8b64733b6567dp-1,
     -0x1.af475ef2226c7p-2, -0x1.ec6213e331591p+0, -0x1.6e905c919a0acp+0, 0x1.2f9b814bbe907p+0,
     0x1.613c7906310e1p+1, 0x1.b1ce94963deb4p-2, -0x1.8f1458f970f1ep+1, -0x1.ff2be97bd8482p+0},
    {-0x1.b1e1e6a9fa5dcp-3, -0x1.96e55b3f30aa6p-3, -0x1.6501de3c1c9a6p-3, -0x1.197a2f8ee3927p-3,
     -0x1.65a73684c8b0bp-4, -0x1.89cfb0e7a9619p-6, 0x1.a48d69fc63f2ap-5, 0x1.17c5b19ccc211p-3,
     0x1.19e08cb88253fp-2, 0x1.cfcc77968196cp-2, 0x1.257b9341b8a0ep-1, 0x1.281b8bca8706fp-1,
     0x1.b1cec21cd1b58p-2, 0x1.98c430fa8203ep-4, -0x1.6465a2ada1c3fp-2, -0x1.a0b56872c5376p-1,
     -0x1.366b94b344154p+0, -0x1.0e0f6213e633fp-1, 0x1.38bc11ed59d62p+0, 0x1.df1e118c5798ep+0,
     -0x1.5d1a9b5e11af3p-3, -0x1.4f6f0490dfa5bp+1, -0x1.4dfcb3c8d8a10p+0, 0x1.5e467a624ec9ep+1},
    {0x1.0af93cce1e59ap-6, 0x1.2f2a347118545p-5, 0x1.f2c1d6b91c176p-5, 0x1.63dfc1b832270p-4,
     0x1.d13df56b0de43p-4, 0x1.1d0fb6e13b29dp-3, 0x1.4ae79ceee7a7dp-3, 0x1.6d4dc928a2c5fp-3,
     0x1.8062f2cadc7ffp-3, 0x1.44f35adec4748p-3, 0x1.26b768c37c25cp-4, -0x1.1ccd0b69856fcp-4,
     -0x1.ef1dd4931b1bdp-3, -0x1.9819c545f901fp-2, -0x1.eabbbb0217aa5p-2, -0x1.b4c2c85f2b1f8p-2,
     -0x1.8969347fdd083p-5, 0x1.715ddf4009c8dp-1, 0x1.a5ff003aef353p-1, -0x1.60b781b351846p-2,
     -0x1.7e1e26a9bf74dp+0, -0x1.107dd3f135b97p-1, 0x1.c76763f4f853fp+0, 0x1.91dfb8fe6af1bp+0},
    {0x1.eed8bad603c6bp-6, 0x1.2613aafe1de43p-5, 0x1.498d716f6294dp-5, 0x1.5ce8bbb5363b0p-5,
     0x1.5b1c6aa9218cap-5, 0x1.3f768b4a8ddc6p-5, 0x1.0621e216da6f2p-5, 0x1.59767251343c3p-6,
     -0x1.58917bf854950p-9, -0x1.74aad0b86f912p-5, -0x1.7cbe395cd812cp-4, -0x1.0ab987d9123fcp-3,
     -0x1.1cce2324715b7p-3, -0x1.a7c0e06ab9b4fp-4, -0x1.2170ad85a0308p-6, 0x1.b305be09aecd7p-4,
     0x1.249bef6440b19p-2, 0x1.0394a9393ccdbp-2, -0x1.cd3df446eba64p-3, -0x1.3bf93932439cfp-1,
     -0x1.0bb0b912cca99p-3, 0x1.b6600e02d799fp-1, 0x1.5c8fd5cdba3acp-1, -0x1.dac540b28a882p-1},
    {0x1.0e5825780d4bep-7, 0x1.be8693b8f9300p-8, 0x1.2d71d8e4b1a49p-8, 0x1.99dd785ece989p-10,
     -0x1.2a885056b63abp-9, -0x1.bf79abb312880p-8, -0x1.85f7762a9b42ap-7, -0x1.19ff6bab64f1dp-6,
     -0x1.95bcb4323b1edp-6, -0x1.018026c583a37p-5, -0x1.ee7606e051c1ap-6, -0x1.1da2ed7aebf54p-6,
     0x1.ed91699d85319p-8, 0x1.4d3a0b54c5ca3p-5, 0x1.289657a2389f6p-4, 0x1.6c900a576e6cdp-4,
     0x1.d5a07a8060891p-5, -0x1.79d82d4de1bfap-4, -0x1.8fa46401a0304p-3, -0x1.87f69731cc16fp-7,
     0x1.45b458cbe09a4p-2, 0x1.d4dd63e5bc024p-3, -0x1.808f2914b43d1p-2, -0x1.0a039a5d4e1d8p-1},
    {-0x1.425712165fdbfp-10, -0x1.0f9fd92300437p-9, -0x1.88c78fe7be221p-9, -0x1.02384c902eeb5p-8,
     -0x1.3bfd298910f22p-8, -0x1.6b4fe64325853p-8, -0x1.890a1ff97aa43p-8, -0x1.8dbcf9818bdf1p-8,
     -0x1.56b8eb87fe39ep-8, -0x1.010530066b95ap-9, 0x1.ec07f5af30d8cp-9, 0x1.65397542d19c0p-7,
     0x1.1ab247f1d5260p-6, 0x1.42c44a8b6fdd3p-6, 0x1.f2a2232441dafp-7, 0x1.38f1e8ad286d4p-9,
     -0x1.c34479473e40ep-6, -0x1.93b64abf4491ep-5, 0x1.2dab038522afap-8, 0x1.8260720ad3013p-4,
     0x1.fcb44d3b9092ep-5, -0x1.f5576c8dea703p-4, -0x1.58c416f69b4ccp-3, 0x1.0291a79df45b3p-3},
    {-0x1.9bf76f8d201dbp-11, -0x1.d3da32624e293p-11, -0x1.efec9a94d28f5p-11,
     -0x1.e6411c1382324p-11, -0x1.ad7f0e640e02dp-11, -0x1.3e13c66cc8ec2p-11,
     -0x1.2720269cd0154p-12, 0x1.479d014ff94a3p-13, 0x1.04b2897788364p-10, 0x1.2af4784ab89acp-9,
     0x1.b74068d8dfb1dp-9, 0x1.d8f2ac026c929p-9, 0x1.44a792a9685eap-9, -0x1.3696868414896p-12,
     -0x1.1b0f46427b47ep-8, -0x1.1250b19cb7597p-7, -0x1.51a35686f711cp-7, 0x1.4d5ce38415884p-9,
     0x1.789af4bfc3b66p-6, 0x1.cd8b4a45e9fd4p-7, -0x1.0c800578c7a1cp-5, -0x1.742f4fbcecdd7p-5,
     0x1.1a1b36c4e71cap-5, 0x1.75a4d88d145fcp-4},
    {-0x1.d929b5103127ap-14, -0x1.36418e22519d3p-14, -0x1.346ec00a67df5p-16,
     0x1.c3b5bb58f4687p-15, 0x1.2741281ae588dp-13, 0x1.f3c5ea834c378p-13, 0x1.6462c9ea771b7p-12,
     0x1.c9b8e70700c50p-12, 0x1.1f025e53717ebp-11, 0x1.27801391e8fb3p-11, 0x1.66ccf198339d7p-12,
     -0x1.4c90f3f320413p-13, -0x1.c74f283ca8463p-11, -0x1.9b5545d057f3dp-10,
     -0x1.f62229384e2f0p-10, -0x1.9408cf573eb4bp-10, 0x1.77502054bf9aap-11, 0x1.3507e05b982f7p-8,
     0x1.69fe0a91f916fp-9, -0x1.e142a877ac9e0p-8, -0x1.561212d66367bp-7, 0x1.00edee6d7af9dp-7,
     0x1.7764d9e411c55p-6, -0x1.5e275ac7abc01p-8},
    {0x1.9d810468bb93bp-16, 0x1.3c1181e31e565p-15, 0x1.adf0774dbb31bp-15, 0x1.0cb55cb7cc62ap-14,
     0x1.387182e9c2edfp-14, 0x1.525c7c1af9455p-14, 0x1.5234a4198f127p-14, 0x1.3015beab42347p-14,
     0x1.5f61ef9f663bdp-15, -0x1.2b49bfd773b84p-15, -0x1.2f6412d6d0f53p-13,
     -0x1.07c11d6775db8p-12, -0x1.3c56b2119638ap-12, -0x1.ed218fc395de7p-13,
     -0x1.109327f595c75p-16, 0x1.5aa6e9a9af9b9p-12, 0x1.b39bb2a77748ep-11, 0x1.f92165bb9f3f6p-12,
     -0x1.6e966cd275b7ap-10, -0x1.107c4fe227610p-9, 0x1.8936ebee8dce4p-10, 0x1.439088dd136acp-8,
     -0x1.5f54b9051a34fp-11, -0x1.35196daa2166ap-7},
    {0x1.2ee2683da5d64p-17, 0x1.493ead69d7b99p-17, 0x1.47f5322e8a913p-17, 0x1.22bbee52ac3b6p-17,
     0x1.a51a087ff0270p-18, 0x1.4bd0f6002b656p-19, -0x1.7212efe5a4787p-19, -0x1.36efc47258c54p-17,
     -0x1.59f4c259df90bp-16, -0x1.275889ad63080p-15, -0x1.60756dbb7c92bp-15,
     -0x1.0ef9a4efe57c5p-15, -0x1.757f26ce27e01p-22, 0x1.acf410aff92dap-15, 0x1.bfbfe25c2b296p-14,
     0x1.2332f8a5e6d50p-13, 0x1.4082b659056d8p-14, -0x1.e0e8c290efa44p-13, -0x1.7da9c5736f873p-12,
     0x1.faae8387effc3p-13, 0x1.e489357991671p-11, -0x1.75c2d6ca3ece8p-16, -0x1.e70b54a3a9c68p-10,
     -0x1.1dac27685ba4fp-11},
    {0x1.8dc5bf390b2b3p-21, 0x1.2909d26ec6c24p-22, -0x1.7f839c810cd37p-22, -0x1.33e4c1562b369p-20,
     -0x1.13dadf60ede99p-19, -0x1.94f11a54aa24ep-19, -0x1.0852fc553405cp-18,
     -0x1.3b6f975104accp-18, -0x1.5eb8fc98c81d7p-18, -0x1.0f28a4a3f70c6p-18,
     0x1.4f8d64f90020ap-25, 0x1.c8a6dc97476cep-18, 0x1.e2085d09cfe2bp-17, 0x1.3fa4526de8c8ep-16,
     0x1.12688d3652253p-16, 0x1.9ec4049eaabacp-19, -0x1.11df84fab2c02p-15, -0x1.d5ddae4ff12f0p-15,
     0x1.13b72a45a3e9ep-15, 0x1.3b68c8cc64aa5p-13, 0x1.ec0426f2f9881p-17, -0x1.4a885ff1da55fp-12,
     -0x1.3b6fc233c1a46p-13, 0x1.372d4460b05fap-11},
    {-0x1.f63b976c3d88ep-23, -0x1.6b1b9773f2d6dp-22, -0x1.d911deec7b72bp-22,
     -0x1.1b51340592235p-21, -0x1.394d713ad987ap-21, -0x1.3d13eeb814cd3p-21,
     -0x1.1d5940042cf49p-21, -0x1.a4643f621877ep-22, -0x1.6aed58064f6c7p-27,
     0x1.a6113bdfb23ddp-21, 0x1.cd08b744a8d22p-20, 0x1.3b7f9737218afp-19, 0x1.1b51f90d722d9p-19,
     0x1.1dc0c073832d7p-21, -0x1.3e022c37be447p-19, -0x1.82477e1ff0f19p-18,
     -0x1.066bf349a0c79p-17, 0x1.eb0407699ba5bp-19, 0x1.6ef3e515653b6p-16, 0x1.6c7b8610a80acp-18,
     -0x1.8c26a07b8fdb8p-15, -0x1.14a06b39b6b4ep-15, 0x1.7ba80e51e20e2p-14,
     0x1.8051499d68c28p-14},
};
LANE double fit_bip_down(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p3, 3);
    double r = fit_bip_down_table[13][p.k];
    r = r * p.t + fit_bip_down_table[12][p.k];
    r = r * p.t + fit_bip_down_table[11][p.k];
    r = r * p.t + fit_bip_down_table[10][p.k];
    r = r * p.t + fit_bip_down_table[9][p.k];
    r = r * p.t + fit_bip_down_table[8][p.k];
    r = r * p.t + fit_bip_down_table[7][p.k];
    r = r * p.t + fit_bip_down_table[6][p.k];
    r = r * p.t + fit_bip_down_table[5][p.k];
    r = r * p.t + fit_bip_down_table[4][p.k];
    r = r * p.t + fit_bip_down_table[3][p.k];
    r = r * p.t + fit_bip_down_table[2][p.k];
    r = r * p.t + fit_bip_down_table[1][p.k];
    r = r * p.t + fit_bip_down_table[0][p.k];
    return r;
}

/* size of Ai' and Bi' of -x by u = zeta^-2, x >= 8: 2^-56.4 */
LANE double fit_airy_modulus_prime(double t) {
    double r = 0x1.c735592ee88e7p+14;
    r = r * t + -0x1.60e23f0074c77p+10;
    r = r * t + 0x1.d157ef946ae6bp+5;
    r = r * t + -0x1.a73722844b788p+1;
    r = r * t + 0x1.4972dcf9063c4p-2;
    r = r * t + -0x1.127819155c444p-4;
    r = r * t + 0x1.8e38e38e3370fp-5;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

/* zeta times the phase beyond zeta - pi / 4: 2^-53.9 */
LANE double fit_airy_phase_prime(double t) {
    double r = 0x1.e767a47b137f1p+22;
    r = r * t + -0x1.3e3365778a106p+18;
    r = r * t + 0x1.1f7bb4bb0e4e4p+13;
    r = r * t + -0x1.2496824a215c9p+8;
    r = r * t + 0x1.a62db477ed55dp+3;
    r = r * t + -0x1.ebd9d648c96e7p-1;
    r = r * t + 0x1.0fc0ee29d6787p-3;
    r = r * t + -0x1.81511e8d284dap-5;
    r = r * t + 0x1.8e38e38e38e39p-4;
    return r;
}

LANE_END

#endif
