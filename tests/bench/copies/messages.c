// SPDX-License-Identifier: GPL-2.0-or-later
/* A ring of messages, which are larger than what compilers copy by moves. */
#include <stdlib.h>

struct header {
	long id, sender, receiver, kind;
};
struct message {
	struct header header;
	char text[480];
};
struct ring {
	long first, count;
	struct message slots[64];
};

#define OWN __attribute__((noinline))

// COPY: struct message CALL
OWN void put(struct ring *ring, const struct message *message)
{
	ring->slots[ring->count++ & 63] = *message;
}
// COPY: struct header
OWN void reply(struct message *to, const struct message *from)
{
	to->header = from->header;
}

OWN long work(struct ring *ring, struct message *message, long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		put(ring, message);
		reply(message, &ring->slots[i & 63]);
		for (int k = 0; k < 60; k++)
			sum = sum * 31 + message->text[(i + k) % 480];
	}
	return sum;
}

int main(int argc, char **argv)
{
	static struct ring ring;
	static struct message message;

	return work(&ring, &message, argc > 1 ? atol(argv[1]) : 8000000) == 1;
}
