/* crew.h - a few threads that wait for work by spinning, then by sleeping.
 *
 * One job at a time: every member, the caller being member 0, runs the same function. Members
 * meet at barriers inside it. */
#ifndef WEFT_CREW_H
#define WEFT_CREW_H

#include "base/mem.h"

typedef struct crew crew;
typedef void crew_job(void *user, int member, int members);

crew *crew_new(mem *m, int members);  /* NULL: no memory or no threads */
void  crew_free(mem *m, crew *c);
int   crew_members(const crew *c);
/* when all are done; false: busy, nothing was run */
bool  crew_run(crew *c, int members, crew_job *job, void *user);
void  crew_barrier(crew *c, int members, uint32_t *turn);  /* turn: the member's own, 0 at first */

#endif
