// SPDX-License-Identifier: GPL-2.0-or-later
/* make_data OBJECT OUTPUT REPEAT: REPEAT samples for each memory instruction of OBJECT, in random
 * order. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/access_recorder.h"

int main(int argc, char **argv)
{
	struct access_request request = { .shuffle = true };
	size_t samples;

	if (argc != 4) {
		fprintf(stderr, "usage: %s OBJECT OUTPUT REPEAT\n", argv[0]);
		return 2;
	}
	request.object = argv[1];
	request.output = argv[2];
	request.repeat = (unsigned int)strtoul(argv[3], NULL, 10);

	struct error *error = access_recorder_write(&request, &samples);

	if (error) {
		fprintf(stderr, "%s\n", error->message);
		error_destroy(error);
		return 1;
	}
	printf("%zu samples, %u of each memory instruction of %s\n", samples, request.repeat,
	       request.object);
	return 0;
}
