/* test_grad.c - gradients, once and twice, of every operation against differences in double, on the
 * reference backend; then the CPU's gradients against the reference's.
 *
 * For results y of inputs x, with fixed random weights w and v:
 *     first  = sum(w y),         d = its gradient by x
 *     second = sum over x of v d, its gradient by x
 * Numbers lie away from kinks (program.h), so that symmetric differences at h and h / 2, combined
 * to cancel their error of second order, have some ten digits. */
#include "operations.h"

enum { GRAD_INPUTS = 8, GRAD_SINGLY = 40, GRAD_DIRECTIONS = 3 };
static const double grad_h = 4e-4;

static weft_ctx *ref, *cpu;

static void grad_begin(void) {
    ref = weft_open("ref");
    cpu = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 1});
}

static void grad_end(void) {
    weft_close(ref);
    weft_close(cpu);
}

/* ---- recording ---- */

typedef struct grads {
    program p; /* outputs: first, second if order is 2, then the gradients */
    int order, n;
    weft_tensor x[GRAD_INPUTS], d[GRAD_INPUTS], dd[GRAD_INPUTS];
} grads;

/* Weights within 1 of zero, the same in every context. */
static weft_tensor grad_weights(weft_graph *g, weft_shape s, uint32_t salt) {
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++) n *= s.n[i];
    float *w = malloc((size_t)n * sizeof *w + 1);
    for (int64_t i = 0; i < n; i++) w[i] = (float)(program_hash(salt, (uint32_t)i) * 0x1p-31 - 1);
    weft_tensor t = weft_const(g, WEFT_F32, s, w);
    free(w);
    return t;
}

static weft_tensor grad_weighted(weft_tensor y, uint32_t salt) {
    return weft_sum(weft_mul(y, grad_weights(y.g, weft_shape_of(y), salt)), WEFT_ALL, false);
}

/* From the recorded y to first, second and their gradients by all float inputs. */
static bool grad_record(grads *s, weft_tensor y, int order) {
    program *p = &s->p;
    s->order = order;
    s->n = 0;
    for (int k = 0; k < GRAD_INPUTS; k++)
        if (p->in[k].input.id && ref_is_float(weft_dtype_of(p->in[k].input)))
            s->x[s->n++] = p->in[k].input;
    weft_tensor first = grad_weighted(y, 1), second = weft_scalar(p->g, 0);
    weft_tensor w = grad_weights(p->g, weft_shape_of(y), 1);
    if (!CHECK_EQ(weft_vjp(y, w, s->x, (size_t)s->n, s->d), WEFT_OK))
        return CHECK_STR(weft_error(p->ctx), "");
    program_out(p, first);
    for (int k = 0; order > 1 && k < s->n; k++)
        second = weft_add(second, grad_weighted(s->d[k], 2 + (uint32_t)k));
    if (order > 1 && !CHECK_EQ(weft_grad(second, s->x, (size_t)s->n, s->dd), WEFT_OK))
        return CHECK_STR(weft_error(p->ctx), "");
    if (order > 1) program_out(p, second);
    for (int k = 0; k < s->n; k++) program_out(p, s->d[k]);
    for (int k = 0; order > 1 && k < s->n; k++) program_out(p, s->dd[k]);
    return true;
}

/* ---- differences ---- */

typedef struct grad_at {
    double first, second;
} grad_at;

/* A direction: one element of one input, or all elements of all by a random sign each. */
typedef struct grad_way {
    int input;     /* -1: all */
    int64_t index; /* of the element, or which random direction */
} grad_way;

static double grad_along(grad_way way, int input, int64_t i) {
    if (way.input >= 0) return way.input == input && way.index == i;
    return program_hash((uint32_t)(way.index * 8 + input + 100), (uint32_t)i) & 1 ? 1 : -1;
}

static int grad_slot(const grads *s, int k) {
    int slot = 0;
    while (s->p.in[slot].input.id != s->x[k].id) slot++;
    return slot;
}

static grad_at grad_moved(grads *s, grad_way way, double by) {
    for (int k = 0; k < s->n; k++) {
        int64_t n = weft_count(s->x[k]);
        int slot = grad_slot(s, k);
        double *v = malloc((size_t)n * sizeof *v + 1);
        for (int64_t i = 0; i < n; i++)
            v[i] = (double)(float)program_number(slot, &s->p.in[slot], i, n) +
                   by * grad_along(way, k, i);
        CHECK_EQ(ref_set_double(s->p.plan, s->x[k], v, (size_t)n), WEFT_OK);
        free(v);
    }
    CHECK_EQ(weft_run(s->p.plan), WEFT_OK);
    return (grad_at){ref_value(s->p.plan, s->p.out[0], 0),
                     s->order > 1 ? ref_value(s->p.plan, s->p.out[1], 0) : 0};
}

static grad_at grad_difference(grads *s, grad_way way) {
    grad_at wide[2] = {grad_moved(s, way, grad_h), grad_moved(s, way, -grad_h)};
    grad_at near[2] = {grad_moved(s, way, grad_h / 2), grad_moved(s, way, -grad_h / 2)};
    return (grad_at){(4 * (near[0].first - near[1].first) / grad_h -
                      (wide[0].first - wide[1].first) / (2 * grad_h)) /
                         3,
                     (4 * (near[0].second - near[1].second) / grad_h -
                      (wide[0].second - wide[1].second) / (2 * grad_h)) /
                         3};
}

/* What the recorded gradients say of a direction; the plan was run where nothing has moved. */
static grad_at grad_said(grads *s, grad_way way) {
    grad_at sum = {0, 0};
    for (int k = 0; k < s->n; k++)
        for (int64_t i = 0; i < weft_count(s->x[k]); i++) {
            double by = grad_along(way, k, i);
            if (by == 0) continue;
            sum.first += by * ref_value(s->p.plan, s->d[k], i);
            if (s->order > 1) sum.second += by * ref_value(s->p.plan, s->dd[k], i);
        }
    return sum;
}

static void grad_check(grads *s) {
    int64_t elements = 0;
    for (int k = 0; k < s->n; k++) elements += weft_count(s->x[k]);
    bool singly = elements <= GRAD_SINGLY;
    for (int64_t j = 0; j < (singly ? elements : GRAD_DIRECTIONS); j++) {
        grad_way way = {-1, j};
        if (singly) {
            way = (grad_way){0, j};
            while (way.index >= weft_count(s->x[way.input]))
                way.index -= weft_count(s->x[way.input++]);
        }
        grad_moved(s, way, 0);
        grad_at said = grad_said(s, way), found = grad_difference(s, way);
        CHECK_NEAR(said.first, found.first, 1e-6 * fmax(1, fabs(found.first)));
        if (s->order > 1) CHECK_NEAR(said.second, found.second, 1e-5 * fmax(1, fabs(found.second)));
    }
    grad_moved(s, (grad_way){-1, 0}, 0);
}

/* ---- one program: differences first, then the CPU ---- */

typedef weft_tensor (*grad_recorder)(program *p, const void *what);

static void grad_try(grad_recorder record, const void *what, int order, program_layout layout,
                     const char *label) {
    grads want = {0};
    CASE("%s, %s, by differences", label, program_layout_name[layout]);
    program_begin(&want.p, ref, layout);
    bool good = grad_record(&want, record(&want.p, what), order) && program_run(&want.p, false);
    if (good) grad_check(&want);
    for (int unfused = 0; good && unfused < 2; unfused++) {
        grads got = {0};
        CASE("%s, %s, on the CPU%s", label, program_layout_name[layout],
             unfused ? ", unfused" : "");
        program_begin(&got.p, cpu, layout);
        if (grad_record(&got, record(&got.p, what), order) && program_run(&got.p, unfused))
            program_same(&got.p, &want.p, (program_bound){256, 1, true});
        program_end(&got.p);
    }
    program_end(&want.p);
}

/* ---- rows of ops.def ---- */

typedef struct grad_row {
    const char *name;
    weft_tensor (*one)(weft_tensor);
    weft_tensor (*two)(weft_tensor, weft_tensor);
    double lo, hi;
} grad_row;

/* clang-format off */
static const grad_row grad_rows[] = {
#define OP_UNARY(name, f32, i32, cost, dx, f64, i64, lo, hi, ulp)      {#name, weft_##name, NULL, lo, hi},
#define OP_BINARY(name, f32, i32, cost, dx, dy, f64, i64, lo, hi, ulp) {#name, NULL, weft_##name, lo, hi},
#include "core/ops.def"
};
/* clang-format on */

typedef struct grad_map {
    const grad_row *row;
    weft_shape a, b;
} grad_map;

static weft_tensor grad_record_map(program *p, const void *what) {
    const grad_map *m = what;
    weft_tensor a = program_given(p, 0, WEFT_F32, m->row->lo, m->row->hi, m->a);
    if (m->row->one) return m->row->one(a);
    return m->row->two(a, program_given(p, 1, WEFT_F32, m->row->lo, m->row->hi, m->b));
}

TEST(gradients_of_maps) {
    const weft_shape shapes[][2] = {{weft_dims(3, 5), weft_dims(3, 5)},
                                    {weft_dims(4, 1), weft_dims(5)},
                                    {WEFT_0D, weft_dims(2, 3)},
                                    {weft_dims(7), WEFT_0D},
                                    {weft_dims(9, 21), weft_dims(9, 21)}};
    grad_begin();
    for (size_t r = 0; r < sizeof grad_rows / sizeof *grad_rows; r++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            grad_map m = {&grad_rows[r], shapes[s][0], shapes[s][1]};
            char label[100];
            snprintf(label, sizeof label, "%s, shapes %zu", m.row->name, s);
            grad_try(grad_record_map, &m, 2, LAYOUT_plain, label);
        }
    grad_end();
}

/* ---- the others ---- */

static weft_tensor grad_record_operation(program *p, const void *what) {
    return operation_record(p, what);
}

TEST(gradients_of_operations) {
    grad_begin();
    for (int k = 0; k < OPERATIONS; k++)
        if (operations[k].order)
            grad_try(grad_record_operation, &operations[k], operations[k].order, LAYOUT_plain,
                     operations[k].text);
    grad_end();
}

TEST(gradients_through_layouts) {
    const program_layout layouts[] = {LAYOUT_permuted, LAYOUT_strided, LAYOUT_reshaped,
                                      LAYOUT_started};
    grad_begin();
    for (int k = 0; k < OPERATIONS; k += test_long() ? 1 : 3)
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
            if (operations[k].order)
                grad_try(grad_record_operation, &operations[k], operations[k].order, layouts[l],
                         operations[k].text);
    grad_end();
}
