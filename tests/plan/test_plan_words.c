/* test_plan_words.c - plans in words, to the letter: weft_plan_text with its views and registers, and
 * the names and shapes that weft_plan_step and weft_plan_tensor give.
 *
 * Each row records one expression of x [6,4] and i32 k [3], and says what it becomes. Where a change
 * of the planner changes that, read it again. Counts for whole models are in test_plan.c. */
#include "test.h"
#include "weft/weft.h"

#include <stdio.h>
#include <string.h>

typedef weft_tensor words_record(weft_tensor x, weft_tensor k);

static weft_tensor words_padded(weft_tensor x, weft_tensor k) {
    (void)k;
    return weft_pad(x, 1, 1, 2, 0);
}

static weft_tensor words_gathered(weft_tensor x, weft_tensor k) {
    return weft_gather(x, k, 0);
}

static weft_tensor words_counted(weft_tensor x, weft_tensor k) {
    const weft_tensor seven = weft_cast(weft_scalar(x.g, 7), WEFT_I32);
    return weft_cast(weft_add(weft_mul(k, seven), weft_iota(x.g, weft_dims(3), 0)), WEFT_F32);
}

static weft_tensor words_chosen(weft_tensor x, weft_tensor k) {
    (void)k;
    const weft_tensor above = weft_exp(x),
                      below = weft_neg(x); /* in this order with any compiler */
    return weft_where(weft_lt(x, below), x, above);
}

static weft_tensor words_drawn(weft_tensor x, weft_tensor k) {
    (void)k;
    return weft_uniform(x.g, weft_dims(5));
}

static weft_tensor words_down(weft_tensor x, weft_tensor k) {
    (void)k;
    return weft_sum(weft_scale(weft_mul(x, x), 0.25f), weft_dims(0), false);
}

static weft_tensor words_across(weft_tensor x, weft_tensor k) {
    (void)k;
    return weft_neg(weft_sum(x, weft_dims(1), false));
}

static weft_tensor words_all(weft_tensor x, weft_tensor k) {
    (void)k;
    return weft_sum(x, WEFT_ALL, false);
}

static weft_tensor words_product(weft_tensor x, weft_tensor k) {
    (void)k;
    weft_scope_push(x.g, "block");
    const weft_tensor y = weft_relu(weft_matmul(x, weft_transpose(x, 0, 1)));
    weft_scope_pop(x.g);
    return y;
}

static weft_tensor words_scanned(weft_tensor x, weft_tensor k) {
    (void)k;
    return weft_cumsum(x, 1);
}

static weft_tensor words_moving(weft_tensor x, weft_tensor k) {
    const weft_tensor start = weft_reshape(weft_slice(k, 0, 1, 2, 1), WEFT_0D);
    return weft_neg(weft_slice_at(x, 0, start, 2));
}

static const struct {
    const char *name;
    words_record *record;
    const char *text, *parts;
} words_table[] = {
    {"padded", words_padded,
     "   0  kernel  0 flop, 336 bytes\n"
     "    loop [6,7]\n"
     "      r0   = load b0+-1(4,1) guarded\n"
     "      store 0 b1(7,1)\n",
     "copy | [6,7]\n"
     "0-1 copy | [6,7]\n"
     "0-1 input | [6,4]\n"},
    {"gathered", words_gathered,
     "   0  kernel  0 flop, 144 bytes\n"
     "    loop [3,4]\n"
     "      r0   = load b1(1,0)\n"
     "      r1   = take 0 b0(0,1)\n"
     "      store 1 b2(4,1)\n",
     "take | [3,4]\n"
     "0-1 input | [6,4]\n"
     "0-1 take | [3,4]\n"
     "0-1 input | [3]\n"},
    {"counted", words_counted,
     "   0  kernel  2 flop, 4 bytes\n"
     "    loop [1]\n"
     "      r0   = const 7\n"
     "      r1   = cast 0 to i32\n"
     "      store 1 b2(0)\n"
     "   1  kernel  12 flop, 36 bytes\n"
     "    loop [3]\n"
     "      r0   = load b0(1)\n"
     "      r1   = load b2(0)\n"
     "      r2   = mul 0 1\n"
     "      r3   = index index(1)\n"
     "      r4   = add 2 3\n"
     "      r5   = cast 4 to f32\n"
     "      store 5 b1(1)\n",
     "cast | [1]\n"
     "mul add cast | [3]\n"
     "0-2 input | [3]\n"
     "0-2 mul add cast | [3]\n"
     "0-1 cast | []\n"},
    {"chosen", words_chosen,
     "   0  kernel  312 flop, 192 bytes\n"
     "    loop [24]\n"
     "      r0   = load b0(1)\n"
     "      r1   = exp 0\n"
     "      r2   = neg 0\n"
     "      r3   = lt 0 2\n"
     "      r4   = where 3 0 1\n"
     "      store 4 b1(1)\n",
     "exp neg lt where | [24]\n"
     "0-1 input | [6,4]\n"
     "0-1 exp neg lt where | [24]\n"},
    {"drawn", words_drawn,
     "   0  kernel  200 flop, 60 bytes\n"
     "    loop [5]\n"
     "      r0   = load b2(0)\n"
     "      r1   = load b1(0)\n"
     "      r2   = random 0 1 index(1)\n"
     "      store 2 b0(1)\n"
     "   1  kernel  1 flop, 8 bytes\n"
     "    loop [1]\n"
     "      r0   = load b1(0)\n"
     "      r1   = const 1\n"
     "      r2   = add 0 1\n"
     "      store 2 b1(0)\n",
     "random | [5]\n"
     "add | [1]\n"
     "0-2 random | [5]\n"},
    {"down", words_down,
     "   0  kernel  72 flop, 112 bytes\n"
     "    loop [] fold [6] inner 4\n"
     "      r0   = load b0(4,1)\n"
     "      r1   = mul 0 0\n"
     "      r2   = const 0.25\n"
     "      r3   = mul 1 2\n"
     "      s4   = rowsum 3\n"
     "      store 4 b1(0,1)\n",
     "mul rowsum | over [6] by [4]\n"
     "0-1 input | [6,4]\n"
     "0-1 mul rowsum | [4]\n"},
    {"across", words_across,
     "   0  kernel  30 flop, 120 bytes\n"
     "    loop [6] fold [4]\n"
     "      r0   = load b0(4,1)\n"
     "      s1   = rowsum 0\n"
     "      s2   = neg 1\n"
     "      store 2 b1(1,0)\n",
     "rowsum neg | [6] over [4]\n"
     "0-1 input | [6,4]\n"
     "0-1 rowsum neg | [6]\n"},
    {"all", words_all,
     "   0  kernel  24 flop, 100 bytes\n"
     "    loop [] fold [24]\n"
     "      r0   = load b0(1)\n"
     "      s1   = rowsum 0\n"
     "      store 1 b1(0)\n",
     "rowsum | over [24]\n"
     "0-1 input | [6,4]\n"
     "0-1 rowsum | []\n"},
    {"product", words_product,
     "   0  matmul b0[6,4] b0[4,6] -> b1[6,6]  324 flop, 624 bytes  in block\n"
     "    loop [6,6]\n"
     "      r0   = load b1(6,1)\n"
     "      r1   = relu 0\n"
     "      store 1 b1(6,1)\n",
     "matmul relu | [6,4] x [4,6] in block\n"
     "0-1 matmul relu | [6,6] in block\n"
     "0-1 input | [6,4]\n"},
    {"scanned", words_scanned,
     "   0  kernel  0 flop, 96 bytes\n"
     "    loop [24]\n"
     "      r0   = const 1\n"
     "      store 0 b2(1)\n"
     "   1  linrec b2[6,4] b0[6,4] -> b1[6,4]  192 flop, 288 bytes\n",
     "copy | [24]\n"
     "linrec | 2*[6,4] -> [6,4]\n"
     "0-2 input | [6,4]\n"
     "0-2 linrec | [6,4]\n"
     "0-1 copy | [24]\n"},
    {"moving", words_moving,
     "   0  kernel  0 flop, 8 bytes\n"
     "    loop [1]\n"
     "      r0   = load b1+1(0)\n"
     "      store 0 b3(0)\n"
     "   1  kernel  8 flop, 64 bytes\n"
     "    loop [8]\n"
     "      r0   = load b0(1) moving\n"
     "      r1   = neg 0\n"
     "      store 1 b2(1)\n",
     "copy | [1]\n"
     "neg | [8]\n"
     "0-2 input | [6,4]\n"
     "0-2 neg | [8]\n"
     "0-2 input | [3]\n"
     "0-1 copy | []\n"},
};

/* "name | shape | in scope" of each step, then of each buffer. */
static void words_parts(const weft_plan *p, char *to, size_t room) {
    weft_plan_part part;
    size_t n = 0;
    to[0] = 0;
    for (size_t i = 0; n < room && weft_plan_step(p, i, &part); i++)
        n += (size_t)snprintf(to + n, room - n, "%s | %s%s%s\n", part.name, part.shape,
                              *part.scope ? " in " : "", part.scope);
    for (size_t i = 0; n < room && weft_plan_tensor(p, i, &part); i++)
        n += (size_t)snprintf(to + n, room - n, "%u-%u %s | %s%s%s\n", part.first, part.last,
                              part.name, part.shape, *part.scope ? " in " : "", part.scope);
}

TEST(small_plans_to_the_letter) {
    for (size_t i = 0; i < sizeof words_table / sizeof *words_table; i++) {
        CASE("%s", words_table[i].name);
        weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 1});
        weft_graph *g = weft_graph_new(c);
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(6, 4));
        const weft_tensor y = words_table[i].record(x, weft_input(g, WEFT_I32, weft_dims(3)));
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
        if (!CHECK(p)) CHECK_STR(weft_error(c), "");
        char *text = weft_plan_text(p), parts[2000];
        words_parts(p, parts, sizeof parts);
        if (CHECK(text && strchr(text, '\n')))
            CHECK_STR(strchr(text, '\n') + 1, words_table[i].text);
        CHECK_STR(parts, words_table[i].parts);
        weft_text_free(c, text);
        weft_plan_free(p);
        weft_graph_free(g);
        weft_close(c);
    }
}
