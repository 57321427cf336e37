// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Records of a union that have the same sizes at the same places: one of them is excluded by a store to what it has reserved, more surely than another one by a store that gcc has merged of two members.
// RUN: gcc

typedef unsigned char u8;
typedef unsigned short u16;

struct entry {
	u8 type;
	union {
		struct {
			u8 length;
			u16 text[11];
			u8 reserved[8];
		} __attribute__((packed)) label;
		struct {
			u8 extents;
			u16 checksum, attributes, reserved1, create_time, create_date;
			u16 modify_time, modify_date, access_time, access_date;
			u8 create_ms, modify_ms, create_zone, modify_zone, access_zone;
			u8 reserved2[7];
		} __attribute__((packed)) file;
	} __attribute__((packed)) u;
} __attribute__((packed));

void fill(struct entry *entry, int count, u16 attributes, u16 date, u16 time, u8 ms)
{
	entry->type = 0x85; // EXPECT: struct entry +0 (type)
	entry->u.file.extents = count - 1; // EXPECT: struct entry +1 (u.file.extents)
	entry->u.file.attributes = attributes; // EXPECT: struct entry +4 (u.file.attributes)
	entry->u.file.create_date = date; // EXPECT: struct entry +10 (u.file.create_date)
	entry->u.file.create_time = time; // EXPECT: struct entry +8 (u.file.create_time)
	entry->u.file.create_ms = ms; // MAY: struct entry +20 (u...
	entry->u.file.modify_ms = ms; // MAY: struct entry +20 (u...; struct entry +21 (u...
	entry->u.file.access_zone = 0x80; // EXPECT: struct entry +24 (u.file.access_zone)
}

struct extent {
	unsigned int length : 24, high : 8;
	unsigned int low;
};

struct record {
	int type;
	union {
		struct {
			unsigned int inode;
			struct extent extent;
		} page;
		struct {
			int block;
			struct extent extent;
		} map;
	} u;
};

extern int mark(struct extent extent, int used);

/* both members have an extent there */
int mark_record(const struct record *record)
{
	return mark(record->u.page.extent, 1); // EXPECT: struct record +8 (u.extent.length)
}
