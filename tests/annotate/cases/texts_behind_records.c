// SPDX-License-Identifier: GPL-2.0-or-later
// RUN: gcc
// CASE: A text behind a record is addressed by the record's register: bytes of the record are none of the text.

struct entry {
	unsigned long id;
	unsigned short length, data;
	unsigned char type;
} __attribute__((packed));

struct list {
	unsigned count, room;
	char bytes[4088];
};

unsigned long seen(unsigned long id, const void *end);

unsigned long count_entries(struct list *l)
{
	unsigned long offset = 0, total = 0;

	for (unsigned i = 0; i < l->count; i++) { // EXPECT: struct list +0 (count)
		struct entry *e = (struct entry *)(l->bytes + offset);
		char *name = (char *)(e + 1);

		total += e->type + e->length + name[0];
		// EXPECT: struct entry +12 (type); struct entry +8 (length); char +0
		offset += e->length; // MAY: struct entry +8 (length)
		total += seen(total, l->bytes + offset);
	}
	return total;
}
