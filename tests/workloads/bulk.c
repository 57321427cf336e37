// SPDX-License-Identifier: GPL-2.0-or-later
/* Clears records with a function that knows only bytes (bulk_memset.c, without debug information).
 */
#include <stddef.h>

void *memset(void *to, int byte, size_t size);

struct client {
	long id;
	char name[56];
	long tail[92];
};

static struct client clients[64];

__attribute__((noinline)) void reset(struct client *client)
{
	memset(client, 0, sizeof(*client));
	client->id = 1;
}

int main(void)
{
	long sum = 0;

	for (int round = 0; round < 60000; round++)
		for (size_t i = 0; i < 64; i++) {
			reset(&clients[i]);
			sum += clients[i].id;
		}
	return sum == 0;
}
