// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads a BPF object and runs its first program. Arguments: the object, how often. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc > 2 ? bpf_object__open(argv[1]) : NULL;
	char packet[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = atoi(argv[2]));

	return !object || bpf_object__load(object) ||
	       bpf_prog_test_run_opts(bpf_program__fd(bpf_object__next_program(object, NULL)),
				      &run);
}
