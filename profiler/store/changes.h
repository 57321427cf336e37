/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields whose share of a build's samples changed from one build to another one, beyond what hosts
 * differ by.
 *
 * Hosts are the units: samples of one host are alike in ways that no model of samples knows. The
 * standard error of a change is that of a ratio over hosts; where all hosts ran both builds, each
 * is compared with itself. It is at least what drawing so many samples gives. The probability of a
 * change is that of Student's t; Holm's step-down method holds the level for all fields together,
 * so that two builds that are alike have no sure change but once in 1 / level comparisons.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields with a smaller share of both builds' samples are left out: they matter to nobody, and each
 * field that is compared makes the others less sure. */
#define CHANGES_SHARE 0.001

struct field_change {
	const char *name;
	uint64_t samples[2];    /* in the builds */
	double share[2], error; /* of the samples of the build; the standard error of the change */
	double probability;     /* of such a change, in either direction, of a field that did not */
	bool sure;
};

struct build_changes;

struct build_changes *build_changes_create(void);
void build_changes_destroy(struct build_changes *changes); /* NULL is allowed */

/* Add samples of one of the two builds: all of a host's, and those of a field. */
void build_changes_add_host(struct build_changes *changes, int side, const char *host,
			    uint64_t samples);
void build_changes_add(struct build_changes *changes, int side, const char *field, const char *host,
		       uint64_t samples);

/* Returns the number of hosts with samples of a build. With one, the noise is that of samples
 * alone. */
size_t build_changes_hosts(const struct build_changes *changes, int side);

/* Returns the fields that were compared, the largest change first. Call it once. */
const struct field_change *build_changes_find(struct build_changes *changes, double level,
					      size_t *count);
