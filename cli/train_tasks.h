/* train_tasks.h - the tasks of weft train that have a loop of their own; train.c lists all. */
#ifndef WEFT_TRAIN_TASKS_H
#define WEFT_TRAIN_TASKS_H

#include "run.h"

extern const command train_cube_task, train_2048_task, train_life_task, train_checkerboard_task,
    train_lizard_task, train_g_task;

#endif
