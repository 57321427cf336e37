/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables whose keys are levels: rows below rows. Private to print*.c. */
#ifndef DTPROF_REPORT_PRINT_HIERARCHY_H
#define DTPROF_REPORT_PRINT_HIERARCHY_H

#include "report/print_cell.h"

/* Headings, unless they are not wanted, and rows. */
void print_hierarchy(struct printer *printer);

#endif
