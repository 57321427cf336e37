/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The letters after an event's colon. */
#ifndef DTPROF_RECORD_EVENT_MODIFIER_H
#define DTPROF_RECORD_EVENT_MODIFIER_H

#include "profiler/record/event.h"

/* Apply `modifiers` ("" is none) and put those that change what is counted behind the event's name. */
struct error *event_modify(struct event_spec *spec, const char *modifiers);

#endif
