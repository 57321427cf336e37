// SPDX-License-Identifier: GPL-2.0-or-later
/* write_c2c FOLDER: the recordings of tests/support/c2c_recordings.h, as FOLDER/intel.data and so
 * on. */
#include <stdio.h>

#include "base/memory.h"
#include "tests/support/c2c_recordings.h"

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	for (enum c2c_recording i = 0; i < C2C_RECORDINGS; i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s.data", argv[1], c2c_recording_name(i));
		struct error *error = c2c_recording_write(i, path);

		if (error) {
			fprintf(stderr, "%s\n", error->message);
			error_destroy(error);
			return 1;
		}
	}
	return 0;
}
