// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A word that is read through a pointer to bytes, which no variable has as such, is a member of a record to which a macro casts the pointer: there is no answer.
// RULES: wide-byte

struct block_head {
	unsigned short level, count;
	unsigned int free;
};

struct item {
	unsigned int directory, object;
	unsigned short length;
};

struct buffer {
	unsigned long block;
	char *data;
};

#define HEAD_OF(buffer) ((struct block_head *)(buffer)->data)

unsigned int items(const struct buffer *buffer)
{
	return HEAD_OF(buffer)->count; // EXPECT: struct buffer +8 (data); none
}

void use_space(struct buffer *buffer, unsigned int bytes)
{
	HEAD_OF(buffer)->free -= bytes; // EXPECT: struct buffer +8 (data); none
}

/* a text that a variable has as such may be read in words */
unsigned int words_of(const struct buffer *buffer)
{
	const char *text = buffer->data; // EXPECT: struct buffer +8 (data)
	unsigned int sum = 0, word;

	for (; *text; text += 4) { // EXPECT: char +0
		__builtin_memcpy(&word, text + 4, sizeof(word)); // MAY: char +0
		sum += word; // MAY: char +0
	}
	return sum;
}

char first(const struct buffer *buffer)
{
	return buffer->data[0]; // EXPECT: struct buffer +8 (data); char +0
}
