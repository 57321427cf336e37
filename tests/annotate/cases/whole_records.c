// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Instructions that save the processor's state have a whole record as their operand, and not its first member.
// RUN: gcc
// RUN: clang

struct legacy {
	unsigned short control, status;
	unsigned char rest[508];
};
struct header {
	unsigned long features, compaction;
	unsigned char reserved[48];
};
struct extended {
	struct legacy legacy;
	struct header header;
	unsigned char area[];
};
union registers {
	struct legacy old;
	struct extended all;
	unsigned char __padding[4096];
};
struct state {
	unsigned long size, features;
	unsigned char before[48];
	union registers registers;
};

void save(struct state *state)
{
	asm volatile("xsave64 %0" : "+m"(state->registers.all) : "a"(-1), "d"(-1) : "memory");
	// EXPECT: struct state +64 (registers.all)
}
void restore(struct state *state)
{
	asm volatile("xrstor64 %0" : : "m"(state->registers.all), "a"(-1), "d"(-1) : "memory");
	// EXPECT: struct state +64 (registers.all)
}
unsigned long features(struct state *state)
{
	return state->registers.all.header.features; // EXPECT: struct state +576 (registers.all.header.features)
}
