// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: If all records of a union begin with the same scalar, under different names, no member is named where nothing more is known.

struct any_address {
	unsigned short any_family;
	char bytes[14];
};

struct short_address {
	unsigned short four_family, port;
	unsigned int number;
};

struct long_address {
	unsigned short six_family, port;
	unsigned char flow[4];
	unsigned char number[16];
};

union address {
	struct any_address any;
	struct short_address four;
	struct long_address six;
};

struct listener {
	long descriptor;
	union address address;
};

int is_long(const struct listener *listener)
{
	return listener->address.any.any_family == 10; // EXPECT: struct listener +8 (address)
}

int same_family(const struct listener *a, const struct listener *b)
{
	return a->address.any.any_family == b->address.any.any_family; // EXPECT: struct listener +8 (address)
}

/* other accesses are to one of the other records */
void set(struct listener *listener, unsigned short family, unsigned short port, unsigned int number)
{
	listener->address.four.four_family = family; // EXPECT: struct listener +8 (address.four.four_family)
	listener->address.four.port = port; // EXPECT: struct listener +10 (address.four.port)
	listener->address.four.number = number; // EXPECT: struct listener +12 (address.four.number)
}
