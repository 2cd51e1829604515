/* tasks.c - the tables of tasks.h, in the order of the help.
 *
 * The one place where the command meets the applications: cli/ knows them by these tables and by the
 * constants that command.h and bench_rows.h declare, and includes none of their headers. */
#include "tasks.h"

const command *const train_tasks[] = {&train_digits_task,
                                      &train_csv_task,
                                      &train_text_task,
                                      &train_cube_task,
                                      &train_2048_task,
                                      &train_life_task,
                                      &train_checkerboard_task,
                                      &train_lizard_task,
                                      &train_g_task,
                                      NULL};

const command *const play_tasks[] = {&play_cube_task,
                                     &play_2048_task,
                                     &play_life_task,
                                     &play_checkerboard_task,
                                     &play_lizard_task,
                                     &play_g_task,
                                     NULL};
