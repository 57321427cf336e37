// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable that points to a record in a union's member says more of the member than one that points to the record around it.
// RUN: gcc

struct net {
	unsigned char type, length;
	unsigned short size;
	unsigned char data[20];
};

struct net_pair {
	unsigned char type, first_length;
	unsigned short size;
	unsigned int first;
	unsigned char second_length;
	unsigned int second[4];
};

struct update {
	int kind;
	int metric;
	union {
		struct net net;
		struct net_pair pair;
	} u;
};

union message {
	int kind;
	struct update update;
	struct {
		int kind;
		long stamp[4];
	} hello;
};

static inline void fill(struct net *net, int length, int size)
{
	net->type = 1; // EXPECT: union message +8 (update.u.net.type)
	net->length = (unsigned char)length; // EXPECT: union message +9 (update.u.net.length)
	net->size = (unsigned short)size; // EXPECT: union message +10 (update.u.net.size)
}

void prepare(union message *message, int length, int size)
{
	fill(&message->update.u.net, length, size);
}
