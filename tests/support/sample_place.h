/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name and the object of one sample by the timeline alone, which counting is compared with. */
#pragma once

#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"

/* Returns the object that the sample's instruction was in, or NULL. */
struct dso *sample_place_dso(const struct session *session, const struct sample *sample);
/* Returns the id of the name that the sample's thread had at the time. */
uint32_t sample_place_comm(struct session *session, const struct sample *sample);
