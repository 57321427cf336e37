// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements sample_place.h. */
#include "tests/support/sample_place.h"

#include "profiler/ingest/session_private.h"

static struct task_view task_of(const struct session *session, const struct sample *sample)
{
	struct task_view task;

	timeline_task(&session->timeline, sample->pid, sample->tid, sample_moment(session, sample),
		      &task);
	return task;
}

struct dso *sample_place_dso(const struct session *session, const struct sample *sample)
{
	const struct timeline *timeline = &session->timeline;
	struct map_view view;

	/* an address that is not known is 0, where a map of the kernel may begin */
	if (!sample->ip)
		return NULL;
	timeline_map(timeline,
		     placer_space(timeline, session_sample_level(sample),
				  task_of(session, sample).space),
		     sample->ip, sample_moment(session, sample), &view);
	return view.map == MAP_NONE ? NULL : timeline->maps[view.map].dso;
}

uint32_t sample_place_comm(struct session *session, const struct sample *sample)
{
	struct task_view task = task_of(session, sample);

	return task.comm == COMM_NONE ? session_thread_comm(session, sample->tid) : task.comm;
}
