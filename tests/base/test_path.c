/* test_path.c - where the checkpoint before another lies, and whether a run has one of them. */
#include "io_world.h"

#include "base/path.h"

static const char *before(const char *path) {
    static char place[64];
    text t = {.s = place, .cap = sizeof place};
    text_clear(&t);
    path_previous(&t, path);
    return t.failed ? NULL : place;
}

TEST(the_one_before) {
    CHECK_STR(before("run/last.safetensors"), "run/last.previous.safetensors");
    CHECK_STR(before("last"), "last.previous");
    CHECK_STR(before(".safetensors"), ".safetensors.previous"); /* an ending needs a name */
    CHECK(!before("a name that is much too long for the place that was given to it here"));
}

TEST(either_is_a_checkpoint) {
    heap h = {0};
    weft_ctx *c = heap_open(&h);
    const char *path = in_folder("one.safetensors"), *other = in_folder("one.previous.safetensors");
    CHECK(!path_has_checkpoint(path));
    CHECK_EQ(path_checkpoint_expected(c, "runs/it", path), WEFT_FILE);
    CHECK_HAS(weft_error(c), "runs/it: no checkpoint to resume from");
    CHECK_EQ(weft_file_write(c, other, "x", 1), WEFT_OK);
    CHECK(!path_exists(path) && path_has_checkpoint(path));
    CHECK_EQ(weft_file_write(c, path, "x", 1), WEFT_OK);
    remove(other);
    CHECK(path_has_checkpoint(path));
    CHECK_EQ(path_checkpoint_expected(c, "runs/it", path), WEFT_OK);
    remove(path);
    weft_close(c);
}

TEST(folders_are_made) {
    heap h = {0};
    weft_ctx *c = heap_open(&h);
    const char *deep = in_folder("a/b/c");
    CHECK_EQ(path_make_folder(c, deep), WEFT_OK);
    CHECK(path_exists(deep));
    CHECK_EQ(path_make_folder(c, in_folder("a/b/c/")), WEFT_OK); /* it is there */
    CHECK_EQ(weft_file_write(c, in_folder("a/file"), "x", 1), WEFT_OK);
    CHECK_EQ(path_make_folder(c, in_folder("a/file/d")), WEFT_FILE);
    CHECK_HAS(weft_error(c), "a/file: not a folder");
    h.fail_at = h.made + 1;
    CHECK_EQ(path_make_folder(c, deep), WEFT_MEMORY);
    h.fail_at = 0;
    weft_close(c);
    CHECK_EQ(h.live, 0);
}
