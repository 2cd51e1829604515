/* test_nn_decoder.c - blocks of language models as layers: adapters beside linear layers, the options
 * of both blocks against the same formula from other layers, and caches: in pieces as in one.
 *
 * Whole models are compared with PyTorch by tests/lm/test_lm_golden.c. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "errors.h"
#include "models.h"
#include "weft/nn.h"

enum { B = 2, T = 7, W = 12, HEADS = 4, KV = 2, H = 3, HIDDEN = 10, ALL = B * T * W };

static void begin_state(void) {
    world_begin();
    weft_scope_pop(g);
}

/* Values that follow from names, other than zeros and ones, so that nothing can be left out. */
static void fill(weft_state *of) {
    for (size_t i = 0; i < weft_state_count(of); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(of, i, &e), WEFT_OK);
        if (e.dtype != WEFT_F32 || strncmp(e.name, "rng.", 4) == 0) continue;
        float *const to = malloc(e.bytes);
        uint32_t salt = 7;
        for (const char *at = e.name; *at; at++) salt = (salt * 31 + (unsigned char)*at) % 3989;
        for (size_t k = 0; k < e.bytes / sizeof *to; k++)
            to[k] = model_number((uint32_t)k, salt) / 2 + (strstr(e.name, "orm.weight") ? 1 : 0);
        CHECK_EQ(weft_state_set(of, e.name, to, e.bytes), WEFT_OK);
        free(to);
    }
}

static void numbers(float *to, size_t count, uint32_t salt) {
    for (size_t i = 0; i < count; i++) to[i] = model_number((uint32_t)i, salt);
}

static void run(weft_tensor in, const float *values, weft_tensor out, float *to) {
    weft_plan *const p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(out)});
    if (!CHECK(p)) {
        CHECK_STR(weft_error(c), "");
        return;
    }
    CHECK_EQ(weft_set(p, in, values, (size_t)weft_count(in) * sizeof *values), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, out, to, (size_t)weft_count(out) * sizeof *to), WEFT_OK);
    weft_plan_free(p);
}

/* ---- adapters ---- */

TEST(layers_that_have_an_adapter) {
    const weft_nn_lora l = {.rank = 2, .targets = "c_attn,fc2"};
    CHECK(weft_nn_lora_targets(&l, "c_attn"));
    CHECK(weft_nn_lora_targets(&l, "attn.c_attn"));
    CHECK(weft_nn_lora_targets(&l, "fc2"));
    CHECK(!weft_nn_lora_targets(&l, "fc"));
    CHECK(!weft_nn_lora_targets(&l, "c_attn.fc"));
    CHECK(!weft_nn_lora_targets(&l, "xc_attn"));
    CHECK(!weft_nn_lora_targets(&l, "c_attn,fc2"));
    CHECK(!weft_nn_lora_targets(&l, ""));
    CHECK(!weft_nn_lora_targets(&l, "attn."));
    CHECK(!weft_nn_lora_targets(&l, NULL));
    CHECK(!weft_nn_lora_targets(NULL, "fc2"));
    CHECK(!weft_nn_lora_targets(&(weft_nn_lora){.targets = "fc2"}, "fc2"));
    CHECK(!weft_nn_lora_targets(&(weft_nn_lora){.rank = 2}, "fc2"));
    CHECK(!weft_nn_lora_targets(&(weft_nn_lora){.rank = 2, .targets = ","}, ""));
}

TEST(an_adapter_is_a_product_beside_the_layer) {
    enum { IN = 6, OUT = 5, RANK = 3, ROWS = 4 };
    static const weft_dtype types[] = {WEFT_F32, WEFT_I8};
    for (int k = 0; k < 16; k++) {
        const bool transposed = k & 1, apart = k & 2, no_bias = k & 4;
        const weft_dtype stored = types[k / 8];
        CASE("%s%s%s, %s", transposed ? "transposed" : "plain", apart ? ", apart" : "",
             no_bias ? ", no bias" : "", weft_dtype_name(stored));
        begin_state();
        weft_state *const own = weft_state_new(c);
        const weft_nn_lora l = {
            .state = apart ? own : NULL, .rank = RANK, .alpha = k & 4 ? 0 : 1.5f, .targets = "fc"};
        const weft_tensor in = weft_input(g, WEFT_F32, weft_dims(ROWS, IN));
        const weft_tensor out = weft_nn_linear(
            s, in, OUT, "fc",
            &(weft_nn_linear_desc){
                .no_bias = no_bias, .transposed = transposed, .stored = stored, .lora = &l});
        fill(s), fill(own);
        int8_t narrow[IN * OUT];
        for (int i = 0; i < IN * OUT; i++) narrow[i] = (int8_t)(i * 7 % 101 - 50);
        if (stored == WEFT_I8)
            CHECK_EQ(weft_state_set(s, "fc.weight", narrow, sizeof narrow), WEFT_OK);
        float values[ROWS * IN], got[ROWS * OUT], w[IN * OUT], bias[OUT] = {0}, a[RANK * IN],
                                                               b2[OUT * RANK], scale[OUT];
        numbers(values, ROWS * IN, 3);
        run(in, values, out, got);
        weft_state *const halves = apart ? own : s;
        CHECK_EQ(weft_state_get(halves, "fc.lora_A.weight", a, sizeof a), WEFT_OK);
        CHECK_EQ(weft_state_get(halves, "fc.lora_B.weight", b2, sizeof b2), WEFT_OK);
        if (!no_bias) CHECK_EQ(weft_state_get(s, "fc.bias", bias, sizeof bias), WEFT_OK);
        if (stored == WEFT_F32) CHECK_EQ(weft_state_get(s, "fc.weight", w, sizeof w), WEFT_OK);
        else CHECK_EQ(weft_state_get(s, "fc.weight_scale", scale, sizeof scale), WEFT_OK);
        CHECK_EQ(weft_state_count(own), apart ? 2 : 0);
        for (int r = 0; r < ROWS; r++)
            for (int o = 0; o < OUT; o++) {
                double sum = bias[o], more = 0;
                for (int i = 0; i < IN; i++) {
                    const int at = transposed ? i * OUT + o : o * IN + i;
                    sum += values[r * IN + i] *
                           (stored == WEFT_I8 ? (double)narrow[at] * scale[o] : w[at]);
                }
                for (int j = 0; j < RANK; j++)
                    for (int i = 0; i < IN; i++)
                        more += (double)values[r * IN + i] * a[j * IN + i] * b2[o * RANK + j];
                const double want = sum + more * (k & 4 ? 1 : 0.5);
                CHECK_NEAR(got[r * OUT + o], want, 1e-5 * fmax(1, fabs(want)));
            }
        weft_graph_free(g), g = weft_graph_new(c);
        weft_state_free(own);
    }
}

/* With narrow weights only the adapter learns; and dropout is its own. */
TEST(what_an_adapter_learns_and_drops) {
    begin_state();
    const weft_nn_lora l = {.rank = 2, .targets = "fc", .dropout = 0.5f};
    const weft_tensor in = weft_input(g, WEFT_F32, weft_dims(64, 8));
    const weft_tensor y = weft_nn_linear(
        s, in, 8, "fc", &(weft_nn_linear_desc){.no_bias = true, .stored = WEFT_BF16, .lora = &l});
    const weft_params p = weft_params_of(s, weft_sum(y, WEFT_ALL, false));
    CHECK_EQ(p.n, 2);
    CHECK_STR(p.name[0], "fc.lora_A.weight");
    weft_entry e;
    CHECK_EQ(weft_state_entry(s, 1, &e), WEFT_OK);
    CHECK_STR(e.name, "fc.lora_A.weight");
    float values[64 * 8], got[64 * 8], a[16], sum = 0;
    for (int i = 0; i < 64 * 8; i++) values[i] = 1;
    CHECK_EQ(weft_state_get(s, "fc.lora_A.weight", a, sizeof a), WEFT_OK); /* as PyTorch begins */
    for (int i = 0; i < 16; i++) {
        CHECK(fabsf(a[i]) <= 1 / sqrtf(8) && a[i] != 0);
        sum += fabsf(a[i]);
    }
    CHECK(sum > 1);
    run(in, values, y, got);
    for (int i = 0; i < 64 * 8; i++) CHECK_EQ(got[i], 0); /* B is 0, and so is this weight */
    fill(s);
    run(in, values, y, got);
    int differ = 0;
    for (int i = 8; i < 64 * 8; i++) differ += got[i] != got[i - 8];
    CHECK(differ > 300); /* the rows are equal but for what is dropped */
}

/* ---- blocks ---- */

static weft_tensor heads_of(weft_tensor t, int64_t count) {
    return weft_transpose(weft_reshape(t, weft_dims(B, T, count, weft_dim(t, 2) / count)), 1, 2);
}

static weft_tensor joined(weft_tensor t) {
    return weft_reshape(weft_transpose(t, 1, 2), weft_dims(B, T, weft_dim(t, 1) * weft_dim(t, 3)));
}

static weft_tensor linear(weft_tensor t, int64_t out_, const char *name, bool bias,
                          bool transposed) {
    return weft_nn_linear(s, t, out_, name,
                          &(weft_nn_linear_desc){.no_bias = !bias, .transposed = transposed});
}

/* Keys that each position sees: a mask by hand. */
static weft_tensor seen(int window, bool odd_hidden) {
    uint8_t may[T * T];
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            may[i * T + j] =
                j <= i && (!window || i - j < window) && !(odd_hidden && j == 2 && i > 2);
    return weft_const(g, WEFT_BOOL, weft_dims(T, T), may);
}

static weft_tensor hides_one(void) { /* key 2, from those behind it */
    uint8_t may[T * T];
    for (int i = 0; i < T * T; i++) may[i] = !(i % T == 2 && i / T > 2);
    return weft_const(g, WEFT_BOOL, weft_dims(T, T), may);
}

static weft_tensor gpt2_by_hand(weft_tensor t, const weft_nn_gpt2_desc *d) {
    const weft_nn_norm_desc norm = {.eps = d->eps};
    const int64_t hidden = d->hidden ? d->hidden : 4 * W;
    weft_scope_push(g, "h");
    weft_tensor p[3];
    weft_split(linear(weft_nn_layer_norm(s, t, "ln_1", &norm), 3 * W, "attn.c_attn", true, true), 2,
               3, p);
    const weft_tensor a =
        weft_attention(heads_of(p[0], HEADS), heads_of(p[1], HEADS), heads_of(p[2], HEADS),
                       &(weft_attention_desc){.mask = seen(0, d->mask.g != NULL)});
    t = weft_add(t, linear(joined(a), W, "attn.c_proj", true, true));
    weft_tensor h = linear(weft_nn_layer_norm(s, t, "ln_2", &norm), hidden, "mlp.c_fc", true, true);
    h = weft_nn_activate(h, d->activation ? d->activation : WEFT_GELU_TANH);
    t = weft_add(t, linear(h, W, "mlp.c_proj", true, true));
    weft_scope_pop(g);
    return t;
}

TEST(options_of_gpt2) {
    for (int k = 0; k < 5; k++) {
        CASE("%d", k);
        begin_state();
        const weft_tensor in = weft_input(g, WEFT_F32, weft_dims(B, T, W));
        weft_nn_gpt2_desc d = {.layers = 3};
        if (k == 1) d.hidden = HIDDEN;
        if (k == 2) d.eps = 0.3f;
        if (k == 3) d.activation = WEFT_RELU;
        if (k == 4) d.mask = hides_one();
        const weft_tensor y = weft_nn_gpt2(s, in, HEADS, "h", &d), want = gpt2_by_hand(in, &d);
        CHECK_EQ(weft_state_count(s), 12); /* of both */
        fill(s);
        float values[ALL], a[ALL], b2[ALL];
        numbers(values, ALL, 1);
        run(in, values, y, a);
        run(in, values, want, b2);
        CHECK_ARRAY(a, b2, ALL, 1e-5);
    }
}

static weft_tensor llama_by_hand(weft_tensor t, const weft_nn_llama_desc *d) {
    const weft_nn_norm_desc norm = {.eps = d->eps != 0 ? d->eps : 1e-5f};
    const int64_t kv = d->kv_heads ? d->kv_heads : HEADS, h = d->head_size ? d->head_size : H;
    const weft_tensor at = d->positions.g ? d->positions : weft_iota(g, weft_dims(T), 0);
    weft_scope_push(g, "h");
    const weft_tensor n1 = weft_nn_rms_norm(s, t, "input_layernorm", &norm);
    weft_tensor q = heads_of(linear(n1, HEADS * h, "self_attn.q_proj", d->qkv_bias, false), HEADS);
    weft_tensor key = heads_of(linear(n1, kv * h, "self_attn.k_proj", d->qkv_bias, false), kv);
    weft_tensor value = heads_of(linear(n1, kv * h, "self_attn.v_proj", d->qkv_bias, false), kv);
    if (d->qk_norm) {
        q = weft_nn_rms_norm(s, q, "self_attn.q_norm", &norm);
        key = weft_nn_rms_norm(s, key, "self_attn.k_norm", &norm);
    }
    q = weft_rope(q, at, &d->rope), key = weft_rope(key, at, &d->rope);
    weft_tensor group[HEADS][2]; /* each key head again for all that share it */
    for (int i = 0; i < HEADS; i++) {
        const int64_t of = i / (HEADS / kv);
        group[i][0] = weft_slice(key, 1, of, of + 1, 1),
        group[i][1] = weft_slice(value, 1, of, of + 1, 1);
    }
    key = weft_concat(weft_list(group[0][0], group[1][0], group[2][0], group[3][0]), 1);
    value = weft_concat(weft_list(group[0][1], group[1][1], group[2][1], group[3][1]), 1);
    const weft_tensor a = weft_attention(
        q, key, value, &(weft_attention_desc){.mask = seen((int)d->window, d->mask.g != NULL)});
    t = weft_add(t, linear(joined(a), W, "self_attn.o_proj", false, false));
    const weft_tensor n2 = weft_nn_rms_norm(s, t, "post_attention_layernorm", &norm);
    const weft_tensor gate = weft_nn_activate(linear(n2, HIDDEN, "mlp.gate_proj", false, false),
                                              d->activation ? d->activation : WEFT_SILU);
    t = weft_add(t, linear(weft_mul(gate, linear(n2, HIDDEN, "mlp.up_proj", false, false)), W,
                           "mlp.down_proj", false, false));
    weft_scope_pop(g);
    return t;
}

static const weft_nn_llama_desc llama_plain = {
    .heads = HEADS, .head_size = 4, .hidden = HIDDEN, .layers = 2};

TEST(options_of_llama) {
    static const int32_t places[B * T] = {0, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8, 9};
    for (int k = 0; k < 11; k++) {
        CASE("%d", k);
        begin_state();
        const weft_tensor in = weft_input(g, WEFT_F32, weft_dims(B, T, W));
        weft_nn_llama_desc d = llama_plain;
        if (k == 1) d.kv_heads = KV;
        if (k == 2) d.kv_heads = 1, d.head_size = 6;
        if (k == 3) d.eps = 0.2f;
        if (k == 4) d.activation = WEFT_GELU;
        if (k == 5) d.window = 3;
        if (k == 6) d.qkv_bias = true, d.kv_heads = KV;
        if (k == 7) d.qk_norm = true, d.kv_heads = KV, d.eps = 0.1f;
        if (k == 8) d.rope = (weft_rope_desc){.base = 50, .factor = 3};
        if (k == 9) d.mask = hides_one(), d.window = 4;
        if (k == 10) d.positions = weft_const(g, WEFT_I32, weft_dims(B, 1, T), places);
        const weft_tensor y = weft_nn_llama(s, in, "h", &d);
        const size_t count = weft_state_count(s);
        const weft_tensor want = llama_by_hand(in, &d);
        CHECK_EQ(weft_state_count(s), count);
        CHECK_EQ(count, 9 + (k == 6 ? 3 : 0) + (k == 7 ? 2 : 0));
        fill(s);
        float values[ALL], a[ALL], b2[ALL];
        numbers(values, ALL, 1);
        run(in, values, y, a);
        run(in, values, want, b2);
        CHECK_ARRAY(a, b2, ALL, 1e-5);
    }
}

/* ---- caches ---- */

enum { PLACES = 9 };

/* x in pieces, each behind the one before, with what the cache has of those. */
static void in_pieces(bool gpt2, const weft_nn_llama_desc *d, const int *piece, const float *values,
                      float *to) {
    weft_state *const cached = weft_state_new(c);
    const int64_t kv = gpt2          ? HEADS
                       : d->kv_heads ? d->kv_heads
                                     : HEADS,
                  h = gpt2 ? H : d->head_size;
    for (int first = 0, k = 0; first < T; first += piece[k++]) {
        weft_graph *const own = weft_graph_new(c);
        const int t = piece[k];
        const weft_tensor in = weft_input(own, WEFT_F32, weft_dims(B, t, W));
        const weft_shape dims = weft_dims(B, kv, PLACES, h);
        weft_nn_cache cache = {.k = weft_buffer(own, cached, "k", WEFT_F32, dims, (weft_init){0}),
                               .v = weft_buffer(own, cached, "v", WEFT_F32, dims, (weft_init){0}),
                               .at = weft_input(own, WEFT_I32, WEFT_0D),
                               .length = k % 2 ? PLACES : first + t};
        const bool begins = first == 0 && k % 2 == 0 && piece[0] == 2;
        const weft_tensor place = cache.at;
        if (begins) cache.at = (weft_tensor){0};
        weft_nn_llama_desc how = *d;
        how.cache = &cache;
        how.positions = weft_add(weft_iota(own, weft_dims(t), 0), place);
        const weft_tensor y = gpt2
                                  ? weft_nn_gpt2(s, in, HEADS, "h",
                                                 &(weft_nn_gpt2_desc){.layers = 1, .cache = &cache})
                                  : weft_nn_llama(s, in, "h", &how);
        weft_plan *const p = weft_compile(
            own,
            &(weft_plan_desc){.fetch = weft_list(y),
                              .update = weft_updates_join(own, weft_assign(cache.k, cache.new_k),
                                                          weft_assign(cache.v, cache.new_v))});
        if (!CHECK(p)) CHECK_STR(weft_error(c), "");
        float part[ALL], out_[ALL];
        for (int b2 = 0; b2 < B; b2++)
            memcpy(part + b2 * t * W, values + (b2 * T + first) * W,
                   (size_t)(t * W) * sizeof *part);
        CHECK_EQ(weft_set(p, in, part, (size_t)(B * t * W) * sizeof *part), WEFT_OK);
        if (!begins || !gpt2)
            CHECK_EQ(weft_set(p, place, &(int32_t){first}, sizeof(int32_t)), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, y, out_, (size_t)(B * t * W) * sizeof *out_), WEFT_OK);
        for (int b2 = 0; b2 < B; b2++)
            memcpy(to + (b2 * T + first) * W, out_ + b2 * t * W, (size_t)(t * W) * sizeof *to);
        weft_plan_free(p);
        weft_graph_free(own);
    }
    weft_state_free(cached);
}

TEST(a_cache_gives_in_pieces_what_comes_in_one) {
    static const int pieces[][T] = {{T}, {1, 1, 1, 1, 1, 1, 1}, {2, 3, 1, 1}, {4, 3}};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) {
            CASE("%s %d, pieces of %d", k ? "llama" : "gpt2", k, pieces[i][0]);
            begin_state();
            weft_nn_llama_desc d = llama_plain;
            if (k == 2) d.kv_heads = KV, d.window = 3;
            if (k == 3) d.kv_heads = 1, d.qk_norm = true;
            const weft_tensor in = weft_input(g, WEFT_F32, weft_dims(B, T, W));
            const weft_tensor y =
                k ? weft_nn_llama(s, in, "h", &d)
                  : weft_nn_gpt2(s, in, HEADS, "h", &(weft_nn_gpt2_desc){.layers = 1});
            fill(s);
            float values[ALL], whole[ALL], parts[ALL];
            numbers(values, ALL, 1);
            run(in, values, y, whole);
            in_pieces(k == 0, &d, pieces[i], values, parts);
            CHECK_ARRAY(parts, whole, ALL, 1e-5);
        }
}

/* ---- what is refused ---- */

static weft_tensor sequence(void) {
    return weft_input(g, WEFT_F32, weft_dims(B, T, W));
}

static weft_nn_cache a_cache; /* lives as long as the block that is given it */
static weft_nn_cache *cache_of(int64_t length, int64_t places, bool at) {
    const weft_shape dims = weft_dims(B, HEADS, places, 4);
    a_cache = (weft_nn_cache){.k = weft_buffer(g, s, "k", WEFT_F32, dims, (weft_init){0}),
                              .v = weft_buffer(g, s, "v", WEFT_F32, dims, (weft_init){0}),
                              .length = length};
    if (at) a_cache.at = weft_integer(g, 0);
    return &a_cache;
}

static weft_tensor llama(weft_tensor t, weft_nn_llama_desc d) {
    return weft_nn_llama(s, t, "", &d);
}
#define LLAMA(...)                                                                                 \
    llama(sequence(),                                                                              \
          (weft_nn_llama_desc){.heads = HEADS, .head_size = 4, .hidden = HIDDEN, __VA_ARGS__})

TEST(what_cannot_be) {
    BAD(ARGUMENT, "the options are NULL", weft_nn_llama(s, sequence(), "h", NULL));
    BAD(ARGUMENT, "hidden units",
        llama(sequence(), (weft_nn_llama_desc){.heads = HEADS, .head_size = 4}));
    BAD(ARGUMENT, "heads", llama(sequence(), (weft_nn_llama_desc){.head_size = 4, .hidden = 4}));
    BAD(ARGUMENT, "5 heads", llama(sequence(), (weft_nn_llama_desc){.heads = 5, .hidden = 4}));
    BAD(ARGUMENT, "3 key heads do not divide 4 heads", LLAMA(.kv_heads = 3));
    BAD(ARGUMENT, "-4 key heads", LLAMA(.kv_heads = -4));
    BAD(SHAPE, "even h", llama(sequence(), (weft_nn_llama_desc){.heads = HEADS, .hidden = 4}));
    BAD(ARGUMENT, ".cache: expected 7 positions <= length 6 <= 9 places",
        LLAMA(.cache = cache_of(6, 9, true)));
    BAD(ARGUMENT, ".cache: expected 7 positions <= length 10 <= 9 places",
        LLAMA(.cache = cache_of(10, 9, true)));
    BAD(ARGUMENT, ".cache: expected 7 positions == length 8 <= 9 places",
        LLAMA(.cache = cache_of(8, 9, false)));
    BAD(ARGUMENT, "k or v is none", LLAMA(.cache = &(weft_nn_cache){.length = 0}));
    BAD(ARGUMENT, "k or v is none",
        weft_nn_gpt2(s, sequence(), HEADS, "h",
                     &(weft_nn_gpt2_desc){.cache = &(weft_nn_cache){.length = 0}}));
}

TEST(weights_of_other_types) {
    begin_state();
    CHECK(!weft_ok(LLAMA(.stored = WEFT_I32)));
    CHECK_EQ(weft_graph_error(g), WEFT_DTYPE);
    CHECK_HAS(weft_error(c), "self_attn.q_proj\": .stored: expected f32, bf16, f16 or i8, got i32");
    begin_state();
    const weft_nn_gpt2_desc d = {.stored = WEFT_BOOL};
    CHECK(!weft_ok(weft_nn_gpt2(s, sequence(), HEADS, "h", &d)));
    CHECK_HAS(weft_error(c), "attn.c_attn\": .stored: expected f32, bf16, f16 or i8, got bool");
}
