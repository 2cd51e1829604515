/* cluster.c - the loop space of a cluster: dimensions, some of them folded, that are cut as fine as its
 * members need.
 *
 * Reads: views, and who belongs to which cluster. Changes: nothing but the cluster it is given. */
#include "plan/passes.h"
#include <assert.h>

/* Cut `dim` finer until it also has the boundaries of `by`, over the dimensions that are `kept`. */
bool cluster_refine(cluster *k, int rank, const int64_t *by, bool rows_only) {
    cluster r = *k;
    r.rank = 0;
    int64_t out[KDIMS];
    bool red[KDIMS];
    int d = rank - 1;
    int64_t left = d >= 0 ? by[d] : 1;
    for (int i = k->rank - 1; i >= 0; i--) {
        int64_t need = k->dim[i];
        if (need <= 1 || (rows_only && k->red[i])) {
            if (r.rank == KDIMS) return false;
            out[r.rank] = need, red[r.rank++] = k->red[i];
            continue;
        }
        while (need > 1) {
            while (left == 1) {
                if (--d < 0) return false;
                left = by[d];
            }
            int64_t piece = left < need ? left : need;
            if (piece == 0 || left % piece || need % piece || r.rank == KDIMS) return false;
            out[r.rank] = piece, red[r.rank++] = k->red[i];
            need /= piece, left /= piece;
        }
    }
    while (d > 0 && left == 1) left = by[--d];
    if (left != 1) return false;
    for (int i = 0; i < r.rank; i++) r.dim[i] = out[r.rank - 1 - i], r.red[i] = red[r.rank - 1 - i];
    *k = r;
    return true;
}

int64_t cluster_count(const cluster *k, bool rows) {
    int64_t count = 1;
    for (int i = 0; i < k->rank; i++)
        if (!rows || !k->red[i]) count *= k->dim[i];
    return count;
}

bool cluster_across(const cluster *k) {
    if (!k->folds) return false;
    for (int i = k->rank - 1; i >= 0; i--)
        if (k->dim[i] != 1) return !k->red[i];
    return false;
}

/* Does `v`, over axes `dim` in the space of k, read its base at the loop's own element (or own
 * row)? */
bool cluster_aligned(const compile *c, const cluster *k, const aview *v, int rank,
                     const int64_t *dim, bool reader_rows, bool base_rows) {
    if (!view_plain(v) || v->off) return false;
    int64_t loop[KDIMS] = {0}, own[KDIMS] = {0};
    int n = 0, owns = 0;
    for (int i = 0; i < k->rank; i++) {
        if (!reader_rows || !k->red[i]) loop[n++] = k->dim[i];
        if (!base_rows || !k->red[i]) own[owns++] = k->dim[i];
    }
    fitted f, lies; /* lies: as the base is stored */
    if (!view_fit(v, rank, dim, n, loop, &f)) return false;
    if (c->placed[v->base].given) {
        const node *b = &c->g->node[v->base];
        const aview *at = &c->view[v->base];
        if (!view_fit(at, b->rank, node_dims(c->g, b), owns, own, &lies)) return false;
    } else {
        int64_t stride = 1;
        for (int i = owns - 1; i >= 0; stride *= own[i--]) lies.stride[i] = stride;
    }
    for (int i = k->rank - 1; i >= 0; i--) {
        const bool absent = base_rows && k->red[i], skipped = reader_rows && k->red[i];
        if (!absent) owns--;
        if (!skipped) n--;
        if (!skipped && k->dim[i] != 1 && f.stride[n] != (absent ? 0 : lies.stride[owns]))
            return false;
    }
    return true;
}

bool cluster_is_row(const compile *c, const cluster *k, uint32_t id) {
    const node *n = &c->g->node[id];
    if (!k->folds) return false;
    int64_t whole = cluster_count(k, false);
    return (op_table[n->op].cls == CLASS_FOLD && !c->copied[id]) || node_count(c->g, n) != whole ||
           whole == cluster_count(k, true);
}
