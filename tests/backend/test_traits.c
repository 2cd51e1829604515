/* test_traits.c - what a device may say of itself: tables that exceed a limit of the passes are refused
 * when the device is opened, before an array of that size is written. */
#include "backend/backend.h"
#include "test.h"

TEST(traits_within_limits) {
    static const char *const devices[] = {"cpu", "ref", "null", "far"};
    for (int i = 0; i < 4; i++) CHECK_EQ(backend_check(backend_find(devices[i])), WEFT_OK);
    device_traits t = *backend_find("cpu")->traits;
    const weft_backend own = {.name = "own", .traits = &t};
    CHECK_EQ(backend_check(&own), WEFT_OK);
#define REFUSED(trait, value)                                                                      \
    do {                                                                                           \
        CASE("%s = %s", #trait, #value);                                                           \
        const device_traits was = t;                                                               \
        t.trait = (value);                                                                         \
        CHECK_EQ(backend_check(&own), WEFT_DEVICE);                                                \
        CHECK_HAS(weft_error(NULL), "device \"own\": its trait " #trait " is ");                   \
        t = was;                                                                                   \
    } while (0)
    REFUSED(kernel_nodes, 0);
    REFUSED(kernel_nodes, 65535);
    REFUSED(kernel_loads, LIMIT_VIEWS + 1);
    REFUSED(kernel_views, LIMIT_VIEWS + 1);
    REFUSED(kernel_views, 0);
    REFUSED(inline_operands, LIMIT_INLINE + 1);
    REFUSED(sum_pieces, 0);
    REFUSED(sum_least, 0);
    REFUSED(cell_pieces, 0);
    REFUSED(cell_least, -1);
#undef REFUSED
    t.inline_operands = LIMIT_INLINE, t.kernel_views = LIMIT_VIEWS;
    CHECK_EQ(backend_check(&own), WEFT_OK);
}
