/* fit_bessel.h - J and Y of orders 0 and 1.
 *
 * Made by tools/special_fit.py. The numbers after the colons are the errors of the fits alone. */
#ifndef WEFT_SPECIAL_FIT_BESSEL_H
#define WEFT_SPECIAL_FIT_BESSEL_H

#include "lane.h"

LANE_BEGIN

/* 2 / pi */
#define FIT_TWO_PER_PI 0x1.45f306dc9c883p-1

/* sqrt(2 / pi) */
#define FIT_SQRT_TWO_PER_PI 0x1.9884533d43651p-1

/* J0(x) by z = x^2, x < 1: 2^-56.7 */
LANE double fit_j0(double t) {
    double r = -0x1.4ceb79930e928p-39;
    r = r * t + 0x1.02dfdb3f2258ep-31;
    r = r * t + -0x1.2345592a2cee7p-24;
    r = r * t + 0x1.c71c71ac2df5dp-18;
    r = r * t + -0x1.c71c71c70108cp-12;
    r = r * t + 0x1.ffffffffffe4ap-7;
    r = r * t + -0x1.fffffffffffffp-3;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

/* Y0(x) without its logarithm and pole by z = x^2, x < 1/2: 2^-57.1 */
LANE double fit_y0(double t) {
    double r = -0x1.a4f151e580359p-31;
    r = r * t + 0x1.bce3483520657p-24;
    r = r * t + -0x1.3e9978cace765p-17;
    r = r * t + 0x1.1a6206b78fbccp-11;
    r = r * t + -0x1.075b1bbf41285p-6;
    r = r * t + 0x1.6bbcb41034286p-3;
    r = r * t + -0x1.2e4d699cbd01fp-4;
    return r;
}

/* J0(x), 2^0 <= x < 2^3: 2^-53.3 */
static const double fit_j0_table_table[11][24] = {
    {0x1.79619cb2c1ca7p-1, 0x1.5acc78d152363p-1, 0x1.3a22680ed7250p-1, 0x1.17c2f12b9b74fp-1,
     0x1.e824056833087p-2, 0x1.9eed56add19adp-2, 0x1.54b3925081212p-2, 0x1.0a4968bdeb3dcp-2,
     0x1.382ee4d39f511p-3, 0x1.fe78de45b17d2p-7, -0x1.bc5db65d2a197p-4, -0x1.b7f15ff27299ep-3,
     -0x1.32a70ee3cd6f5p-2, -0x1.705132d1d9be6p-2, -0x1.937b4938aa870p-2, -0x1.9c0a65186bbb0p-2,
     -0x1.7a0f812c83da7p-2, -0x1.053e64ea6a671p-2, -0x1.7d427de6153d0p-4, 0x1.3731e8e50b996p-4,
     0x1.b4688ec8898c4p-3, 0x1.28675c56eb554p-2, 0x1.2b013ddfbec0bp-2, 0x1.cd47850686e28p-3},
    {-0x1.d6c2f3100822ep-2, -0x1.faf18278f5adep-2, -0x1.0ca8c29d6120bp-1, -0x1.18c941bfc4f50p-1,
     -0x1.21bc0fd368ed2p-1, -0x1.276d65a325ed2p-1, -0x1.29d41a148b9f5p-1, -0x1.28f1b3ff8a915p-1,
     -0x1.2192718f2904cp-1, -0x1.0d05b61537fabp-1, -0x1.dae913f18f66dp-2, -0x1.896d353f52f90p-2,
     -0x1.2a22db050a95dp-2, -0x1.846094a41de38p-3, -0x1.5c3bdf0d15d26p-4, 0x1.1c011f1f5d985p-6,
     0x1.3e92ac250af97p-3, 0x1.2820958a7f423p-2, 0x1.614b582aa567ep-2, 0x1.45933fd0b40b1p-2,
     0x1.c4094eb49a82ep-3, 0x1.49008b7cb882ep-4, -0x1.18e920168c56ep-4, -0x1.8866f09a3fa9fp-3},
    {-0x1.37b163b0c737dp-3, -0x1.0ab29eb60b6e2p-3, -0x1.b5c442ee03ceep-4, -0x1.51ba5ba3f0bacp-4,
     -0x1.d51f20c289f2ep-5, -0x1.0329fd9ede78cp-5, -0x1.8204c2d0beb82p-8, 0x1.41e3d2d30ddacp-6,
     0x1.d1c98782c5338p-5, 0x1.a52f89d397660p-4, 0x1.24028161073fdp-3, 0x1.64d0c27e8dd01p-3,
     0x1.920e5f3755f13p-3, 0x1.a9dac4199251ep-3, 0x1.ab7f6a4265696p-3, 0x1.9775bb4d97a3ep-3,
     0x1.5494d6555562bp-3, 0x1.8dcd6272187c4p-4, 0x1.c0551ba8a6004p-7, -0x1.0cd74d6d33ba5p-4,
     -0x1.fcbbf789461c1p-4, -0x1.3496c9cd50fb4p-3, -0x1.21517a8f84f2bp-3, -0x1.9aa5978744dd2p-4},
    {0x1.ced12d79d2320p-5, 0x1.f00c73568dad6p-5, 0x1.057304ea63cc9p-4, 0x1.0f85245381e2ep-4,
     0x1.161e64e04f4a5p-4, 0x1.192c975ee8f0fp-4, 0x1.18a9c83d6eaf1p-4, 0x1.149c4bb6e53edp-4,
     0x1.080fbda2450a5p-4, 0x1.d7fb675dc3e75p-5, 0x1.88ff1c07c95f6p-5, 0x1.27a010ba83cfep-5,
     0x1.7287e20afed45p-6, 0x1.0fcb4afc4b20cp-7, -0x1.8ff80367c6ac2p-8, -0x1.4495913cce993p-6,
     -0x1.33790cf4f9e4dp-5, -0x1.b12b29806e1abp-5, -0x1.cd15bba572219p-5, -0x1.85ccf3e169db1p-5,
     -0x1.dec1731e7459ep-6, -0x1.726fbaa8b3351p-8, 0x1.22207637f6eb4p-6, 0x1.2492045c8231cp-5},
    {0x1.2254fd256323fp-7, 0x1.e1a4312ff2e1ap-8, 0x1.78af3d7bdb415p-8, 0x1.0b3757ebd4275p-8,
     0x1.356f6385ee33ep-9, 0x1.45a94d7533840p-11, -0x1.251c7fd965b95p-10, -0x1.736a8386d31a4p-9,
     -0x1.5c284f30ff374p-8, -0x1.10dba85f14940p-7, -0x1.64095ad1d3f87p-7, -0x1.a350a807d0daep-7,
     -0x1.cb852651955e3p-7, -0x1.dac592b7595cbp-7, -0x1.d093ee9ad5a31p-7, -0x1.add97e09b289dp-7,
     -0x1.510368c16a0abp-7, -0x1.3bbc8af4358abp-8, 0x1.7551d8fb2df66p-10, 0x1.cf386999d8a56p-8,
     0x1.659f837d262bdp-7, 0x1.8f89ac6d9f7f7p-7, 0x1.5f8ff4e4eece6p-7, 0x1.c80b08eee30acp-8},
    {-0x1.31eb6802e9fa8p-9, -0x1.471b696d793d1p-9, -0x1.57db5b6f83f59p-9, -0x1.63f3102389ef8p-9,
     -0x1.6b3b010653bffp-9, -0x1.6d9cd6935194cp-9, -0x1.6b13b1414780bp-9, -0x1.63ac32e6fc884p-9,
     -0x1.4fb623caa5c81p-9, -0x1.25b105468aaf9p-9, -0x1.d8b0ec62362f1p-10, -0x1.4ddef1809d4a2p-10,
     -0x1.657a112f43c0ep-11, -0x1.fe9876632a39ep-15, 0x1.22eb35c81ca6bp-11, 0x1.28a580f6f2f48p-10,
     0x1.e6955da038aabp-10, 0x1.3ee44463d110dp-9, 0x1.43585d8228517p-9, 0x1.01c097a330eb7p-9,
     0x1.1545398eb96a2p-10, -0x1.84a8eb0a62d02p-15, -0x1.1f0c445e75af9p-10,
     -0x1.e6db5bc3e07f5p-10},
    {-0x1.f170e27c10e1fp-13, -0x1.958ec32942f08p-13, -0x1.34518cec5e60ep-13,
     -0x1.9e2a5a55e3c24p-14, -0x1.9d0dba443bbfcp-15, 0x1.b12e1827acd56p-21, 0x1.a94addefbd883p-15,
     0x1.a25a387219390p-14, 0x1.65044b0fce49ep-13, 0x1.0b88bc5b8f878p-12, 0x1.553d5c3b9cc08p-12,
     0x1.8ba41bc7009afp-12, 0x1.abdc2de9ba7c4p-12, 0x1.b4482ff54457cp-12, 0x1.a4a3d2dd59e00p-12,
     0x1.7e05b3fc7779fp-12, 0x1.1e868198db572p-12, 0x1.b7ab5b29ef3e6p-14, -0x1.5699a6d9f8a5cp-14,
     -0x1.00a69991f8856p-12, -0x1.6ded4afdfd625p-12, -0x1.86e820cba74a1p-12,
     -0x1.4864f814640b3p-12, -0x1.85c950280082fp-13},
    {0x1.95ce065d52693p-15, 0x1.b14a465e25415p-15, 0x1.c6b75680e845bp-15, 0x1.d5ca5288ad458p-15,
     0x1.de4f81ea6e34ep-15, 0x1.e02b0ec8216dap-15, 0x1.db5964a2bb4dap-15, 0x1.cfef3577cc2cep-15,
     0x1.b2d9fdc02f3dcp-15, 0x1.775e251e638c1p-15, 0x1.27758d3f8bc38p-15, 0x1.8f707bc84b808p-16,
     0x1.767841479d29bp-17, -0x1.0d22d42164de3p-19, -0x1.f56def3aeb255p-17,
     -0x1.c3cc5d5a15fb2p-16, -0x1.5daff4214db3bp-15, -0x1.ba078e5e0a1e5p-15,
     -0x1.b30641d636453p-15, -0x1.4c36a4dcb9129p-15, -0x1.3d18194601215p-16,
     0x1.6caacfde52a5ep-18, 0x1.d378e749d6932p-16, 0x1.6c0b125bda96dp-15},
    {0x1.e65493bebf473p-19, 0x1.88305b6f7cbacp-19, 0x1.24a9ab3560f49p-19, 0x1.7a577197f3160p-20,
     0x1.4cbf7f51e48e5p-21, -0x1.7c7d1785602e4p-23, -0x1.046c595b980ddp-20,
     -0x1.d530ffae748c0p-20, -0x1.801cb2d914fc3p-19, -0x1.197fa3eb6e415p-18,
     -0x1.62b0805b8f447p-18, -0x1.978f508b65055p-18, -0x1.b5379c3c3307fp-18,
     -0x1.ba1b80dcb2b4dp-18, -0x1.a6193190613d2p-18, -0x1.7a7b576dee621p-18,
     -0x1.12e29230fc9cap-18, -0x1.600df3d47fbcep-20, 0x1.cb41e98198a93p-20, 0x1.1fe82d4c1c581p-18,
     0x1.88f8a43d20d9bp-18, 0x1.97b43e712ab06p-18, 0x1.4aa076a2731efp-18, 0x1.6a32f6a491dd5p-19},
    {-0x1.438188797e125p-21, -0x1.59167e558d561p-21, -0x1.69bf9a173ce76p-21,
     -0x1.754115c448b14p-21, -0x1.7b723c71bcdb8p-21, -0x1.7c3dfd533f2d6p-21,
     -0x1.77a3356f97551p-21, -0x1.6db4aef342527p-21, -0x1.5514071abac03p-21,
     -0x1.23beffe6ea339p-21, -0x1.c43bae24f716dp-22, -0x1.27ff18b68b246p-22,
     -0x1.ef3ae7dabe36dp-24, 0x1.b3690f633fb17p-25, 0x1.c8fb7cdf5fdccp-23, 0x1.847566d88a5c5p-22,
     0x1.22edfbe5a1c2bp-21, 0x1.679a8f9340e8fp-21, 0x1.5ab10a33ae08fp-21, 0x1.004a30573b974p-21,
     0x1.b8156fa629066p-23, -0x1.d0de9c68011a4p-24, -0x1.a3439ce507278p-22,
     -0x1.36797accc0af6p-21},
    {-0x1.3285b9a0bf7c5p-25, -0x1.eaa9751038734p-26, -0x1.695fe26b9c309p-26,
     -0x1.c61a304020b67p-27, -0x1.66870c040b074p-28, 0x1.8732fc9ed83ccp-29, 0x1.7517d2d99af82p-27,
     0x1.41533f950b053p-26, 0x1.00e31cbbbea69p-25, 0x1.7382b2e6bc5cep-25, 0x1.d08302d033566p-25,
     0x1.094f83fe6eb6ap-24, 0x1.1b11d076b1f45p-24, 0x1.1c92b6e420324p-24, 0x1.0dcdfb465a08dp-24,
     0x1.df609258dc24bp-25, 0x1.5386495a9817fp-25, 0x1.70920de37f7aep-27, -0x1.591ea2f3b8421p-26,
     -0x1.8a56f722b79ccp-25, -0x1.05b786d658857p-24, -0x1.09ec901589eebp-24,
     -0x1.a387657a89e8ep-25, -0x1.ac12ce8de768ep-26},
};
LANE double fit_j0_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p3, 3);
    double r = fit_j0_table_table[10][p.k];
    r = r * p.t + fit_j0_table_table[9][p.k];
    r = r * p.t + fit_j0_table_table[8][p.k];
    r = r * p.t + fit_j0_table_table[7][p.k];
    r = r * p.t + fit_j0_table_table[6][p.k];
    r = r * p.t + fit_j0_table_table[5][p.k];
    r = r * p.t + fit_j0_table_table[4][p.k];
    r = r * p.t + fit_j0_table_table[3][p.k];
    r = r * p.t + fit_j0_table_table[2][p.k];
    r = r * p.t + fit_j0_table_table[1][p.k];
    r = r * p.t + fit_j0_table_table[0][p.k];
    return r;
}

/* Y0(x), 2^-1 <= x < 2^3: 2^-53.1 */
static const double fit_y0_table_table[11][32] = {
    {-0x1.994d75f242705p-2, -0x1.440444c1f7473p-2, -0x1.ec248b7fb3d6ap-3, -0x1.5c9bdd59aade3p-3,
     -0x1.af7d911061c7ep-4, -0x1.713534f51d94ep-5, 0x1.6a9f3448c3d8cp-7, 0x1.03bf67d087059p-4,
     0x1.155604f3706c8p-3, 0x1.c318256dabd86p-3, 0x1.2c606e86c3694p-2, 0x1.6bea9735dc296p-2,
     0x1.a0b596fb54de3p-2, 0x1.cb2e78ddb0b81p-2, 0x1.ebb4750df5f29p-2, 0x1.0151bb27f901ep-1,
     0x1.09f0f995cb215p-1, 0x1.068b13f5a6b10p-1, 0x1.e7ee30648a72bp-2, 0x1.a92dca3034579p-2,
     0x1.56506de081a74p-2, 0x1.eab5e99e09dc8p-3, 0x1.193934128ebedp-3, 0x1.133795e84af28p-5,
     -0x1.ca6b6bd8b84d9p-4, -0x1.0b8088882f8c8p-2, -0x1.56cfd7f1be688p-2, -0x1.4b17de4be5046p-2,
     -0x1.e53e6b7171fc2p-3, -0x1.9f44effe309c5p-4, 0x1.8cad67c523e06p-5, 0x1.6a065356b65adp-3},
    {0x1.65d008bf7d244p+0, 0x1.458dd64d3abb1p+0, 0x1.2ac5cdcf89a08p+0, 0x1.13eb29592edccp+0,
     0x1.ffe5856f033b2p-1, 0x1.dc45d11631c36p-1, 0x1.bbee5e955e541p-1, 0x1.9e1e67092de92p-1,
     0x1.74f694515335ap-1, 0x1.42cfd119b24cap-1, 0x1.145210baf11adp-1, 0x1.d0b48611cee91p-2,
     0x1.7c8ac2d80ef5fp-2, 0x1.2b80f32114331p-2, 0x1.bab0f046907d7p-3, 0x1.242cc3fb9820dp-3,
     0x1.38ba68ddbc79ep-5, -0x1.6b450e1e688ebp-4, -0x1.967fbde1e26fcp-3, -0x1.27187e118f03ap-2,
     -0x1.6bcae39fcec60p-2, -0x1.97a7366a44ae0p-2, -0x1.aa1032ea71092p-2, -0x1.a392128ee4f97p-2,
     -0x1.6f2caf14a1da9p-2, -0x1.d5743acb30f05p-3, -0x1.fac3ebf84801ep-5, 0x1.aaaf889b4c107p-4,
     0x1.dc5802afa2aadp-3, 0x1.30d7a2a1e29f3p-2, 0x1.284ad730f7a35p-2, 0x1.b6f3d0c4914f0p-3},
    {-0x1.1d9a1d413c88fp+0, -0x1.d34c21d850e2ap-1, -0x1.89c13a76f39e5p-1, -0x1.544f86350bd76p-1,
     -0x1.2ca549218b511p-1, -0x1.0eb2ac5287872p-1, -0x1.ef8560c567d61p-2, -0x1.cbf225c9bc23ep-2,
     -0x1.a45bb27a57990p-2, -0x1.809d7612bdbd7p-2, -0x1.68b7e27c7aedap-2, -0x1.57984295fe65cp-2,
     -0x1.4a20cc66a4fb4p-2, -0x1.3e5525a80dc08p-2, -0x1.32e9ce6d672dep-2, -0x1.2704ed37eb9acp-2,
     -0x1.1323a25105612p-2, -0x1.e6d8fe030c7b8p-3, -0x1.9a808621225d6p-3, -0x1.428971d10dba8p-3,
     -0x1.c3cd16dfdb21cp-4, -0x1.f246d51cf1bb6p-5, -0x1.713b820e191d8p-7, 0x1.277f1ee9ae1cep-5,
     0x1.91ff71b9d57e9p-4, 0x1.3ceb1575273a0p-3, 0x1.62e0b2e55e994p-3, 0x1.388aabd5d6945p-3,
     0x1.990760c5fbcc5p-4, 0x1.d53e7491d95f8p-6, -0x1.69cf713b612fdp-5, -0x1.a2a9ea25c0d89p-4},
    {0x1.4ade86db7cf7ap+0, 0x1.cda48e649c9b9p-1, 0x1.4ba940a97910fp-1, 0x1.e7c6099ceeae6p-2,
     0x1.6d7b87db16b32p-2, 0x1.1620d567c9261p-2, 0x1.aceb955707e47p-3, 0x1.4e9ee92422e7ep-3,
     0x1.d6b99942ee312p-4, 0x1.32a889863396fp-4, 0x1.a7c6caab16be1p-5, 0x1.3da245042e5bfp-5,
     0x1.07db20942ec54p-5, 0x1.e7e134e7d36f8p-6, 0x1.ec8507377818fp-6, 0x1.07272444d1d7fp-5,
     0x1.30b19d037cd38p-5, 0x1.74f0bf26a53a9p-5, 0x1.b82dfa74ecd3fp-5, 0x1.ef70ef411accdp-5,
     0x1.09e2b4f9c2703p-4, 0x1.10841bee3e589p-4, 0x1.0aabb0544a919p-4, 0x1.f0c08618b8063p-5,
     0x1.8f6750bafc7d4p-5, 0x1.a446f7b8652a5p-6, -0x1.17656da7141e0p-10, -0x1.a4cce4fbd5214p-6,
     -0x1.61100af99fa26p-5, -0x1.991f31901fc0ep-5, -0x1.72e7d33788354p-5, -0x1.f77f52c0723d8p-6},
    {-0x1.f36fd3e8cdb29p+0, -0x1.3dc8f21bc0854p+0, -0x1.a61b70276590dp-1, -0x1.221ccad7018d7p-1,
     -0x1.99f5d1d878462p-2, -0x1.282ff6857368ap-2, -0x1.b3aaaa34de7cdp-3, -0x1.44e5638b469f7p-3,
     -0x1.aa2c5689ca11dp-4, -0x1.ed6737d052ccdp-5, -0x1.1a62c11df466dp-5, -0x1.30593b5bba569p-6,
     -0x1.13b85fc69fc0ep-7, -0x1.d096fadbd81ccp-10, 0x1.54b35af02aa9bp-9, 0x1.6460b26bb3ed0p-8,
     0x1.fcfc806fc67dcp-8, 0x1.18049b162c6b3p-7, 0x1.f57fa916209b3p-8, 0x1.758edf923c93ap-8,
     0x1.948c07d98dab4p-9, 0x1.db9849a6deae1p-14, -0x1.84c343f31a2dcp-9, -0x1.84b04c1369230p-8,
     -0x1.3f8be4c0bcdc0p-7, -0x1.a780127977bc1p-7, -0x1.b40169452c2c5p-7, -0x1.646b4633eb39cp-7,
     -0x1.99abef1b98329p-8, -0x1.0ce92fbc32adfp-11, 0x1.4a33767824ad3p-8, 0x1.2d0aa3b980554p-7},
    {0x1.7d37054a00581p+1, 0x1.b44ed9f867dbep+0, 0x1.07fe375e7c3fbp+0, 0x1.4e63220b21375p-1,
     0x1.b801fee442e1ep-2, 0x1.2b017c0da8175p-2, 0x1.a1d21747fe7dfp-3, 0x1.2b0c6aaaa0d73p-3,
     0x1.78792dbc04c71p-4, 0x1.af4962fcf2adep-5, 0x1.04dd7ebb1a270p-5, 0x1.48d4c70fe4beep-6,
     0x1.aa72e144ea0cep-7, 0x1.1891dad169fffp-7, 0x1.702aeecc64f8ap-8, 0x1.d5b19faacc9eep-9,
     0x1.93534f6f63fd5p-10, -0x1.3ad367fbfbd68p-13, -0x1.3acb87e0dc310p-10,
     -0x1.ea7f405e10f7fp-10, -0x1.29a8a529aabd1p-9, -0x1.417046913328ep-9, -0x1.408174f26ca01p-9,
     -0x1.29eaa4d3b8428p-9, -0x1.cc86edb535d3ap-10, -0x1.813baf4f9e349p-11, 0x1.c379487e0edafp-12,
     0x1.817a4a7f8db86p-10, 0x1.1a9d5c4ef09a4p-9, 0x1.337549f7311bdp-9, 0x1.07c6c22767b4ap-9,
     0x1.47103cb2d654cp-10},
    {-0x1.2c052dd451ba5p+2, -0x1.335d24df22ed4p+1, -0x1.509e0548d8582p+0, -0x1.8555eb840ba2fp-1,
     -0x1.d7452dc125d0ep-2, -0x1.286de2b7e488dp-2, -0x1.81750265cb6ecp-3, -0x1.01ee13a94072ap-3,
     -0x1.27d5d58689854p-4, -0x1.2f6d2b763553ep-5, -0x1.4df4f4822218ep-6, -0x1.866ce11699910p-7,
     -0x1.e1875b54a6bd2p-8, -0x1.37c8698999969p-8, -0x1.a65d46f6840c5p-9, -0x1.2a3714a29fecdp-9,
     -0x1.7af9dc805ab2dp-10, -0x1.c8b7fe4c6b7d4p-11, -0x1.2398ac1f7cadap-11,
     -0x1.6dcd57495b593p-12, -0x1.8dd65f59d98ddp-13, -0x1.d068b6e978008p-15,
     0x1.056d869b8ed9ep-14, 0x1.59c48b6297232p-13, 0x1.2d13cfd7ef4dcp-12, 0x1.8e25a6abb7b5cp-12,
     0x1.90817d7e8fe4ep-12, 0x1.38d687ed2b089p-12, 0x1.3c1eb4efad606p-13, -0x1.b212b9c1207a9p-16,
     -0x1.90c2a564361ecp-13, -0x1.432fb283ac4b2p-12},
    {0x1.e51d1729624aap+2, 0x1.bce27994f2566p+1, 0x1.b907f5571527cp+0, 0x1.d1f2596615db6p-1,
     0x1.038874def0de8p-1, 0x1.2e5f4ebb8a502p-2, 0x1.6e1139f32c579p-3, 0x1.ca287b471cb01p-4,
     0x1.de7a0c1a27f9fp-5, 0x1.b54572d97707bp-6, 0x1.afd4b1bca015ap-7, 0x1.c671af0b1fb85p-8,
     0x1.f87ec0845760ep-9, 0x1.25499317a1d24p-9, 0x1.637648ad1a986p-10, 0x1.bff2abf11c9f5p-11,
     0x1.e1c9cb9df1d64p-12, 0x1.e7270f9dd2535p-13, 0x1.274287b85b18dp-13, 0x1.a918ddbde1ebep-14,
     0x1.5a65998a1957cp-14, 0x1.2c85d21fda15ep-14, 0x1.0816f28f404efp-14, 0x1.c5bb641f5b87ep-15,
     0x1.4363db2e08b7fp-15, 0x1.cdb3b28f67c54p-17, -0x1.9b9ccc9170118p-17, -0x1.20f3b035d0c34p-15,
     -0x1.944d1954b3e3bp-15, -0x1.a9c5364cf8597p-15, -0x1.5f39e81dcf1d1p-15,
     -0x1.90010547ab617p-16},
    {-0x1.900798c899991p+3, -0x1.485881f43e6ddp+2, -0x1.269b5903b3fbap+1, -0x1.1c4c1bb3a145ep+0,
     -0x1.237f716b9fccbp-1, -0x1.3a9b23189daf3p-2, -0x1.62cb43454625ep-3, -0x1.9fa21ce0cd167p-4,
     -0x1.8c20d72cadec8p-5, -0x1.445583f9614d3p-6, -0x1.222824a9f1176p-7, -0x1.1703833b460dcp-8,
     -0x1.1cd086570f874p-9, -0x1.31a1af030cbd7p-10, -0x1.560dcfc03bb3fp-11,
     -0x1.8ca0b331f5dd7p-12, -0x1.71bdc32faa9aep-13, -0x1.20f97c7100aaep-14,
     -0x1.e3ade6fe1856fp-16, -0x1.b4075d8f29ac7p-17, -0x1.c5a862fe5329dp-18,
     -0x1.357e486d82394p-18, -0x1.1e41ceaa1dde5p-18, -0x1.3a4ee0e612071p-18,
     -0x1.7d5fcda791652p-18, -0x1.b7c0180022719p-18, -0x1.a2cbd6698deaap-18,
     -0x1.383a49cfa7d39p-18, -0x1.1a7e70f1b46acp-19, 0x1.c0c090ef8d6a8p-21, 0x1.d6f42a431d7bap-19,
     0x1.6514969de4bd6p-18},
    {0x1.5192a673ddb9dp+4, 0x1.ef276fafc4e76p+2, 0x1.91987998b9dcbp+1, 0x1.61a0a05413c84p+0,
     0x1.4d72743f9c7a5p-1, 0x1.4d25b864e6f0ap-2, 0x1.5dc232e374098p-3, 0x1.7f4d64ec9bd5ap-4,
     0x1.4f1be3d515f43p-5, 0x1.eaac85a7bbfd5p-7, 0x1.8d31d8bcba72ep-8, 0x1.5d0520f313fa8p-9,
     0x1.485a9ebc7b765p-10, 0x1.473c8016c80e6p-11, 0x1.5692470b77e05p-12, 0x1.7622b5f848ccfp-13,
     0x1.44c3a0a6ab96bp-14, 0x1.d2f6e7225aef2p-16, 0x1.6ab0c1d7d6a3fp-17, 0x1.21b7a1a6995d1p-18,
     0x1.b4f10644e415dp-20, 0x1.e47a6012e28c4p-22, -0x1.192dd971b6fa4p-24, -0x1.1e82498ef1687p-22,
     -0x1.30609824280dap-22, -0x1.408387c50221cp-24, 0x1.d085ac1f41127p-23, 0x1.ff7842c8a4915p-22,
     0x1.53c316f55b6a2p-21, 0x1.5b73e57feaa8ep-21, 0x1.15638d66e28bdp-21, 0x1.24f9c5874706cp-22},
    {-0x1.1e24a17ab2d82p+5, -0x1.779379d1bf597p+3, -0x1.13a2fa030316ep+2, -0x1.bb481ba71f838p+0,
     -0x1.809c1edcd05b0p-1, -0x1.63dd53f4c84acp-2, -0x1.5be917f0d8607p-3, -0x1.64c0d2d96e02ap-4,
     -0x1.1c80bc303a837p-5, -0x1.74e6aa735d81ap-7, -0x1.1140fd20ae31dp-8, -0x1.b6b8db4196cfap-10,
     -0x1.7bfbf143966dfp-11, -0x1.5ef0c34d7a5a3p-12, -0x1.5675803fd50dbp-13,
     -0x1.5e867b0505a10p-14, -0x1.16dd1fd98f5abp-15, -0x1.6cbd72d1a3f8cp-17,
     -0x1.0b39ef76f63b8p-18, -0x1.ad30485bece37p-20, -0x1.70ff9515c8188p-21,
     -0x1.4769f8b9ca584p-22, -0x1.15add1f1888ecp-23, -0x1.609c020bc62adp-25,
     0x1.8176d2aed3a98p-26, 0x1.d5f2f51dae611p-25, 0x1.f2ff8d1174f74p-25, 0x1.75f9111cf69b9p-25,
     0x1.318a30452cf1ep-26, -0x1.a100983bc3ebbp-27, -0x1.4f009f21476e8p-25,
     -0x1.e629a8b996b1bp-25},
};
LANE double fit_y0_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p-1, 0x1p3, 3);
    double r = fit_y0_table_table[10][p.k];
    r = r * p.t + fit_y0_table_table[9][p.k];
    r = r * p.t + fit_y0_table_table[8][p.k];
    r = r * p.t + fit_y0_table_table[7][p.k];
    r = r * p.t + fit_y0_table_table[6][p.k];
    r = r * p.t + fit_y0_table_table[5][p.k];
    r = r * p.t + fit_y0_table_table[4][p.k];
    r = r * p.t + fit_y0_table_table[3][p.k];
    r = r * p.t + fit_y0_table_table[2][p.k];
    r = r * p.t + fit_y0_table_table[1][p.k];
    r = r * p.t + fit_y0_table_table[0][p.k];
    return r;
}

/* sqrt(J0^2 + Y0^2) sqrt(pi x / 2) by u = x^-2, x >= 8: 2^-56.8 */
LANE double fit_modulus0(double t) {
    double r = 0x1.1e0ea88e4ae7ep+39;
    r = r * t + -0x1.0f36a3184d0d7p+36;
    r = r * t + 0x1.e52b46dc75d2bp+31;
    r = r * t + -0x1.18bc7300eb1a0p+27;
    r = r * t + 0x1.f4db0d6d76d9ep+21;
    r = r * t + -0x1.9736d74a4de82p+16;
    r = r * t + 0x1.6c1a1f15d44d4p+11;
    r = r * t + -0x1.aad776b79d22dp+6;
    r = r * t + 0x1.764af65456401p+2;
    r = r * t + -0x1.15efefbc5e779p-1;
    r = r * t + 0x1.a7ffffe926478p-4;
    r = r * t + -0x1.fffffffffccbbp-5;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

/* x times the phase beyond x - pi / 4 - 0 pi / 2, by u = x^-2: 2^-55.1 */
LANE double fit_phase0(double t) {
    double r = -0x1.571be8481fb28p+53;
    r = r * t + 0x1.648d17a10464dp+50;
    r = r * t + -0x1.5901df3947f68p+46;
    r = r * t + 0x1.a1d1c9fdf6b75p+41;
    r = r * t + -0x1.6adbb844a5458p+36;
    r = r * t + 0x1.f48a0d8a2e087p+30;
    r = r * t + -0x1.31f8c0e29b4e3p+25;
    r = r * t + 0x1.7b8f4256b5341p+19;
    r = r * t + -0x1.14b4a9933e0e0p+14;
    r = r * t + 0x1.0babd6dd23c4fp+9;
    r = r * t + -0x1.779836d08edbfp+4;
    r = r * t + 0x1.a358419d3283fp+0;
    r = r * t + -0x1.ad33332b49e85p-3;
    r = r * t + 0x1.0aaaaaaaa9d58p-4;
    r = r * t + -0x1.0000000000000p-3;
    return r;
}

/* J1(x) / x by z = x^2, x < 1: 2^-57.8 */
LANE double fit_j1(double t) {
    double r = -0x1.4d7fccc21c4aap-43;
    r = r * t + 0x1.27dd6aa93c964p-35;
    r = r * t + -0x1.845c7d42aa00ep-28;
    r = r * t + 0x1.6c16c1601afe6p-21;
    r = r * t + -0x1.c71c71c7103f6p-15;
    r = r * t + 0x1.55555555554f4p-9;
    r = r * t + -0x1.0000000000000p-4;
    r = r * t + 0x1.0000000000000p-1;
    return r;
}

/* Y1(x) without its logarithm and pole, / x by z = x^2, x < 1/2: 2^-56.8 */
LANE double fit_y1(double t) {
    double r = 0x1.3171dbabdf16ep-27;
    r = r * t + -0x1.0a7739cc607acp-20;
    r = r * t + 0x1.2c7dbf908b92fp-14;
    r = r * t + -0x1.835b978919210p-9;
    r = r * t + 0x1.bd3975c75b391p-5;
    r = r * t + -0x1.91866143cbc8ap-3;
    return r;
}

/* J1(x), 2^0 <= x < 2^3: 2^-53.4 */
static const double fit_j1_table_table[11][24] = {
    {0x1.d6c2f3100822ep-2, 0x1.faf18278f5adep-2, 0x1.0ca8c29d6120bp-1, 0x1.18c941bfc4f50p-1,
     0x1.21bc0fd368ed2p-1, 0x1.276d65a325ed2p-1, 0x1.29d41a148b9f5p-1, 0x1.28f1b3ff8a915p-1,
     0x1.2192718f2904cp-1, 0x1.0d05b61537fabp-1, 0x1.dae913f18f66dp-2, 0x1.896d353f52f90p-2,
     0x1.2a22db050a95dp-2, 0x1.846094a41de38p-3, 0x1.5c3bdf0d15d26p-4, -0x1.1c011f1f5d985p-6,
     -0x1.3e92ac250af99p-3, -0x1.2820958a7f424p-2, -0x1.614b582aa567fp-2, -0x1.45933fd0b40b2p-2,
     -0x1.c4094eb49a82fp-3, -0x1.49008b7cb882dp-4, 0x1.18e920168c570p-4, 0x1.8866f09a3faa0p-3},
    {0x1.37b163b0c737dp-2, 0x1.0ab29eb60b6e2p-2, 0x1.b5c442ee03ceep-3, 0x1.51ba5ba3f0bacp-3,
     0x1.d51f20c289f2ep-4, 0x1.0329fd9ede78cp-4, 0x1.8204c2d0beb82p-7, -0x1.41e3d2d30ddacp-5,
     -0x1.d1c98782c5338p-4, -0x1.a52f89d397660p-3, -0x1.24028161073fdp-2, -0x1.64d0c27e8dd01p-2,
     -0x1.920e5f3755f13p-2, -0x1.a9dac4199251ep-2, -0x1.ab7f6a4265696p-2, -0x1.9775bb4d97a3ep-2,
     -0x1.5494d6555562bp-2, -0x1.8dcd6272187c4p-3, -0x1.c0551ba8a6009p-6, 0x1.0cd74d6d33ba3p-3,
     0x1.fcbbf789461bfp-3, 0x1.3496c9cd50fb3p-2, 0x1.21517a8f84f2ap-2, 0x1.9aa5978744dd1p-3},
    {-0x1.5b1ce21b5da58p-3, -0x1.74095680ea421p-3, -0x1.882c875f95b2dp-3, -0x1.9747b67d42d45p-3,
     -0x1.a12d975076ef7p-3, -0x1.a5c2e30e5d697p-3, -0x1.a4feac5c26069p-3, -0x1.9eea719257de4p-3,
     -0x1.8c179c73678ffp-3, -0x1.61fc8d8652edep-3, -0x1.26bf5505d707ep-3, -0x1.bb701917c5b83p-4,
     -0x1.15e5e9883f1f6p-4, -0x1.97b0f07a70b0cp-6, 0x1.2bfa028dd5027p-6, 0x1.e6e059db35e6ep-5,
     0x1.cd35936f77a45p-4, 0x1.44e05f205310dp-3, 0x1.59d04cbc160fbp-3, 0x1.2459b6e90fb9cp-3,
     0x1.67111656d7862p-4, 0x1.15d3cbfe859bep-6, -0x1.b330b153f3976p-5, -0x1.b6db068ac428fp-4},
    {-0x1.2254fd256323fp-5, -0x1.e1a4312ff2e1ap-6, -0x1.78af3d7bdb415p-6, -0x1.0b3757ebd4275p-6,
     -0x1.356f6385ee33ep-7, -0x1.45a94d7533840p-9, 0x1.251c7fd965b95p-8, 0x1.736a8386d31a3p-7,
     0x1.5c284f30ff36ep-6, 0x1.10dba85f1493cp-5, 0x1.64095ad1d3f81p-5, 0x1.a350a807d0da8p-5,
     0x1.cb852651955dcp-5, 0x1.dac592b7595c4p-5, 0x1.d093ee9ad5a2bp-5, 0x1.add97e09b2897p-5,
     0x1.510368c169cbap-5, 0x1.3bbc8af4356d5p-6, -0x1.7551d8fb2cd23p-8, -0x1.cf386999d807cp-6,
     -0x1.659f837d25c54p-5, -0x1.8f89ac6d9f18ep-5, -0x1.5f8ff4e4ee7f4p-5, -0x1.c80b08eee2beep-6},
    {0x1.7e664203a4b9ep-7, 0x1.98e243c8d7d16p-7, 0x1.add2324b653b4p-7, 0x1.bcefd42c6cb5ep-7,
     0x1.c609c147e8fbap-7, 0x1.c9040c382645ap-7, 0x1.c5d89d9199ab8p-7, 0x1.bc973fa0bbf2ep-7,
     0x1.a3a3acbd60173p-7, 0x1.6f1d46983bafdp-7, 0x1.276e93bd6cd86p-7, 0x1.a156ade0d2a2dp-8,
     0x1.bed8957b1f50ep-9, 0x1.3f1f49fdbfaf5p-12, -0x1.6ba6033a3c9cdp-9, -0x1.72cee134c4119p-8,
     -0x1.301d5a87e0a3fp-7, -0x1.8e9d55815263bp-7, -0x1.942e74e704b2cp-7, -0x1.4230bd8f1a6f9p-7,
     -0x1.5a9687f4d6c1cp-8, 0x1.e5d326087400ap-13, 0x1.66cf557bbbe47p-8, 0x1.3049195e79e63p-7},
    {0x1.7514a9dd0c8b1p-10, 0x1.302b125ef21c3p-10, 0x1.ce7a53628d6e0p-11, 0x1.369fc3c06abc0p-11,
     0x1.35ca4bb32cc03p-12, -0x1.44e2921dbe85dp-18, -0x1.3ef82673cdfdfp-12,
     -0x1.39c3aa5592c91p-11, -0x1.0bc3384bd4157p-10, -0x1.914d1a894dc99p-10,
     -0x1.ffdc0a595f4e1p-10, -0x1.28bb14d539baap-9, -0x1.40e5226f44b7ap-9, -0x1.473623f7ec1a7p-9,
     -0x1.3b7ade25fca8bp-9, -0x1.1e8446fd53a7cp-9, -0x1.adc9c263377b7p-10, -0x1.49c0845e7ce9fp-11,
     0x1.00f33d2114db3p-11, 0x1.80f9e6585eca1p-10, 0x1.1271f83ccf324p-9, 0x1.252e18970e89cp-9,
     0x1.ec97741bfd2fbp-10, 0x1.2456fc1cc1df8p-10},
    {-0x1.631445ab8aaa2p-12, -0x1.7b20fdadf869ap-12, -0x1.8de06bcdb2302p-12,
     -0x1.9b11085562caep-12, -0x1.a28591cb61b70p-12, -0x1.a425ad0d64e5cp-12,
     -0x1.9fee382c422d3p-12, -0x1.95f14ee5d97edp-12, -0x1.7c7ebfb7de38ep-12,
     -0x1.487261e96bd42p-12, -0x1.0286dcb0b2291p-12, -0x1.5d826db645f24p-13,
     -0x1.47a93a2ea44f9p-14, 0x1.d6fcf9194f3c4p-17, 0x1.b6c033ce66461p-14, 0x1.8b52d3b86a3f3p-13,
     0x1.31fa0d8b2a1bcp-12, 0x1.82c6b9b266baap-12, 0x1.7ca5954386833p-12, 0x1.22afe42f99166p-12,
     0x1.157525b04313fp-13, -0x1.3f15a575a69bap-15, -0x1.9909ee98823a3p-13,
     -0x1.3e89ca00b615ap-12},
    {-0x1.e65493b32ad88p-16, -0x1.88305b6645201p-16, -0x1.24a9ab2ea7f30p-16,
     -0x1.7a57718faf29dp-17, -0x1.4cbf7f4bf3f88p-18, 0x1.7c7d177277530p-20, 0x1.046c5953efad9p-17,
     0x1.d530ffa19ec51p-17, 0x1.801cb2375ea38p-16, 0x1.197fa3778ab21p-15, 0x1.62b07fcb6e0ddp-15,
     0x1.978f4fe7702fdp-15, 0x1.b5379b8df54fap-15, 0x1.ba1b802e48516p-15, 0x1.a61930ebe07d1p-15,
     0x1.7a7b56dcd1037p-15, 0x1.12e28be334b43p-15, 0x1.600dedf5ec64ep-17, -0x1.cb41dae56e1d4p-17,
     -0x1.1fe8256aa33efp-15, -0x1.88f899fb14921p-15, -0x1.97b4342e96305p-15,
     -0x1.4aa06eb82d202p-15, -0x1.6a32ef0f31c73p-16},
    {0x1.6bfa0b7e9d2ccp-18, 0x1.84422ca2529fep-18, 0x1.9700d79508a22p-18, 0x1.a3f2cc13c385ap-18,
     0x1.aaea3d8d29b0dp-18, 0x1.abcf789682307p-18, 0x1.a6a135d8a85d7p-18, 0x1.9b74994cd3a30p-18,
     0x1.7fd938c1c4724p-18, 0x1.48545a141e21dp-18, 0x1.fcf050d173304p-19, 0x1.4d1bd5361a6acp-19,
     0x1.16a6fd6587683p-20, -0x1.ea129348bb7eep-22, -0x1.0126f809e8b18p-19,
     -0x1.b52dfd7abcb62p-19, -0x1.47c6cbd2818d2p-18, -0x1.9523aa44e7422p-18,
     -0x1.8695666ef6d16p-18, -0x1.20b9f6f958071p-18, -0x1.efb84de23232bp-20,
     0x1.05f78cc517c15p-20, 0x1.d8665344ebdb8p-19, 0x1.5dce0f8f24902p-18},
    {0x1.7f25b57b26d95p-22, 0x1.32a8c236d8103p-22, 0x1.c3b62cc631ae4p-23, 0x1.1bcf55aa98238p-23,
     0x1.c02752dfa9c99p-25, -0x1.e8fd5eab42ea1p-26, -0x1.d25bdd78088f5p-24,
     -0x1.91a674c17fc0fp-23, -0x1.4116d638c07bfp-22, -0x1.d05c2168aaf2dp-22,
     -0x1.224d60b929974p-21, -0x1.4b9e455835e90p-21, -0x1.61d0d2a78077ep-21,
     -0x1.63b1f14af0c68p-21, -0x1.513c5612c6ae7p-21, -0x1.2b97d28d50536p-21,
     -0x1.a84ea4a1b3545p-22, -0x1.cc9f171bf85a9p-24, 0x1.af4913700b2d3p-23, 0x1.eccd2f1c41dbbp-22,
     0x1.4710e48101672p-21, 0x1.4c532eff64403p-21, 0x1.0624caeacc74bp-21, 0x1.0b7c9661c2d93p-22},
    {-0x1.d952f0bf127bap-25, -0x1.f88e8469a4415p-25, -0x1.083f585ffab7bp-24,
     -0x1.106603e237f88p-24, -0x1.149dd227f6868p-24, -0x1.14d8010929decp-24,
     -0x1.1114b37d6354dp-24, -0x1.0962ee448e67cp-24, -0x1.ed5f8f3bf72fbp-25,
     -0x1.a33b073e8cf50p-25, -0x1.413eea2d6481ap-25, -0x1.9a4c6914e6b87p-26,
     -0x1.36d4aa90ed76ap-27, 0x1.ad62b0a842ac3p-28, 0x1.6ac3bb10492e5p-26, 0x1.2a0c3c67282dap-25,
     0x1.b58d6d121dc88p-25, 0x1.0a4705cf80605p-24, 0x1.f9b284e8a8329p-25, 0x1.6c72001110a61p-25,
     0x1.1cc641d6b2f15p-26, -0x1.b2f1e9e4be144p-27, -0x1.4b1f83548e8dep-25,
     -0x1.da498b69607b5p-25},
};
LANE double fit_j1_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p0, 0x1p3, 3);
    double r = fit_j1_table_table[10][p.k];
    r = r * p.t + fit_j1_table_table[9][p.k];
    r = r * p.t + fit_j1_table_table[8][p.k];
    r = r * p.t + fit_j1_table_table[7][p.k];
    r = r * p.t + fit_j1_table_table[6][p.k];
    r = r * p.t + fit_j1_table_table[5][p.k];
    r = r * p.t + fit_j1_table_table[4][p.k];
    r = r * p.t + fit_j1_table_table[3][p.k];
    r = r * p.t + fit_j1_table_table[2][p.k];
    r = r * p.t + fit_j1_table_table[1][p.k];
    r = r * p.t + fit_j1_table_table[0][p.k];
    return r;
}

/* Y1(x), 2^-1 <= x < 2^3: 2^-53.9 */
static const double fit_y1_table_table[12][32] = {
    {-0x1.65d008bf7d242p+0, -0x1.458dd64d3abb1p+0, -0x1.2ac5cdcf89a08p+0, -0x1.13eb29592edccp+0,
     -0x1.ffe5856f033b2p-1, -0x1.dc45d11631c36p-1, -0x1.bbee5e955e541p-1, -0x1.9e1e67092de92p-1,
     -0x1.74f6945153357p-1, -0x1.42cfd119b24cap-1, -0x1.145210baf11adp-1, -0x1.d0b48611cee91p-2,
     -0x1.7c8ac2d80ef5fp-2, -0x1.2b80f32114331p-2, -0x1.bab0f046907d7p-3, -0x1.242cc3fb9820dp-3,
     -0x1.38ba68ddbc78ap-5, 0x1.6b450e1e688eep-4, 0x1.967fbde1e26fdp-3, 0x1.27187e118f03ap-2,
     0x1.6bcae39fcec60p-2, 0x1.97a7366a44ae0p-2, 0x1.aa1032ea71092p-2, 0x1.a392128ee4f97p-2,
     0x1.6f2caf14a1daap-2, 0x1.d5743acb30f06p-3, 0x1.fac3ebf84801cp-5, -0x1.aaaf889b4c10ap-4,
     -0x1.dc5802afa2aafp-3, -0x1.30d7a2a1e29f4p-2, -0x1.284ad730f7a36p-2, -0x1.b6f3d0c4914f0p-3},
    {0x1.1d9a1d413c88ap+1, 0x1.d34c21d850e28p+0, 0x1.89c13a76f39e5p+0, 0x1.544f86350bd76p+0,
     0x1.2ca549218b510p+0, 0x1.0eb2ac5287872p+0, 0x1.ef8560c567d61p-1, 0x1.cbf225c9bc23ep-1,
     0x1.a45bb27a5798cp-1, 0x1.809d7612bdbd5p-1, 0x1.68b7e27c7aedap-1, 0x1.57984295fe65cp-1,
     0x1.4a20cc66a4fb4p-1, 0x1.3e5525a80dc08p-1, 0x1.32e9ce6d672dep-1, 0x1.2704ed37eb9acp-1,
     0x1.1323a25105611p-1, 0x1.e6d8fe030c7b7p-2, 0x1.9a808621225d6p-2, 0x1.428971d10dba8p-2,
     0x1.c3cd16dfdb21cp-3, 0x1.f246d51cf1bb6p-4, 0x1.713b820e191d8p-6, -0x1.277f1ee9ae1cep-4,
     -0x1.91ff71b9d57eap-3, -0x1.3ceb1575273a0p-2, -0x1.62e0b2e55e995p-2, -0x1.388aabd5d6945p-2,
     -0x1.990760c5fbcc5p-3, -0x1.d53e7491d95f7p-5, 0x1.69cf713b612fdp-4, 0x1.a2a9ea25c0d8ap-3},
    {-0x1.f04dca494f395p+1, -0x1.5a3b6acb7b426p+1, -0x1.f17de0fe3973bp+0, -0x1.6dd48735b46cdp+0,
     -0x1.121ca5e45196dp+0, -0x1.a131401bae34dp-1, -0x1.41b0b0014623bp-1, -0x1.f5ee5db63491ep-2,
     -0x1.610b32f246537p-2, -0x1.cbfcce4958ecbp-3, -0x1.3dd5180054e20p-3, -0x1.dc7367864857fp-4,
     -0x1.8bc8b0de47460p-4, -0x1.6de8e7addf0e0p-4, -0x1.7163c5699a4a5p-4, -0x1.8abab6673ade8p-4,
     -0x1.c90a6b8544e8ap-4, -0x1.17b48f5cfd558p-3, -0x1.4a227bd7b2169p-3, -0x1.7394b370d4459p-3,
     -0x1.8ed40f76a3ba0p-3, -0x1.98c629e55d8cbp-3, -0x1.9001887e6fde3p-3, -0x1.749064928a06ap-3,
     -0x1.2b8d7c8c3e3a3p-3, -0x1.3b3539ca4c592p-4, 0x1.a318247aa4fd2p-9, 0x1.3b99abbce0843p-4,
     0x1.08cc083b382ecp-3, 0x1.32d7652c1847ap-3, 0x1.162dde69a6850p-3, 0x1.799f7e10560a1p-4},
    {0x1.f36fd3e8e4718p+2, 0x1.3dc8f21bc67e9p+2, 0x1.a61b702769278p+1, 0x1.221ccad702c16p+1,
     0x1.99f5d1d879284p+0, 0x1.282ff68573c26p+0, 0x1.b3aaaa34dec8ep-1, 0x1.44e5638b46c19p-1,
     0x1.aa2c5689e0babp-2, 0x1.ed6737d05eb11p-3, 0x1.1a62c11df7f84p-3, 0x1.30593b5bbcba3p-4,
     0x1.13b85fc6a1818p-5, 0x1.d096fadbddaaap-8, -0x1.54b35af0297cdp-7, -0x1.6460b26bb3a99p-6,
     -0x1.fcfc806fb029fp-6, -0x1.18049b1629801p-5, -0x1.f57fa9161edcbp-6, -0x1.758edf923bfedp-6,
     -0x1.948c07d98d3e9p-7, -0x1.db9849a6d94e4p-12, 0x1.84c343f31a402p-7, 0x1.84b04c1369274p-6,
     0x1.3f8be4c0bdb1bp-5, 0x1.a7801279781d7p-5, 0x1.b40169452c6bcp-5, 0x1.646b4633eb621p-5,
     0x1.99abef1b9850ap-6, 0x1.0ce92fbc31f9ep-9, -0x1.4a33767824f0fp-6, -0x1.2d0aa3b980856p-5},
    {-0x1.dc84c5e3ecf1dp+3, -0x1.10b1480514d37p+3, -0x1.49fdc51224c13p+2, -0x1.a1fbea73830edp+1,
     -0x1.13013f44208d8p+1, -0x1.75c1db080b56cp+0, -0x1.05234e88e35d5p+0, -0x1.75cf855158246p-1,
     -0x1.d69778734c53cp-2, -0x1.0d8ddda83b2dcp-2, -0x1.4614de462a6c3p-3, -0x1.9b09f8b9afd37p-4,
     -0x1.0a87ccc0a378ep-4, -0x1.5eb6517cd7feep-5, -0x1.cc35aa77623bep-6, -0x1.258f03c6dde10p-6,
     -0x1.f82821e230063p-8, 0x1.89884546d874bp-11, 0x1.897e69fbf9a5bp-8, 0x1.328f884133febp-7,
     0x1.7412ce76abd34p-7, 0x1.91cc5836a4715p-7, 0x1.90a1d22f951f4p-7, 0x1.74654e08f0cdfp-7,
     0x1.1fd45499498a8p-7, 0x1.e18a9b2c5ff6ep-9, -0x1.1a2bcd52c29fcp-9, -0x1.e1d8dd25af792p-8,
     -0x1.6144b366f0a7bp-7, -0x1.80529c79541d9p-7, -0x1.49b872b4a61adp-7, -0x1.98d44be2e5f73p-8},
    {0x1.c207c3ff5c5f0p+4, 0x1.cd0bb6ea51bb3p+3, 0x1.f8ed07b0f756dp+2, 0x1.2400708ed2c30p+2,
     0x1.6173e24204925p+1, 0x1.bca4d40810452p+0, 0x1.2117c1c75b0edp+0, 0x1.82e51d79660e5p-1,
     0x1.bbc0bf8b6958ap-2, 0x1.c723c0cd66952p-3, 0x1.f4ef6e873eab4p-4, 0x1.24d1a8bce0bf1p-4,
     0x1.69258470c3fb3p-5, 0x1.d3ac9e42bc295p-6, 0x1.3cc5f533f34dbp-6, 0x1.bf529eef835a2p-7,
     0x1.1c3b650276da4p-7, 0x1.5689fe8845356p-8, 0x1.b5650211ebe61p-9, 0x1.125a016d40173p-9,
     0x1.2a60c77c410f1p-10, 0x1.5c4e8923d076ap-12, -0x1.882449ee2838cp-12, -0x1.0353688a80abcp-10,
     -0x1.c39db7d1edf9ep-10, -0x1.2a9c3d03fbb4fp-9, -0x1.2c611e21012a0p-9, -0x1.d541cbe665853p-10,
     -0x1.da2e0f697cbc5p-11, 0x1.458e0b56c0abfp-13, 0x1.2c91fc0d61a12p-10, 0x1.e4c78bc8ab2dcp-10},
    {-0x1.a87bc2f92cdecp+5, -0x1.8547851db1b21p+4, -0x1.81e7dcda4bcc5p+3, -0x1.97b4b732041b0p+2,
     -0x1.c62f5364a47cdp+1, -0x1.08939ea9af6cdp+1, -0x1.404f474af1492p+0, -0x1.90e39e50ab6dcp-1,
     -0x1.a2ad1692b5d56p-2, -0x1.7e9e1d3c3db04p-3, -0x1.79db0017adb6bp-4, -0x1.8da420b9bacf5p-5,
     -0x1.b96f6dffdb721p-6, -0x1.00a099d2207a8p-6, -0x1.3707b37e3b385p-7, -0x1.87f48826b30a1p-8,
     -0x1.a592d3e880c53p-9, -0x1.aa437f3d6d686p-10, -0x1.025aa67170041p-10,
     -0x1.73f614192a238p-11, -0x1.2f190777ff7ecp-11, -0x1.06f5267bee8dcp-11,
     -0x1.ce28369d1f4a5p-12, -0x1.8d03ff0e29b8dp-12, -0x1.1af7932eedf6fp-12,
     -0x1.93fd74e60ab16p-14, 0x1.68294c6dd9bc3p-14, 0x1.f9aa9c5341c3dp-13, 0x1.61c391762f03ep-12,
     0x1.748cab47eb972p-12, 0x1.3352c0d03beedp-12, 0x1.5e00fa122bae2p-13},
    {0x1.9009df5756e34p+6, 0x1.4859b3ef012f8p+5, 0x1.269c10cfc3e6ap+4, 0x1.1c4c96e736d44p+3,
     0x1.237fcbe6233cdp+2, 0x1.3a9b6ae02f5d4p+1, 0x1.62cb801bc0793p+0, 0x1.9fa2537b54cacp-1,
     0x1.8c231b86aac16p-2, 0x1.4456b48294890p-3, 0x1.2228db67a82d6p-4, 0x1.1703fd963c608p-5,
     0x1.1cd0e01654b42p-6, 0x1.31a1f61e0ccacp-7, 0x1.560e0beeab4ddp-8, 0x1.8ca0e920d7213p-9,
     0x1.71bfff0793891p-10, 0x1.20faa76c10a0dp-11, 0x1.e3af4c5352dffp-13, 0x1.b4084bb7b9518p-14,
     0x1.c5a910ec35001p-15, 0x1.357e8d3b2c2b7p-15, 0x1.1e41ec0bc2877p-15, 0x1.3a4eee8c7a9d3p-15,
     0x1.7d60232ab8476p-15, 0x1.b7c03ef3905ccp-15, 0x1.a2cbefce1bbe1p-15, 0x1.383a59edecd86p-15,
     0x1.1a7e7cf5c5ad2p-16, -0x1.c0c0b4f136738p-18, -0x1.d6f4455bd587ep-16,
     -0x1.6514a9df4080fp-15},
    {-0x1.78cd701738b4ap+7, -0x1.14c85ae117995p+6, -0x1.c17b9c43d9076p+4, -0x1.8c222fd004467p+3,
     -0x1.75c5f0f08d644p+2, -0x1.75a15031c39c7p+1, -0x1.886c05451d3cbp+0, -0x1.ae339eb884a06p-1,
     -0x1.760b558497ccfp-2, -0x1.1245c637d5fe1p-3, -0x1.bc8c4965a05d0p-5, -0x1.86f6e00aba260p-6,
     -0x1.700e870779e8cp-7, -0x1.6efe519598ccap-8, -0x1.8059a2060ed55p-9, -0x1.a3e76ec29b169p-10,
     -0x1.6a7534aa81d6cp-11, -0x1.04f8d3f851bf0p-12, -0x1.95c86cc4b9821p-14,
     -0x1.44487845f084ap-15, -0x1.e8e5c3fa7b7dbp-17, -0x1.0e2b17d76fe82p-18,
     0x1.4569c640bfd89p-21, 0x1.4385046a79b46p-19, 0x1.587d646dc8b91p-19, 0x1.6adac52f9532fp-21,
     -0x1.058c9594db9ebp-19, -0x1.201a648a05c0cp-18, -0x1.7ec7dc0d55fe7p-18,
     -0x1.877130280a333p-18, -0x1.387fa78dc714fp-18, -0x1.4a074fbbb31b2p-19},
    {0x1.62d58020ef4c6p+8, 0x1.d27b51c93f6c7p+6, 0x1.56c030bad9eecp+5, 0x1.13d90af125a3ap+4,
     0x1.defebb527cce1p+2, 0x1.bb6dbe8ce6a3ap+1, 0x1.b1b32a31b5822p+0, 0x1.bce00049154b5p-1,
     0x1.60cb63846a83ap-2, 0x1.cf26ea8ad9e5dp-4, 0x1.53c85888124fbp-5, 0x1.1101a0467eab4p-6,
     0x1.d93a2a941ed45p-8, 0x1.b549689bb42bep-9, 0x1.aae5f4d0a63b2p-10, 0x1.b51a6cc5a9f4fp-11,
     0x1.59c982ef3021bp-12, 0x1.c5014899aebcep-14, 0x1.4c49b75b01bcfp-15, 0x1.0b147544c0065p-16,
     0x1.cb8ca125449f4p-18, 0x1.97ec6e2efe83fp-19, 0x1.59f372c7b080ep-20, 0x1.b6a0fd34ddc1ap-22,
     -0x1.e882f15fa7529p-23, -0x1.267a9c45026d8p-21, -0x1.385eaf2602a7ep-21,
     -0x1.d41883e8da734p-22, -0x1.7e64e4dd70300p-23, 0x1.04fa62dcfcca6p-23, 0x1.a34842011f7c6p-22,
     0x1.303a4fe71e259p-21},
    {-0x1.5198f3b33ff89p+9, -0x1.8c5008d1202bdp+7, -0x1.0716bc213408fp+6, -0x1.82408a9f9b0e4p+4,
     -0x1.344b2e10470f7p+3, -0x1.081d907270aa5p+2, -0x1.e0d101b0874bep+0, -0x1.cd4044ccb1b5ep-1,
     -0x1.500a8b7a01dccp-2, -0x1.8a09ceab939d5p-4, -0x1.05407462dd217p-5, -0x1.7f080c94ae275p-7,
     -0x1.314592570c14ep-8, -0x1.051ce5fc24966p-9, -0x1.da8d49826b709p-11, -0x1.c6707cdcfc3aap-12,
     -0x1.4a305f9229eaap-13, -0x1.81d8e84a20f1dp-15, -0x1.fe9fcc6f0200dp-17,
     -0x1.773a3e08a6ec8p-18, -0x1.2ed90cea9241cp-19, -0x1.0b72b09919991p-20,
     -0x1.0278a02c1fdd3p-21, -0x1.1066218ad5de8p-22, -0x1.d5ff1bdf26ce5p-24,
     -0x1.0307e69945912p-25, 0x1.d10118b1aa8d6p-27, 0x1.6d509de1e6acfp-25, 0x1.f3232b504087bp-25,
     0x1.fbbec22e0078dp-25, 0x1.8d00d6c204354p-25, 0x1.883d79a24581cp-26},
    {0x1.3dd414e2bb8b9p+10, 0x1.4ddac126b6c0dp+8, 0x1.9111cf1f0292fp+6, 0x1.0cd5e34e9d55cp+5,
     0x1.8adb0a993fb01p+3, 0x1.393f46dbea421p+2, 0x1.097e7b9b31d39p+1, 0x1.dc927ef9cbe14p-1,
     0x1.3c9ffcbc7545cp-2, 0x1.4c478c15cc438p-4, 0x1.8ec3e69dda24ep-6, 0x1.0afd37c30110ap-7,
     0x1.87a9ebcd3aa4cp-9, 0x1.364e33ce4d5d0p-10, 0x1.06a12b70990a8p-11, 0x1.d6b86340e2428p-13,
     0x1.37fbc22c1db04p-14, 0x1.4637ee1b3e379p-16, 0x1.85dfd04a22d2fp-18, 0x1.03d736c7549b5p-19,
     0x1.7b855a7e448a9p-21, 0x1.2c42607ed1c70p-22, 0x1.00705d482b8f1p-23, 0x1.dc8a4e4a02b9bp-25,
     0x1.753580b0e1f8cp-26, 0x1.53f5499f705a0p-27, 0x1.bb39822e3aa44p-28, 0x1.19559d6f19253p-28,
     0x1.a375d0e0aa894p-30, -0x1.3a3a6097563adp-30, -0x1.d8f2314acd69dp-29,
     -0x1.50159c4345c8ap-28},
};
LANE double fit_y1_table(double x) {
    const lane_piece p = lane_piece_of(x, 0x1p-1, 0x1p3, 3);
    double r = fit_y1_table_table[11][p.k];
    r = r * p.t + fit_y1_table_table[10][p.k];
    r = r * p.t + fit_y1_table_table[9][p.k];
    r = r * p.t + fit_y1_table_table[8][p.k];
    r = r * p.t + fit_y1_table_table[7][p.k];
    r = r * p.t + fit_y1_table_table[6][p.k];
    r = r * p.t + fit_y1_table_table[5][p.k];
    r = r * p.t + fit_y1_table_table[4][p.k];
    r = r * p.t + fit_y1_table_table[3][p.k];
    r = r * p.t + fit_y1_table_table[2][p.k];
    r = r * p.t + fit_y1_table_table[1][p.k];
    r = r * p.t + fit_y1_table_table[0][p.k];
    return r;
}

/* sqrt(J1^2 + Y1^2) sqrt(pi x / 2) by u = x^-2, x >= 8: 2^-56.6 */
LANE double fit_modulus1(double t) {
    double r = -0x1.44075300d1a32p+39;
    r = r * t + 0x1.33b1666f7e59bp+36;
    r = r * t + -0x1.13e6bae1b1960p+32;
    r = r * t + 0x1.40a7e549551bap+27;
    r = r * t + -0x1.203b71e24c9d7p+22;
    r = r * t + 0x1.db38426db2f30p+16;
    r = r * t + -0x1.b32beffa51894p+11;
    r = r * t + 0x1.0920de0b878ddp+7;
    r = r * t + -0x1.ef54880c94739p+2;
    r = r * t + 0x1.9c4fedc194b21p-1;
    r = r * t + -0x1.8bfffff32e375p-3;
    r = r * t + 0x1.7fffffffff19ep-3;
    r = r * t + 0x1.0000000000000p+0;
    return r;
}

/* x times the phase beyond x - pi / 4 - 1 pi / 2, by u = x^-2: 2^-54.3 */
LANE double fit_phase1(double t) {
    double r = -0x1.e674e304a09fap+47;
    r = r * t + 0x1.e0bcf1a972e2fp+44;
    r = r * t + -0x1.bb843194aa6c6p+40;
    r = r * t + 0x1.0256b8911302bp+36;
    r = r * t + -0x1.b8fd767cc496cp+30;
    r = r * t + 0x1.3883cf816411dp+25;
    r = r * t + -0x1.a899ff768d598p+19;
    r = r * t + 0x1.4627609afd9e5p+14;
    r = r * t + -0x1.49363f2680634p+9;
    r = r * t + 0x1.e9f651e6f0debp+4;
    r = r * t + -0x1.2f4860eca57a8p+1;
    r = r * t + 0x1.7bccccbd5ba26p-2;
    r = r * t + -0x1.4ffffffffe227p-3;
    r = r * t + 0x1.8000000000000p-2;
    return r;
}

LANE_END

#endif
