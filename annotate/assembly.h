/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the frame of code that the debug information has no function for: assembly. */
#ifndef DTPROF_ANNOTATE_ASSEMBLY_H
#define DTPROF_ANNOTATE_ASSEMBLY_H

#include "annotate/solver.h"

/* Frame rows, from DWARF or else from ORC, and with the latter where the registers of an interrupted task are
 * on the stack. The solver has its code; rows are written to `arena`. */
void assembly_frame(struct solver *solver, struct arena *arena);

#endif
