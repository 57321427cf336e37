// SPDX-License-Identifier: GPL-2.0-or-later
/* Odd sizes, whose last words overlap, bit-field units, packed records, unions, and records of zmm
 * size. */
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline))

struct label {
	char text[23];
};
struct odd {
	int a[11];
	char tail[3];
} __attribute__((packed));
struct flags {
	unsigned kind : 5, level : 9, color : 18;
	unsigned long owner : 40, rest : 24;
	unsigned more : 20, last : 12;
};
struct packet {
	char type;
	long from, to;
	short port;
	int words[4];
} __attribute__((packed));
union payload {
	long words[16];
	double values[16];
};
struct frame {
	struct flags flags;
	struct label label;
	struct packet packet;
	union payload payload;
	struct odd odd;
};
struct tile {
	float cells[4][16];
};

// COPY: struct label
OWN void take_label(struct label *to, const struct label *from)
{
	memcpy(to, from, sizeof(*to));
}
// COPY: struct odd
OWN void take_odd(struct frame *to, const struct frame *from)
{
	__builtin_memcpy(&to->odd, &from->odd, sizeof(to->odd));
}
// COPY: struct flags
OWN void take_flags(struct frame *to, const struct frame *from)
{
	to->flags = from->flags;
}
// COPY: struct packet
OWN void take_packet(struct frame *to, const struct packet *from)
{
	to->packet = *from;
}
// COPY: union payload
OWN void take_payload(struct frame *to, const struct frame *from)
{
	to->payload = from->payload;
}
// COPY: struct tile
OWN void take_tile(struct tile *to, const struct tile *from)
{
	*to = *from;
}

OWN static long work(struct frame *frames, struct tile *tiles, long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		struct frame *to = &frames[i & 15];

		take_label(&to->label, &frames[(i * 3 + 1) & 15].label);
		take_odd(to, &frames[(i * 5 + 1) & 15]);
		take_flags(to, &frames[(i * 7 + 1) & 15]);
		take_packet(to, &frames[(i * 9 + 2) & 15].packet);
		take_payload(to, &frames[(i * 11 + 3) & 15]);
		take_tile(&tiles[i & 7], &tiles[(i * 3 + 1) & 7]);
		sum += frames[(i + 5) & 15].flags.level + frames[(i + 7) & 15].odd.a[2];
	}
	return sum;
}

int main(int argc, char **argv)
{
	static struct frame frames[16];
	static struct tile tiles[8];

	return work(frames, tiles, argc > 1 ? atol(argv[1]) : 10000000) == 1;
}
