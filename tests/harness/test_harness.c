/* test_harness.c - what the checks let through, and how they look at values.
 *
 * What they must refuse is tried by test_frame.sh, on a program that fails on purpose. */
#include "test.h"

#include <math.h>

TEST(checks_yield_their_result) {
    CHECK(CHECK(true));
    CHECK(CHECK_EQ(2, 2));
    CHECK(CHECK_NEAR(1.0, 1.5, 0.5));
}

TEST(integers_of_any_kind_compare) {
    CHECK_EQ((size_t)3, 3);
    CHECK_EQ(UINT64_MAX, UINT64_MAX);
    CHECK_EQ((int8_t)-1, -1LL);
    CHECK_EQ(true, 1);
}

TEST(reals_are_not_cut_to_integers) {
    const float half = 0.5f;
    CHECK_EQ(half, 0.5);
    CHECK_EQ(1, 1.0f);
    CHECK_EQ(NAN, NAN);
    CHECK_EQ(INFINITY, INFINITY);
    CHECK_NEAR(-INFINITY, -INFINITY, 0);
}

TEST(strings_and_memory) {
    char a[] = "warp and weft";
    CHECK_STR(a, "warp and weft");
    CHECK_STR(NULL, NULL);
    CHECK_HAS(a, "and");
    CHECK_MEM(a, "warp", 4);
}

TEST(arrays_are_near_relatively) {
    const float a[] = {1000.5f, 0.0005f, NAN}, b[] = {1000.0f, 0.0f, NAN};
    CHECK_ARRAY(a, b, 3, 1e-3);
    CHECK_ARRAY(a, b, 0, 0);
}

static uint32_t harness_draw;

TEST(random_numbers_start) {
    harness_draw = test_random();
    double u = test_uniform(-1, 1);
    CHECK(u >= -1 && u < 1);
}

TEST(random_numbers_start_again) {
    if (!harness_draw) SKIP("needs random_numbers_start");
    CHECK_EQ(test_random(), harness_draw);
}
