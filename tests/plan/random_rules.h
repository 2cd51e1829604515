/* random_rules.h - how each kind of node may join a random graph: operands, parameters, shape, and
 * what becomes of size, lower bound and error. Included by random_graph.h, which explains them. */
#ifndef WEFT_RANDOM_RULES_H
#define WEFT_RANDOM_RULES_H

/* Some operand of rank 1 or more, and one of its axes. */
static int random_axis(random_graph *g, weft_dtype t, int64_t *axis) {
    int a = random_pick(g, t);
    for (int tries = 0; tries < 5 && a >= 0 && g->node[a].s.rank == 0; tries++)
        a = random_pick(g, t);
    if (a < 0 || g->node[a].s.rank == 0) return -1;
    *axis = random_below(g, g->node[a].s.rank);
    return a;
}

static void random_drop(random_node *n, int64_t axis, bool keep) {
    n->s.n[axis] = 1;
    if (keep) return;
    n->s.rank--;
    memmove(n->s.n + axis, n->s.n + axis + 1, (size_t)(n->s.rank - axis) * sizeof *n->s.n);
}

static int random_unary(random_graph *g, random_row kind) {
    bool whole = random_chance(g, 15);
    int a = random_pick(g, whole ? WEFT_I32 : WEFT_F32);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    const double m = n.size, low = n.low, e = n.error;
    n.low = -INFINITY;
    switch (kind) {
    case KIND_neg: break;
    case KIND_abs:
    case KIND_relu: n.low = fmax(0, low); break;
    case KIND_sign:
    case KIND_floor:
    case KIND_ceil:
    case KIND_round: /* these jump */
        if (e > 0) return -1;
        n.size = kind == KIND_sign ? 1 : m + 1;
        break;
    default:
        n.t = WEFT_F32; /* of integers too */
        switch (kind) {
        case KIND_exp:
        case KIND_expm1:
            if (m > 4) return -1;
            n.size = exp(m), n.error = n.size * (e + 4 * random_eps);
            n.low = kind == KIND_exp ? exp(-m) - n.error : -1;
            break;
        case KIND_tanh:
        case KIND_erf:
        case KIND_sin:
        case KIND_cos:
        case KIND_bessel_j0:
        case KIND_bessel_j1:
        case KIND_bessel_i0e:
        case KIND_bessel_i1e:
        case KIND_sigmoid:
            n.size = 1.01, n.error = 1.2 * e + 4 * random_eps;
            if (kind == KIND_sigmoid) n.low = 0;
            break;
        case KIND_erfc: n.size = 2.01, n.error = 1.2 * e + 8 * random_eps; break;
        case KIND_log:
        case KIND_sqrt:
        case KIND_rsqrt:
        case KIND_recip:
            if (low < 0.3) return -1;
            n.size = kind == KIND_log    ? fmax(log(m + 1), 1.3)
                     : kind == KIND_sqrt ? sqrt(m)
                                         : 1 / 0.3;
            n.error = e / (low * low) * 2 + 4 * random_eps * n.size;
            if (kind != KIND_log) n.low = kind == KIND_sqrt ? 0.5 : 1 / (m + 1);
            break;
        case KIND_log1p:
            if (low < -0.7) return -1;
            n.size = log(m + 2) + 1.3, n.error = 4 * e + 4 * random_eps * n.size;
            break;
        default: return -1;
        }
    }
    return random_add(g, n);
}

static int random_binary(random_graph *g, random_row kind) {
    bool compare = kind >= KIND_lt && kind <= KIND_ne, logic = kind >= KIND_and && kind <= KIND_xor;
    weft_dtype t = logic && random_chance(g, 70)                       ? WEFT_BOOL
                   : logic || kind == KIND_mod || random_chance(g, 20) ? WEFT_I32
                                                                       : WEFT_F32;
    int a = random_pick(g, t);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    int b = random_partner(g, a, t, &n.s);
    if (b < 0 || kind == KIND_polygamma) return -1; /* its order jumps */
    if (random_chance(g, 50) && kind != KIND_div && kind != KIND_pow) {
        int swap = a;
        a = b, b = swap;
    }
    const random_node *x = &g->node[a], *y = &g->node[b];
    const double mx = x->size, my = y->size, ex = x->error, ey = y->error;
    n.in[0] = a, n.in[1] = b, n.nin = 2;
    n.low = -INFINITY;
    switch (kind) {
    case KIND_add:
    case KIND_sub:
        n.size = mx + my, n.error = t == WEFT_F32 ? ex + ey + random_eps * n.size : 0;
        if (kind == KIND_add) n.low = x->low + y->low;
        break;
    case KIND_mul:
        n.size = mx * my, n.error = t == WEFT_F32 ? ex * my + ey * mx + random_eps * n.size : 0;
        break;
    case KIND_div:
        if (y->low < 0.3) return -1;
        n.t = WEFT_F32, n.size = mx / y->low;
        n.error = ex / y->low + ey * mx / (y->low * y->low) * 2 + 2 * random_eps * n.size;
        break;
    case KIND_pow:
        if (x->low < 0.3 || mx > 4 || my > 3) return -1;
        n.t = WEFT_F32, n.size = pow(fmax(mx, 1 / x->low), my), n.low = 0;
        n.error = n.size * (3 / x->low * ex + 2 * ey + 16 * random_eps);
        break;
    case KIND_mod: n.size = my; break;
    case KIND_maximum:
    case KIND_minimum:
        n.size = fmax(mx, my), n.error = fmax(ex, ey);
        n.low = kind == KIND_maximum ? fmax(x->low, y->low) : fmin(x->low, y->low);
        break;
    default:
        if (compare && (ex > 0 || ey > 0)) return -1;
        n.size = t == WEFT_I32 && logic ? fmax(mx, my) * 2 + 2 : 1;
        n.error = 0;
        if (compare) n.t = WEFT_BOOL;
    }
    return random_add(g, n);
}

static int random_fold(random_graph *g, random_row kind) {
    int64_t axis = 0;
    int a = random_axis(g, random_chance(g, 20) ? WEFT_I32 : WEFT_F32, &axis);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    const double count = (double)(kind == KIND_sum_all ? random_count(n.s) : n.s.n[axis]);
    const bool real = n.t == WEFT_F32, keep = random_chance(g, 50);
    n.whole[0] = axis, n.whole[1] = keep;
    switch (kind) {
    case KIND_sum:
    case KIND_sum_all:
        n.size *= fmax(count, 1), n.low = fmin(0, n.low * count);
        n.error = real ? count * (n.error + random_eps * n.size) : 0;
        break;
    case KIND_mean:
        if (count == 0) return -1; /* nan, which has no bounds */
        n.error = n.error + count * random_eps * n.size, n.t = WEFT_F32;
        break;
    case KIND_fold_max:
    case KIND_fold_min:
        if (count == 0) return -1;
        break;
    case KIND_argmax:
        if (n.error > 0 || count == 0) return -1;
        n.t = WEFT_I32, n.size = count, n.low = 0;
        break;
    default: return -1;
    }
    if (kind == KIND_sum_all) {
        for (int i = 0; i < n.s.rank; i++) n.s.n[i] = 1;
        if (!keep) n.s.rank = 0;
    } else {
        random_drop(&n, axis, keep);
    }
    return random_add(g, n);
}

/* Along an axis, of the same shape. */
static int random_along(random_graph *g, random_row kind) {
    int64_t axis = 0;
    int a = random_axis(g, WEFT_F32, &axis);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    const double count = (double)n.s.n[axis];
    n.whole[0] = axis;
    n.low = -INFINITY;
    switch (kind) {
    case KIND_cumsum:
        n.size *= fmax(count, 1);
        n.error = count * (n.error + random_eps * n.size);
        break;
    case KIND_linrec: {
        int b = random_pick_shape(g, WEFT_F32, n.s);
        n.whole[1] = random_chance(g, 50);
        if (b < 0 || n.size > 1.5 || count > 5) return -1;
        const random_node *y = &g->node[b];
        random_operand(&n, b);
        double growth = pow(1.5, count) * (count + 1);
        n.error = growth * growth * (y->error + (n.error + random_eps) * (y->size + 1));
        n.size = growth * y->size;
        break;
    }
    case KIND_softmax: n.size = 1.01, n.low = 0, n.error = 2 * n.error + 8 * random_eps; break;
    case KIND_layer_norm:
        n.error = 16 * n.error + 64 * random_eps * n.size;
        n.size = sqrt((double)n.s.n[n.s.rank - 1]) + 1;
        break;
    case KIND_sort: n.whole[1] = random_chance(g, 50), n.low = g->node[a].low; break;
    case KIND_argsort:
        n.whole[1] = random_chance(g, 50);
        if (n.error > 0) return -1;
        n.t = WEFT_I32, n.size = count, n.low = 0;
        break;
    case KIND_flip: n.low = g->node[a].low; break;
    default: return -1;
    }
    return random_add(g, n);
}

static int random_view(random_graph *g, random_row kind) {
    int64_t axis = 0;
    weft_dtype t = random_chance(g, 75) ? WEFT_F32 : random_chance(g, 60) ? WEFT_I32 : WEFT_BOOL;
    int a = random_axis(g, t, &axis);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    const int64_t extent = n.s.n[axis];
    n.whole[0] = axis;
    switch (kind) {
    case KIND_reshape: { /* merge with the next axis, split, or add one of extent 1 */
        int way = random_below(g, 3);
        if (way == 0 && axis + 1 < n.s.rank) {
            n.s.n[axis + 1] *= extent;
            random_drop(&n, axis, false);
        } else if (way == 1 && extent % 2 == 0 && n.s.rank < 6) {
            memmove(n.s.n + axis + 1, n.s.n + axis, (size_t)(n.s.rank - axis) * sizeof *n.s.n);
            n.s.rank++, n.s.n[axis] = 2, n.s.n[axis + 1] = extent / 2;
        } else { /* all in another order of extents */
            for (int i = 0; i < n.s.rank / 2; i++) {
                int64_t swap = n.s.n[i];
                n.s.n[i] = n.s.n[n.s.rank - 1 - i], n.s.n[n.s.rank - 1 - i] = swap;
            }
        }
        break;
    }
    case KIND_transpose: {
        int other = random_below(g, n.s.rank);
        n.whole[1] = other;
        n.s.n[axis] = n.s.n[other], n.s.n[other] = extent;
        break;
    }
    case KIND_expand:
        if (extent == 1) n.s.n[axis] = 1 + random_below(g, 5);
        else if (n.s.rank < 5) {
            memmove(n.s.n + 1, n.s.n, (size_t)n.s.rank * sizeof *n.s.n);
            n.s.rank++, n.s.n[0] = random_below(g, 4);
        }
        break;
    case KIND_slice: { /* Python's rules, on numbers that lie inside */
        if (extent == 0) return -1;
        int64_t step = (random_chance(g, 40) ? -1 : 1) * (1 + random_below(g, 3));
        int64_t from = random_below(g, (int)extent), to = random_below(g, (int)extent + 1);
        int64_t span = step > 0 ? to - from : from - to, by = step > 0 ? step : -step;
        n.whole[1] = from, n.whole[2] = to, n.whole[3] = step;
        if (to == extent && step < 0) return -1;
        n.s.n[axis] = span > 0 ? (span - 1) / by + 1 : 0;
        break;
    }
    case KIND_slice_at: {
        weft_shape one = {0, {0}};
        random_operand(&n, random_pick_shape(g, WEFT_I32, one));
        n.whole[1] = n.s.n[axis] = extent ? random_below(g, (int)extent + 1) : 0;
        if (n.in[1] < 0) return -1;
        break;
    }
    case KIND_slice_write: {
        weft_shape one = {0, {0}}, part = n.s;
        part.n[axis] = extent ? random_below(g, (int)extent + 1) : 0;
        random_operand(&n, random_pick_shape(g, WEFT_I32, one));
        const int value = random_pick_shape(g, n.t, part);
        if (n.in[1] < 0 || value < 0) return -1;
        random_operand(&n, value);
        n.size = fmax(n.size, g->node[value].size), n.low = fmin(n.low, g->node[value].low);
        n.error = fmax(n.error, g->node[value].error);
        break;
    }
    case KIND_pad:
        n.whole[1] = random_below(g, 3), n.whole[2] = random_below(g, 3);
        n.number = (float)random_below(g, t == WEFT_BOOL ? 2 : 3);
        n.s.n[axis] += n.whole[1] + n.whole[2];
        n.size = fmax(n.size, n.number), n.low = fmin(n.low, n.number);
        break;
    case KIND_tile:
        if (n.s.rank != 2) return -1;
        for (int i = 0; i < 2; i++) n.s.n[i] *= n.whole[i] = 1 + random_below(g, 3);
        break;
    default: return -1;
    }
    return random_add(g, n);
}

static int random_join(random_graph *g, random_row kind) {
    int64_t axis = 0;
    int a = random_axis(g, random_chance(g, 80) ? WEFT_F32 : WEFT_I32, &axis);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    weft_shape s = n.s;
    n.whole[0] = axis;
    if (kind == KIND_concat) {
        s.n[axis] = random_chance(g, 50) ? s.n[axis] : random_below(g, 4);
        n.s.n[axis] += s.n[axis];
    } else {
        if (n.s.rank > 4) return -1;
        memmove(n.s.n + axis + 1, n.s.n + axis, (size_t)(n.s.rank - axis) * sizeof *n.s.n);
        n.s.rank++, n.s.n[axis] = 2;
    }
    int b = random_pick_shape(g, n.t, s);
    if (b < 0) return -1;
    random_operand(&n, b);
    n.size = fmax(n.size, g->node[b].size), n.low = fmin(n.low, g->node[b].low);
    n.error = fmax(n.error, g->node[b].error);
    return random_add(g, n);
}

static int random_index(random_graph *g, random_row kind) {
    int64_t axis = 0;
    int a = random_axis(g, random_chance(g, 80) ? WEFT_F32 : WEFT_I32, &axis);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    weft_shape s = n.s;
    n.whole[0] = axis;
    n.low = fmin(n.low, 0); /* an index out of range reads 0 */
    s.n[axis] = 1 + random_below(g, 5);
    if (kind == KIND_gather) {
        int b = random_pick(g, WEFT_I32);
        if (b < 0 || g->node[b].s.rank > 2) return -1;
        s = g->node[b].s;
        weft_shape out = {n.s.rank - 1 + s.rank, {0}};
        for (int i = 0, k = 0; i < n.s.rank; i++) {
            if (i != axis) out.n[k++] = n.s.n[i];
            for (int j = 0; i == axis && j < s.rank; j++) out.n[k++] = s.n[j];
        }
        n.s = out;
        random_operand(&n, b);
        return random_add(g, n);
    }
    random_operand(&n, random_pick_shape(g, WEFT_I32, s));
    if (n.in[1] < 0) return -1;
    if (kind == KIND_take_along) {
        n.s = s;
        return random_add(g, n);
    }
    int c = random_pick_shape(g, n.t, s);
    if (c < 0) return -1;
    const random_node *y = &g->node[c];
    random_operand(&n, c);
    double count = (double)s.n[axis];
    n.size += count * y->size, n.low = -INFINITY;
    n.error = n.t == WEFT_F32 ? n.error + count * (y->error + random_eps * n.size) : 0;
    return random_add(g, n);
}

static int random_product(random_graph *g, random_row kind) {
    int a = random_pick(g, WEFT_F32);
    if (a < 0 || g->node[a].s.rank < 2) return -1;
    random_node n = random_of(g, kind, a);
    const int r = n.s.rank;
    const int64_t k = n.s.n[r - 1], out = 1 + random_below(g, 9);
    weft_shape s = {2, {k, out}};
    if (kind == KIND_linear) s = (weft_shape){2, {out, k}};
    if (kind == KIND_matmul && random_chance(g, 40)) s = n.s, s.n[r - 2] = k, s.n[r - 1] = out;
    int b = random_pick_shape(g, WEFT_F32, s);
    if (b < 0) return -1;
    const random_node *y = &g->node[b];
    random_operand(&n, b);
    n.s.n[r - 1] = out;
    double sum = (double)k * n.size * y->size;
    n.error = (double)k * (n.error * y->size + y->error * n.size) + (double)k * random_eps * sum;
    n.size = sum, n.low = -INFINITY;
    if (kind == KIND_linear) {
        int c = random_pick_shape(g, WEFT_F32, (weft_shape){1, {out}});
        if (c < 0) return -1;
        random_operand(&n, c);
        n.size += g->node[c].size, n.low = 0, n.error += g->node[c].error + random_eps * n.size;
    }
    return random_add(g, n);
}

static int random_block(random_graph *g, random_row kind) {
    if (kind == KIND_attention) {
        weft_shape q = {3,
                        {1 + random_below(g, 2), 1 + random_below(g, 5), 1 + random_below(g, 4)}};
        weft_shape k = q;
        k.n[1] = 1 + random_below(g, 5);
        int in[3] = {random_pick_shape(g, WEFT_F32, q), random_pick_shape(g, WEFT_F32, k),
                     random_pick_shape(g, WEFT_F32, k)};
        if (in[0] < 0 || in[1] < 0 || in[2] < 0) return -1;
        random_node n = random_of(g, kind, in[0]);
        const random_node *y = &g->node[in[1]], *z = &g->node[in[2]];
        random_operand(&n, in[1]), random_operand(&n, in[2]);
        n.whole[0] = k.n[1] >= q.n[1] && random_chance(g, 50);
        double d = (double)q.n[2], score = d * n.size * y->size;
        double off = d * (n.error * y->size + y->error * n.size) + d * random_eps * score;
        if (score > 50) return -1;
        n.size = z->size * 1.01, n.low = -INFINITY;
        n.error = z->error + 2 * z->size * off + 64 * random_eps * z->size;
        return random_add(g, n);
    }
    weft_shape s = {4, {1, 1 + random_below(g, 3), 3 + random_below(g, 4), 3 + random_below(g, 4)}};
    int a = random_pick_shape(g, WEFT_F32, s);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    if (kind == KIND_max_pool) {
        for (int i = 0; i < 2; i++) n.s.n[2 + i] /= n.whole[i] = 1 + random_below(g, 3);
        return random_add(g, n);
    }
    weft_shape w = {
        4, {1 + random_below(g, 4), s.n[1], 1 + random_below(g, 3), 1 + random_below(g, 3)}};
    int b = random_pick_shape(g, WEFT_F32, w);
    if (b < 0) return -1;
    random_operand(&n, b);
    const random_node *y = &g->node[b];
    for (int i = 0; i < 2; i++) {
        n.whole[i] = 1 + random_below(g, 2), n.whole[2 + i] = random_below(g, 2);
        n.s.n[2 + i] = (s.n[2 + i] + 2 * n.whole[2 + i] - w.n[2 + i]) / n.whole[i] + 1;
    }
    n.s.n[1] = w.n[0];
    double k = (double)(w.n[1] * w.n[2] * w.n[3]), sum = k * n.size * y->size;
    n.error = k * (n.error * y->size + y->error * n.size) + k * random_eps * sum;
    n.size = sum, n.low = -INFINITY;
    return random_add(g, n);
}

static int random_other(random_graph *g, random_row kind) {
    int a = random_pick(g, kind == KIND_where ? WEFT_BOOL : WEFT_F32);
    if (a < 0) return -1;
    random_node n = random_of(g, kind, a);
    n.number = (float)(random_below(g, 9) - 4) / 2;
    switch (kind) {
    case KIND_number:
        n = (random_node){
            .kind = kind, .number = n.number, .size = fabs(n.number), .low = n.number};
        break;
    case KIND_input:
        return random_input(g, random_chance(g, 60) ? WEFT_F32 : WEFT_I32, random_shape(g));
    case KIND_scale:
        n.size *= fabs(n.number) + 1, n.low = -INFINITY;
        n.error = n.error * 3 + random_eps * n.size;
        break;
    case KIND_offset:
        n.size += fabs(n.number), n.low += n.number - 1e-3;
        n.error += random_eps * n.size;
        break;
    case KIND_where: {
        weft_dtype t = random_chance(g, 80) ? WEFT_F32 : WEFT_I32;
        int b = random_partner(g, a, t, &n.s), c;
        if (b < 0) return -1;
        weft_shape both = n.s;
        c = random_pick_shape(g, t, both);
        if (c < 0) return -1;
        random_operand(&n, b), random_operand(&n, c);
        n.t = t;
        n.size = fmax(g->node[b].size, g->node[c].size);
        n.low = fmin(g->node[b].low, g->node[c].low);
        n.error = fmax(g->node[b].error, g->node[c].error);
        break;
    }
    case KIND_cast:
        if (random_chance(g, 50)) { /* to floats from the others */
            a = random_pick(g, random_chance(g, 50) ? WEFT_BOOL : WEFT_I32);
            if (a < 0) return -1;
            n = random_of(g, kind, a);
            n.t = WEFT_F32;
        } else {
            if (n.error > 0) return -1;
            n.t = random_chance(g, 70) ? WEFT_I32 : WEFT_BOOL;
            if (n.t == WEFT_BOOL) n.size = 1, n.low = 0;
        }
        break;
    default: return -1;
    }
    return random_add(g, n);
}

/* A node of that kind, if it can be had; -1 if not. */
static int random_step(random_graph *g, random_row kind) {
    if (kind >= KIND_neg && kind <= KIND_round) return random_unary(g, kind);
    if (kind >= KIND_add && kind <= KIND_xor) return random_binary(g, kind);
    switch (kind) {
    case KIND_sum:
    case KIND_sum_all:
    case KIND_mean:
    case KIND_fold_max:
    case KIND_fold_min:
    case KIND_argmax: return random_fold(g, kind);
    case KIND_cumsum:
    case KIND_linrec:
    case KIND_softmax:
    case KIND_layer_norm:
    case KIND_sort:
    case KIND_argsort:
    case KIND_flip: return random_along(g, kind);
    case KIND_matmul:
    case KIND_linear: return random_product(g, kind);
    case KIND_conv:
    case KIND_max_pool:
    case KIND_attention: return random_block(g, kind);
    case KIND_concat:
    case KIND_stack: return random_join(g, kind);
    case KIND_take_along:
    case KIND_gather:
    case KIND_scatter: return random_index(g, kind);
    case KIND_reshape:
    case KIND_transpose:
    case KIND_expand:
    case KIND_slice:
    case KIND_slice_at:
    case KIND_slice_write:
    case KIND_pad:
    case KIND_tile: return random_view(g, kind);
    default: return random_other(g, kind);
    }
}

#endif
