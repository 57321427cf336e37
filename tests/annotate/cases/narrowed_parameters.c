// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An inlined function has a parameter that is narrower than the argument: the access is to the argument's variable.
// RUN: gcc -O2

struct time {
	int second, minute, hour;
};

void get_time(struct time *time, long seconds);
int get_port(int *port);

static inline void put(unsigned char *to, unsigned char value)
{
	*to = value;
}

void set_time(unsigned char *to, long seconds)
{
	struct time time;

	get_time(&time, seconds);
	put(to, time.hour); // EXPECT: struct time +8 (hour); unsigned char +0
	put(to + 1, time.minute); // EXPECT: struct time +4 (minute); unsigned char +0
	put(to + 2, time.second); // EXPECT: struct time +0 (second); unsigned char +0
}

static inline unsigned short swap(unsigned short port)
{
	return port >> 8 | port << 8;
}

unsigned short port(void)
{
	int port = 0; // EXPECT: int +0

	get_port(&port);
	return swap(port); // EXPECT: int +0
}
