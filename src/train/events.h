/* events.h - numbers as TensorBoard reads them. */
#ifndef WEFT_EVENTS_H
#define WEFT_EVENTS_H

#include "base/text.h"
#include "folder.h"

#include <weft/train.h>

#define EVENTS_PREFIX "events.out.tfevents."

typedef struct events {
    weft_ctx *c;
    folder_file to;
    text record, message;
} events;

/* A new file in the folder. resume: events of later steps in older files no longer count. */
weft_err events_open(events *e, weft_ctx *c, const char *run, double wall, int64_t resume);
weft_err events_write(events *e, double wall, int64_t step, const weft_metrics *m);
weft_err events_sync(events *e);
weft_err events_close(events *e);

#endif
