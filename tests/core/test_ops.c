/* test_ops.c - every operation on the CPU against the reference: rows of ops.def by expansion, the
 * others from operations.def, over shapes, layouts and element types, fused and one by one. */
#include "operations.h"

static weft_ctx *ref, *cpu;

static void ops_begin(void) {
    ref = weft_open("ref");
    cpu = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 1});
}

static void ops_end(void) {
    weft_close(ref);
    weft_close(cpu);
}

/* Records the same in both contexts by `record`, runs, and compares twice. */
typedef void (*ops_recorder)(program *p, const void *what);

static void ops_try(ops_recorder record, const void *what, program_layout layout,
                    program_bound bound, const char *label) {
    program want;
    program_begin(&want, ref, layout);
    record(&want, what);
    CASE("%s, %s", label, program_layout_name[layout]);
    bool good = program_run(&want, false);
    for (int unfused = 0; good && unfused < 2; unfused++) {
        program got;
        if (unfused) CASE("%s, %s, unfused", label, program_layout_name[layout]);
        program_begin(&got, cpu, layout);
        record(&got, what);
        if (program_run(&got, unfused)) program_same(&got, &want, bound);
        program_end(&got);
    }
    program_end(&want);
}

/* ---- rows of ops.def ---- */

typedef struct ops_row {
    const char *name;
    weft_tensor (*one)(weft_tensor);
    weft_tensor (*two)(weft_tensor, weft_tensor);
    double lo, hi, ulp;
    bool whole; /* no floats */
} ops_row;

/* clang-format off */
static const ops_row ops_rows[] = {
#define OP_UNARY(name, f32, i32, cost, dx, f64, i64, lo, hi, ulp)      {#name, weft_##name, NULL, lo, hi, ulp, 0},
#define OP_BINARY(name, f32, i32, cost, dx, dy, f64, i64, lo, hi, ulp) {#name, NULL, weft_##name, lo, hi, ulp, 0},
#define OP_COMPARE(name, f32, i32, truth)                     {#name, NULL, weft_##name, -2, 2, 0, 0},
#define OP_LOGIC(name, i32)                            {#name, NULL, weft_##name, -9, 9, 0, 1},
#include "core/ops.def"
};
/* clang-format on */
enum { OPS_ROWS = sizeof ops_rows / sizeof *ops_rows };

typedef struct ops_map {
    const ops_row *row;
    weft_shape a, b;
    weft_dtype ta, tb;
} ops_map;

static void ops_record_map(program *p, const void *what) {
    const ops_map *m = what;
    const ops_row *r = m->row;
    weft_tensor a = program_given(p, 0, m->ta, r->lo, r->hi, m->a);
    if (r->one) program_out(p, r->one(a));
    else program_out(p, r->two(a, program_given(p, 1, m->tb, r->lo, r->hi, m->b)));
}

TEST(maps_of_one_over_shapes_and_layouts) {
    const weft_shape shapes[] = {WEFT_0D,
                                 weft_dims(1),
                                 weft_dims(37),
                                 weft_dims(0),
                                 weft_dims(5, 7),
                                 weft_dims(3, 0, 2),
                                 weft_dims(2, 3, 9),
                                 weft_dims(1, 130),
                                 weft_dims(2, 1, 3, 1, 5)};
    ops_begin();
    for (int r = 0; r < OPS_ROWS; r++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes && ops_rows[r].one; s++)
            for (int l = 0; l < LAYOUT_COUNT; l++) {
                ops_map m = {&ops_rows[r], shapes[s], shapes[s], WEFT_F32, WEFT_F32};
                char label[100];
                snprintf(label, sizeof label, "%s, shape %zu", m.row->name, s);
                ops_try(ops_record_map, &m, (program_layout)l,
                        (program_bound){m.row->ulp, 0, false}, label);
            }
    ops_end();
}

TEST(maps_of_two_broadcast) {
    const weft_shape shapes[][2] = {
        {weft_dims(5, 7), weft_dims(5, 7)}, {weft_dims(5, 7), WEFT_0D},
        {WEFT_0D, weft_dims(5, 7)},         {weft_dims(5, 7), weft_dims(7)},
        {weft_dims(5, 7), weft_dims(5, 1)}, {weft_dims(5, 1), weft_dims(1, 7)},
        {weft_dims(7), weft_dims(2, 3, 7)}, {weft_dims(2, 1, 7), weft_dims(3, 1)},
        {weft_dims(0, 4), weft_dims(4)},    {WEFT_0D, WEFT_0D},
        {weft_dims(1, 4), weft_dims(0, 1)}, {weft_dims(133), weft_dims(133)}};
    ops_begin();
    for (int r = 0; r < OPS_ROWS; r++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes && ops_rows[r].two; s++)
            for (int l = 0; l < LAYOUT_COUNT; l++) {
                const ops_row *row = &ops_rows[r];
                weft_dtype t = row->whole ? WEFT_I32 : WEFT_F32;
                ops_map m = {row, shapes[s][0], shapes[s][1], t, t};
                char label[100];
                snprintf(label, sizeof label, "%s, shapes %zu", m.row->name, s);
                ops_try(ops_record_map, &m, (program_layout)l, (program_bound){row->ulp, 0, false},
                        label);
            }
    ops_end();
}

TEST(maps_of_every_type) {
    ops_begin();
    for (int r = 0; r < OPS_ROWS; r++)
        for (int ta = 0; ta < WEFT_DTYPE_COUNT; ta++)
            for (int tb = 0; tb < (ops_rows[r].one ? 1 : (int)WEFT_DTYPE_COUNT); tb++) {
                ops_row row = ops_rows[r];
                if (row.whole && (ref_is_float(ta) || ref_is_float(tb))) continue;
                if (!ref_is_float(ta) || !ref_is_float(tb)) {
                    bool positive = row.lo >= 0 || strstr(row.name, "log") || ta == WEFT_U32 ||
                                    tb == WEFT_U32 || ta == WEFT_U8 || tb == WEFT_U8;
                    row.lo = positive ? 1 : -3; /* whole numbers in the domain */
                    row.hi = 4;
                }
                ops_map m = {&row, weft_dims(3, 11), weft_dims(3, 11), (weft_dtype)ta,
                             (weft_dtype)tb};
                char label[100];
                snprintf(label, sizeof label, "%s, %s %s", row.name, weft_dtype_name(m.ta),
                         row.one ? "" : weft_dtype_name(m.tb));
                ops_try(ops_record_map, &m, LAYOUT_plain, (program_bound){row.ulp, 0, false},
                        label);
            }
    ops_end();
}

/* ---- special values, as data ---- */

static const float ops_special[] = {
    0.0f,          -0.0f,         1.0f,    -1.0f,    0.5f,      -0.5f,  2.5f,   -1.5f,
    3.0f,          -2.0f,         NAN,     INFINITY, -INFINITY, 88.0f,  -88.0f, 104.0f,
    1e-20f,        -1e-20f,       3e9f,    -3e9f,    1e30f,     -1e30f, 1e10f,  16777217.0f,
    1073741824.0f, 1073741760.0f, FLT_MAX, -1e15f,   2e31f};
enum { OPS_SPECIALS = sizeof ops_special / sizeof *ops_special };

static void ops_record_special(program *p, const void *what) {
    const ops_row *r = what;
    weft_tensor a = weft_const(p->g, WEFT_F32, weft_dims(OPS_SPECIALS, 1), ops_special);
    weft_tensor b = weft_const(p->g, WEFT_F32, weft_dims(OPS_SPECIALS), ops_special);
    program_out(p, r->one ? r->one(a) : r->two(a, b));
}

TEST(maps_at_special_values) {
    ops_begin();
    for (int r = 0; r < OPS_ROWS; r++)
        if (!ops_rows[r].whole)
            ops_try(ops_record_special, &ops_rows[r], LAYOUT_plain,
                    (program_bound){ops_rows[r].ulp, 0, false}, ops_rows[r].name);
    ops_end();
}

static void ops_record_special_fold(program *p, const void *what) {
    const int *shift = what;
    weft_tensor x = weft_const(p->g, WEFT_F32, weft_dims(OPS_SPECIALS), ops_special);
    x = weft_slice(x, 0, *shift, WEFT_END, 1);
    program_out(p, weft_max(x, WEFT_ALL, false));
    program_out(p, weft_min(x, WEFT_ALL, false));
    program_out(p, weft_argmax(x, 0, false));
    program_out(p, weft_argsort(x, 0, false));
    program_out(p, weft_argsort(x, 0, true));
    program_out(p, weft_any(x, WEFT_ALL, false));
    program_out(p, weft_all(x, WEFT_ALL, false));
    program_out(p, weft_cast(x, WEFT_I32));
    program_out(p, weft_cast(x, WEFT_U32));
    program_out(p, weft_cast(x, WEFT_BF16));
    program_out(p, weft_cast(x, WEFT_F16));
}

TEST(folds_casts_and_orders_at_special_values) {
    ops_begin();
    for (int shift = 0; shift < OPS_SPECIALS; shift++) {
        char label[50];
        snprintf(label, sizeof label, "from the value %g", (double)ops_special[shift]);
        ops_try(ops_record_special_fold, &shift, LAYOUT_plain, (program_bound){0, 0, false}, label);
    }
    ops_end();
}

/* ---- conversions ---- */

typedef struct ops_types {
    weft_dtype from, to;
} ops_types;

static void ops_record_cast(program *p, const void *what) {
    const ops_types *t = what;
    double lo = t->from == WEFT_U8 || t->from == WEFT_U32 || t->from == WEFT_BOOL ? 0 : -100;
    weft_tensor x =
        program_given(p, 0, t->from, lo, t->from == WEFT_BOOL ? 2 : 120, weft_dims(3, 21));
    program_out(p, weft_cast(x, t->to));
    program_out(p, weft_cast(weft_cast(x, t->to), WEFT_F32)); /* narrow in between, in one kernel */
}

TEST(casts_between_all_types) {
    ops_begin();
    for (int from = 0; from < WEFT_DTYPE_COUNT; from++)
        for (int to = 0; to < WEFT_DTYPE_COUNT; to++)
            for (int l = 0; l < LAYOUT_negated; l++) {
                ops_types t = {(weft_dtype)from, (weft_dtype)to};
                char label[50];
                snprintf(label, sizeof label, "%s to %s", weft_dtype_name(t.from),
                         weft_dtype_name(t.to));
                ops_try(ops_record_cast, &t, (program_layout)l, (program_bound){1, 0, false},
                        label);
            }
    ops_end();
}

/* ---- the others ---- */

static void ops_record_operation(program *p, const void *what) {
    program_out(p, operation_record(p, what));
}

TEST(operations_over_layouts) {
    ops_begin();
    for (int k = 0; k < OPERATIONS; k++)
        for (int l = 0; l < LAYOUT_COUNT; l++)
            ops_try(ops_record_operation, &operations[k], (program_layout)l,
                    (program_bound){operations[k].ulps, 1, false}, operations[k].text);
    ops_end();
}

/* Maps after an operation, and a second reader of it: epilogues, and results that must be kept. */
static void ops_record_followed(program *p, const void *what) {
    weft_tensor y = operation_record(p, what);
    weft_tensor f = weft_cast(y, WEFT_F32);
    program_out(p, weft_maximum(weft_neg(f), weft_scalar(p->g, -1e4f)));
    program_out(p, y);
}

TEST(operations_with_readers) {
    ops_begin();
    for (int k = 0; k < OPERATIONS; k++)
        ops_try(ops_record_followed, &operations[k], LAYOUT_plain,
                (program_bound){operations[k].ulps, 1, false}, operations[k].text);
    ops_end();
}
