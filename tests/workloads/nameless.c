// SPDX-License-Identifier: GPL-2.0-or-later
/* usage: nameless PROGRAM ARGUMENT...: runs a program from memory, where its file has no name, as container runtimes do. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int in = argc > 1 ? open(argv[1], O_RDONLY) : -1, out = memfd_create("nameless", MFD_CLOEXEC);
	char bytes[65536];
	ssize_t got;

	if (in < 0 || out < 0)
		return 77;
	while ((got = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)got) != got)
			return 77;
	fexecve(out, argv + 1, environ);
	return 77;
}
