/* simplify.c - circuits with fewer gates.
 *
 * The circuit becomes a net (net.h), which folds as it is built. When all its cases fit into tables
 * (tables.h) it is looked at whole; otherwise equal nodes are joined (twins.h) and parts are looked
 * at (windows.h). Each step is proven, none is guessed. */
#include "tables.h"
#include "twins.h"
#include "windows.h"

enum { FEWER_TABLE_BYTES = 64 << 20 };
#define FEWER_WORK INT64_C(200000000) /* words looked at: some tenths of a second */

static bool fewer_gates(net *t) {
    int64_t work = FEWER_WORK;
    bool fit = false;
    if (!tables_fit(t, FEWER_TABLE_BYTES, &fit)) return false;
    if (!fit) {
        if (!twins_join(t, &work)) return false;
        work = FEWER_WORK;
        if (!windows_simplify(t, &work) || !tables_fit(t, FEWER_TABLE_BYTES, &fit)) return false;
    }
    work = FEWER_WORK;
    return !fit || tables_simplify(t, &work);
}

weft_err weft_circuit_simplify(weft_circuit *k) {
    net t;
    const bool good = net_from(&t, k) && fewer_gates(&t);
    const weft_err e = good
                           ? net_to(&t, k)
                           : weft_fail(k->c, WEFT_MEMORY,
                                       "out of memory to simplify a circuit of %d gates", k->gates);
    net_free(&t);
    return e;
}
