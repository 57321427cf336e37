// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member function that reads a word through a pointer to bytes has cast the pointer: there is no answer. Other functions read words of texts: the answer is the byte.
// RUN: g++
// RULES: wide-byte
// RUN without: g++ --no-rule=wide-byte

struct header {
	unsigned short kind;
	unsigned short count;
	unsigned int length;
};

struct file {
	const char *bytes;
	unsigned long size;
	unsigned int length() const;
};

// The class of the bytes is known to the program alone.
unsigned int file::length() const
{
	return reinterpret_cast<const header *>(bytes)->length; // EXPECT: file +0 (bytes); none
								// EXPECT without: file +0 (bytes); char +0
}

// The word is a part of a text.
extern "C" unsigned int word(const file *f)
{
	unsigned int number;

	__builtin_memcpy(&number, f->bytes + 4, sizeof(number));
	return number; // EXPECT-IN word: file +0 (bytes); char +0
}

extern "C" char first(const file *f)
{
	return f->bytes[0]; // EXPECT: file +0 (bytes); char +0
}
