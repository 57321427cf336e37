/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that implement sharing.h: sharing.c, latent.c, prediction.c. */
#ifndef DTPROF_REPORT_C2C_SHARING_PRIVATE_H
#define DTPROF_REPORT_C2C_SHARING_PRIVATE_H

#include "report/c2c/sharing.h"

/* Returns from a comparison function if `a` and `b` differ. */
#define COMPARE(a, b)                                                                              \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

/* Append a line. Takes over its rows and threads. */
void sharing_add(struct sharing *sharing, const struct sharing_line *line);

/* Add lines with SHARING_LATENT_PLACE. `uses` are sorted by line. Call after all lines have
 * verdicts. */
void sharing_find_latent(struct sharing *sharing, const struct sharing_use *uses, size_t count);

/* Fill in the gains of lines with false sharing. */
void sharing_predict(struct sharing *sharing, const struct sharing_input *input);

#endif
