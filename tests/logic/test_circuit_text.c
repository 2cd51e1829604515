/* test_circuit_text.c - circuits as text: formulas read back by a small parser of our own, BLIF by
 * its rows, JSON by the library, damaged JSON refused. */
#include "circuit_world.h"
#include "test.h"

#include <stdio.h>

/* ---- formulas: ~, &, |, ^ and parentheses over in[i], x[i], gi, vi and constants ---- */

typedef struct formula {
    const char *at;
    const uint64_t *in, *gate, *place; /* in[3], g3, v[3] */
} formula;

static uint64_t formula_or(formula *f);

static uint64_t formula_number(formula *f, const uint64_t *from, const char *before) {
    f->at += strlen(before);
    char *end;
    const long i = strtol(f->at, &end, 10);
    f->at = end + (*end == ']');
    return from[i];
}

static uint64_t formula_unit(formula *f) {
    while (*f->at == ' ') f->at++;
    if (*f->at == '~') return f->at++, ~formula_unit(f);
    if (*f->at == '(') {
        f->at++;
        const uint64_t v = formula_or(f);
        f->at++; /* the closing one */
        return v;
    }
    if (strncmp(f->at, "in[", 3) == 0) return formula_number(f, f->in, "in[");
    if (strncmp(f->at, "x[", 2) == 0) return formula_number(f, f->in, "x[");
    if (strncmp(f->at, "v[", 2) == 0) return formula_number(f, f->place, "v[");
    if (*f->at == 'g') return formula_number(f, f->gate, "g");
    if (strncmp(f->at, "0ULL", 4) == 0) return f->at += 4, 0;
    if (strncmp(f->at, "1'b0", 4) == 0) return f->at += 4, 0;
    if (strncmp(f->at, "1'b1", 4) == 0) return f->at += 4, ~UINT64_C(0);
    CHECK(!"a formula we can read");
    f->at += strlen(f->at);
    return 0;
}

static uint64_t formula_and(formula *f) {
    uint64_t v = formula_unit(f);
    while (strncmp(f->at, " & ", 3) == 0) f->at += 3, v &= formula_unit(f);
    return v;
}

static uint64_t formula_xor(formula *f) {
    uint64_t v = formula_and(f);
    while (strncmp(f->at, " ^ ", 3) == 0) f->at += 3, v ^= formula_and(f);
    return v;
}

static uint64_t formula_or(formula *f) {
    uint64_t v = formula_xor(f);
    while (strncmp(f->at, " | ", 3) == 0) f->at += 3, v |= formula_xor(f);
    return v;
}

enum { MOST = 4000 };

/* Statements of C or Verilog, one a line: "... gI = F;", "v[I] = F;", "out[I] = F;", "y[I] = F;" */
static void formula_lines(const char *text, const uint64_t *in, uint64_t *out) {
    static uint64_t gate[MOST], place[MOST];
    for (const char *line = text; line && *line;) {
        const char *const end = strchr(line, '\n');
        const char *const is = strstr(line, " = ");
        if (is && end && is < end) {
            const char *name = is;
            while (name > line && name[-1] != ' ') name--;
            formula f = {is + 3, in, gate, place};
            const uint64_t v = formula_or(&f);
            CHECK(*f.at == ';');
            const char *digits = name;
            while (*digits < '0' || *digits > '9') digits++;
            const int i = atoi(digits);
            (*name == 'g' ? gate : *name == 'v' ? place : out)[i] = v;
        }
        line = end ? end + 1 : NULL;
    }
}

/* ---- BLIF ---- */

typedef struct blif_net {
    uint64_t x[128], g[MOST], y[64];
} blif_net;

static uint64_t *blif_value(blif_net *b, const char *name) {
    uint64_t *const from = *name == 'x' ? b->x : *name == 'g' ? b->g : b->y;
    return from + atoi(name + 1);
}

static void blif_run(const char *text, blif_net *b) {
    char a[32] = "", c[32] = "", to[32] = "", rest[8];
    int reads = -1;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, ".names", 6) == 0) {
            char whole[128] = "";
            sscanf(line, "%127[^\n]", whole);
            reads = sscanf(whole + 6, " %31s %31s %31s %7s", a, c, to, rest) - 1;
            if (reads == 0) strcpy(to, a);
            if (reads == 1) strcpy(to, c);
            *blif_value(b, to) = 0;
        } else if (reads >= 0 && (*line == '0' || *line == '1')) {
            uint64_t row = ~UINT64_C(0);
            for (int i = 0; i < reads; i++) {
                const uint64_t v = *blif_value(b, i ? c : a);
                row &= line[i] == '1' ? v : ~v;
            }
            *blif_value(b, to) |= row;
        } else {
            reads = -1;
        }
    }
}

/* A row for each case in which it is 1, and no case twice. */
TEST(blif_lists_a_case_once) {
    weft_ctx *c = weft_open("cpu");
    weft_circuit *k = weft_circuit_new(c, 2);
    weft_circuit_output(k, weft_circuit_add(k, WEFT_GATE_A, 0, 1));
    weft_circuit_add(k, WEFT_GATE_NOT_B, 0, 1);
    weft_circuit_add(k, WEFT_GATE_TRUE, 0, 1);
    weft_circuit_add(k, WEFT_GATE_FALSE, 0, 1);
    weft_circuit_add(k, WEFT_GATE_XOR, 0, 1);
    char *text = weft_circuit_text(k, WEFT_CIRCUIT_BLIF, "five");
    CHECK_STR(text, ".model five\n.inputs x0 x1\n.outputs y0\n"
                    ".names x0 g0\n1 1\n"
                    ".names x1 g1\n0 1\n"
                    ".names g2\n1\n"
                    ".names g3\n"
                    ".names x0 x1 g4\n01 1\n10 1\n"
                    ".names g0 y0\n1 1\n.end\n");
    weft_text_free(c, text);
    weft_circuit_free(k);
    weft_close(c);
}

TEST(texts_mean_the_circuit) {
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {41};
    static blif_net blif;
    for (int i = 0; i < 80; i++) {
        const int inputs = 1 + circuit_below(&r, i % 4 ? 9 : 60),
                  outputs = 1 + circuit_below(&r, 9);
        const int gates = i % 20 == 19 ? 2300 : circuit_below(&r, 60);
        weft_circuit *k = circuit_random_one(c, &r, i % CIRCUIT_SHAPES, inputs, gates, outputs);
        uint64_t in[64], want[16], out[16] = {0};
        for (int j = 0; j < inputs; j++) blif.x[j] = in[j] = circuit_word(&r);
        CHECK(circuit_naive(k, 1, in, want));
        for (int f = 0; f < WEFT_CIRCUIT_FORMAT_COUNT; f++) {
            CASE("circuit %d as %s", i, weft_circuit_ending((weft_circuit_format)f));
            char *text = weft_circuit_text(k, (weft_circuit_format)f, "net");
            if (!CHECK(text != NULL)) continue;
            if (f == WEFT_CIRCUIT_C || f == WEFT_CIRCUIT_VERILOG) {
                memset(out, 0, sizeof out);
                formula_lines(text, in, out);
                CHECK_MEM(out, want, (size_t)outputs * 8);
                CHECK_HAS(text, f == WEFT_CIRCUIT_C ? "void net(" : "module net(");
            } else if (f == WEFT_CIRCUIT_BLIF) {
                blif_run(text, &blif);
                CHECK_MEM(blif.y, want, (size_t)outputs * 8);
                CHECK_HAS(text, ".model net\n");
            } else if (f == WEFT_CIRCUIT_JSON) {
                weft_circuit *again = weft_circuit_read(c, text, strlen(text), "net.json");
                if (!CHECK(again != NULL)) continue;
                char *second = weft_circuit_text(again, WEFT_CIRCUIT_JSON, "net");
                CHECK_STR(second, text);
                weft_text_free(c, second);
                weft_circuit_free(again);
            } else {
                CHECK_HAS(text, "<svg ");
                CHECK_HAS(text, ">y0</text>");
                CHECK_HAS(text, "</svg>\n");
            }
            weft_text_free(c, text);
        }
        weft_circuit_free(k);
    }
    weft_close(c);
}

TEST(the_picture_has_what_outputs_need) {
    weft_ctx *c = weft_open("cpu");
    weft_circuit *k = weft_circuit_new(c, 3);
    const int32_t and = weft_circuit_add(k, WEFT_GATE_A_NOT_B, 0, 1);
    weft_circuit_add(k, WEFT_GATE_XOR, 1, 2);
    weft_circuit_output(k, and);
    char *text = weft_circuit_text(k, WEFT_CIRCUIT_SVG, NULL);
    CHECK_HAS(text, ">a &amp; !b</text>");
    CHECK_HAS(text, ">x1</text>");
    CHECK(text && !strstr(text, ">x2</text>") && !strstr(text, "a ^ b"));
    CHECK_HAS(text, "circuit: 3 inputs, 2 gates, 1 output<");
    weft_text_free(c, text);
    CHECK(weft_circuit_text(k, (weft_circuit_format)99, NULL) == NULL);
    CHECK_HAS(weft_error(c), "99");
    const char *const names[] = {"", "2x", "a b", "a-b", "a\"", "<g>"};
    for (int i = 0; i < 6; i++) {
        CHECK(weft_circuit_text(k, WEFT_CIRCUIT_C, names[i]) == NULL);
        CHECK_HAS(weft_error(c), "cannot name a circuit");
    }
    CHECK(weft_circuit_ending((weft_circuit_format)99) == NULL);
    CHECK_STR(weft_circuit_ending(WEFT_CIRCUIT_VERILOG), "v");
    weft_circuit_free(k);
    weft_close(c);
}

/* ---- reading ---- */

TEST(a_wrong_file_is_told_where) {
    static const struct {
        const char *json, *says;
    } bad[] = {
        {"", "some.json"},
        {"[1, 2]", "format"},
        {"{\"format\": \"other\"}", "\"weft circuit\" was expected"},
        {"{\"format\": \"weft circuit\"}", "version"},
        {"{\"format\": \"weft circuit\", \"version\": 2}", "from 1 to 1"},
        {"{\"format\": \"weft circuit\", \"version\": 1}", "inputs"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": -1}", "inputs"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 1.5}", "inputs"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2}", "an array was expected"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2, \"gates\": [3]}", "offset"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2, \"gates\": [[1, 0]]}",
         "gate 0: a kind and two values were expected, not 2 numbers"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2, \"gates\": [[1, 0, 1, 0]]}",
         "not 4 numbers"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2, \"gates\": [[16, 0, 1]]}",
         "from 0 to 15"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2, \"gates\": [[1, 0, 2]]}",
         "offset 71: gates: a whole number from 0 to 1"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2, \"gates\": []}", "outputs"},
        {"{\"format\": \"weft circuit\", \"version\": 1, \"inputs\": 2, \"gates\": [], "
         "\"outputs\": [2]}",
         "outputs"}};
    weft_ctx *c = weft_open("cpu");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].json);
        CHECK(weft_circuit_read(c, bad[i].json, strlen(bad[i].json), "some.json") == NULL);
        CHECK_HAS(weft_error(c), bad[i].says);
        CHECK_HAS(weft_error(c), "some.json");
    }
    weft_close(c);
}

TEST(damaged_files_do_no_harm) {
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {43};
    weft_circuit *k = circuit_random_one(c, &r, 0, 4, 12, 3);
    char *text = weft_circuit_text(k, WEFT_CIRCUIT_JSON, NULL);
    const size_t n = strlen(text);
    char *copy = malloc(n + 1);
    int read = 0;
    for (int i = 0; i < 4000; i++) {
        memcpy(copy, text, n + 1);
        size_t bytes = i % 3 ? n : (size_t)circuit_below(&r, (int)n);
        for (int j = circuit_below(&r, 3); j >= 0; j--)
            copy[circuit_below(&r, (int)n)] = "0123456789[]{},:\"-e. x"[circuit_below(&r, 22)];
        weft_circuit *again = weft_circuit_read(c, copy, bytes, NULL);
        if (!again) {
            CHECK(weft_error(c)[0] != 0);
            continue;
        }
        uint64_t in[4] = {1, 2, 3, 4}, out[64];
        if (weft_circuit_inputs(again) <= 4 && weft_circuit_outputs(again) <= 64)
            CHECK_EQ(weft_circuit_run(again, 1, in, out), WEFT_OK);
        weft_circuit_free(again);
        read++;
    }
    CHECK(read > 10); /* a digit for another can be a circuit */
    free(copy);
    weft_text_free(c, text);
    weft_circuit_free(k);
    weft_close(c);
}
