/* test_snapshot.c - the values of a state put aside: what comes back, what does not, and running out
 * of memory. */
#include "sweep.h"

#include "base/snapshot.h"

#include <string.h>

static const weft_init normal = {.kind = WEFT_INIT_NORMAL, .b = 1},
                       zeros = {.kind = WEFT_INIT_ZEROS};

static weft_state *state(weft_ctx *c, weft_graph **g) {
    weft_state *s = weft_state_new(c);
    *g = weft_graph_new(c);
    weft_param(*g, s, "w", weft_dims(3, 5), normal);
    weft_buffer(*g, s, "rng.player", WEFT_I32, weft_dims(2), zeros);
    weft_buffer(*g, s, "count", WEFT_I32, weft_dims(7), zeros);
    return s;
}

/* Every entry gets other values. */
static bool change(weft_state *s, int by) {
    bool good = true;
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        unsigned char bytes[64];
        good = good && weft_state_entry(s, i, &e) == WEFT_OK && e.bytes <= sizeof bytes;
        memset(bytes, by + (int)i, sizeof bytes);
        good = good && weft_state_set(s, e.name, bytes, e.bytes) == WEFT_OK;
    }
    return good;
}

TEST(what_was_there_comes_back) {
    weft_ctx *c = weft_open("cpu");
    weft_graph *g;
    weft_state *s = state(c, &g);
    snapshot t = {0};
    for (int round = 0; round < 3; round++) { /* into the same memory from the second on */
        CHECK(change(s, 10 + round));
        const uint64_t then = weft_state_hash(s);
        CHECK_EQ(snapshot_take(&t, s, NULL), WEFT_OK);
        CHECK(change(s, 20 + round));
        CHECK(weft_state_hash(s) != then);
        CHECK_EQ(snapshot_restore(&t, s), WEFT_OK);
        CHECK_EQ(weft_state_hash(s), then);
    }
    /* An entry made later keeps its values. */
    float late[2] = {1, 2}, back[2];
    weft_param(g, s, "late", weft_dims(2), zeros);
    CHECK_EQ(weft_state_set(s, "late", late, sizeof late), WEFT_OK);
    CHECK_EQ(snapshot_restore(&t, s), WEFT_OK);
    CHECK_EQ(weft_state_get(s, "late", back, sizeof back), WEFT_OK);
    CHECK_MEM(back, late, sizeof late);
    snapshot_free(&t);
    snapshot_free(&t);
    weft_graph_free(g), weft_state_free(s), weft_close(c);
}

TEST(but_what_is_left_out) {
    weft_ctx *c = weft_open("cpu");
    weft_graph *g;
    weft_state *s = state(c, &g);
    snapshot t = {0};
    int32_t player[2], count[7], want[7];
    CHECK(change(s, 1));
    CHECK_EQ(weft_state_get(s, "count", want, sizeof want), WEFT_OK);
    CHECK_EQ(snapshot_take(&t, s, "rng."), WEFT_OK);
    CHECK(change(s, 5));
    CHECK_EQ(snapshot_restore(&t, s), WEFT_OK);
    CHECK_EQ(weft_state_get(s, "rng.player", player, sizeof player), WEFT_OK);
    CHECK_EQ(player[0], 0x06060606); /* the second entry, as it was changed */
    CHECK_EQ(weft_state_get(s, "count", count, sizeof count), WEFT_OK);
    CHECK_MEM(count, want, sizeof want);
    snapshot_free(&t);
    weft_graph_free(g), weft_state_free(s), weft_close(c);
}

static bool taken(weft_ctx *c) {
    weft_graph *g = NULL;
    weft_state *s = weft_state_new(c);
    snapshot t = {0};
    bool good = s && (g = weft_graph_new(c)) != NULL;
    if (good)
        good = weft_ok(weft_param(g, s, "w", weft_dims(300), normal)) &&
               snapshot_take(&t, s, NULL) == WEFT_OK && snapshot_restore(&t, s) == WEFT_OK;
    snapshot_free(&t);
    weft_graph_free(g), weft_state_free(s);
    return good;
}
TEST(out_of_memory) {
    sweep_memory(taken);
}
