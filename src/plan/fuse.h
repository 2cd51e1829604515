/* fuse.h - what the files of fusing share: fuse.c offers nodes to clusters, fuse_fit.c says whether
 * one fits. */
#ifndef WEFT_FUSE_H
#define WEFT_FUSE_H

#include "plan/passes.h"

typedef struct fuse {
    compile  *c;
    const device_traits *t;       /* how much a kernel may do                                   */
    bool      fusing;             /* else a kernel per operation                                */
    uint32_t *readers;            /* [n] readers of a node that have no cluster yet             */
    uint32_t *reader;             /* [n] the cluster that read the node last                    */
    uint8_t  *folded;             /* [n] read by a fold                                         */
    uint32_t  across;             /* the latest cluster that folds across columns, or 0         */
    uint32_t  numbers;            /* the latest cluster of single numbers, or 0                 */
} fuse;

/* What a computed node reads: views over the axes they are read with, through inlined operands
 * to what those read. */
typedef struct fuse_in {
    const aview *v;
    int rank;
    const int64_t *dim;
    bool memory;                  /* at an index that is computed: it must lie in memory        */
} fuse_in;
enum { FUSE_INPUTS = LIMIT_GATHERED };

/* Appends what node id reads to out[n ...]; how many there are then. */
int fuse_gather(const compile *c, uint32_t id, fuse_in *out, int n);

bool fuse_is_virtual(const compile *c, uint32_t id);   /* needs neither step nor memory          */
bool fuse_is_leaf(const compile *c, uint32_t id);      /* an input, a state or a constant        */
bool fuse_is_fold(const compile *c, uint32_t id);

/* After the loop of k was cut finer: do the loads of its members, those of cluster ki, still fit? */
bool fuse_still_fits(const compile *c, const cluster *k, uint32_t ki);

/* Makes node id, which reads in[0 ... reads), a member of cluster ki if it fits. */
bool fuse_try(fuse *f, uint32_t ki, uint32_t id, const fuse_in *in, int reads);

#endif
