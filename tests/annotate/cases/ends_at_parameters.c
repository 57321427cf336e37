// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A parameter that is in its register all the time tells its type again where a variable of
// another type, which had the same address, ends: operands lie before their instruction.
// RUN: gcc clang -O2

struct instruction;

struct kind {
	int size, alignment;
};

struct use {
	struct instruction *value;
	long place;
};

struct instruction {
	struct kind *type;
	long weight;
	unsigned short count, number;
};

static const struct use *operands(const struct instruction *ins)
{
	return (const struct use *)ins - ins->count; // EXPECT: struct instruction +16 (count)
}

__attribute__((noinline)) unsigned long hash(const struct instruction *ins)
{
	unsigned long sum = ins->number; // EXPECT: struct instruction +18 (number)

	for (const struct use *use = operands(ins), *end = use + ins->count; use != end; use++)
		sum = sum * 31 + use->value->number;
		// EXPECT: struct use +0 (value); struct instruction +18 (number)
	return sum + ins->type->alignment; // EXPECT: struct instruction +0 (type); struct kind +4 (alignment)
}

int main(void)
{
	return 0;
}
