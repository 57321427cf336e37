// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that come and go while the machine is recorded: see recording.h. The kernel takes the events of a CPU
 * away when it goes offline, gives them back to nobody when it returns, and says neither.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/record/recording.h"
#include "profiler/record/sysfs.h"

void recording_check_cpus(struct recording *recording)
{
	const struct record_options *options = recording->options;
	const char *wanted = options->target.cpu_list;
	_cleanup_free_ char *now = NULL;

	if (!options->target.system_wide)
		return;
	now = sysfs_read(options->root, "/sys/devices/system/cpu/online");
	if (!now || (recording->online_cpus && strcmp(now, recording->online_cpus) == 0))
		return;
	if (recording->online_cpus) {
		_cleanup_free_ char *gone = cpu_list_without(recording->online_cpus, now, wanted);
		_cleanup_free_ char *come = cpu_list_without(now, recording->online_cpus, wanted);

		if (*gone)
			recording_say(recording, RECORD_WARNING,
				      "CPU %s went offline: no samples of it from here on", gone);
		if (*come)
			recording_say(recording, RECORD_WARNING,
				      "CPU %s came online: this recording does not have it, a new one would",
				      come);
	}
	free(recording->online_cpus);
	recording->online_cpus = now;
	now = NULL;
}
