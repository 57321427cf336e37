// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Stores to records of a union: a store of constants to several members at once excludes no record, and a store after which the tag is stored is not to the member that was read before.
// RUN: gcc

typedef unsigned int inode_number;
typedef unsigned int block_number;

struct inode_record {
	inode_number start;
	unsigned short holes;
	unsigned char count, free_count;
	unsigned long free;
};

struct owner_record {
	block_number start;
	unsigned int length;
	unsigned long owner, offset;
};

union record {
	struct owner_record owner;
	struct inode_record inode;
};

struct cursor {
	long level;
	union record record;
};

extern int lookup(struct cursor *cursor, int direction);

/* one store of four bytes is of the three small members */
int find_inode(struct cursor *cursor, inode_number inode, int direction)
{
	cursor->record.inode.start = inode; // EXPECT: struct cursor +8 (record.inode.start)
	cursor->record.inode.holes = 0; // MAY: struct cursor +12 (record...
	cursor->record.inode.count = 0; // MAY: struct cursor +12 (record...
	cursor->record.inode.free_count = 0; // MAY: struct cursor +12 (record...
	cursor->record.inode.free = 0; // EXPECT: struct cursor +16 (record)
	return lookup(cursor, direction);
}

struct class {
	long references;
};

struct object {
	struct class *class;
	long size;
};

struct value {
	struct class *class;
	union {
		long number;
		double real;
		struct object *object;
	} u;
};

extern struct class *null_class;

/* the value becomes another one */
long take(struct value *value)
{
	struct object *object = value->u.object; // EXPECT: struct value +8 (u.object)

	value->u.number = 0; // EXPECT: struct value +8 (u)
	value->class = null_class; // EXPECT: struct value +0 (class); struct class* +0; struct class** +0
	return object->size; // EXPECT: struct object +8 (size)
}

/* the pointer is taken out; only what follows would show that the object is what it was */
long clear(struct value *value)
{
	struct object *object = value->u.object; // EXPECT: struct value +8 (u.object)

	value->u.object = 0; // EXPECT: struct value +8 (u)
	return object->size; // EXPECT: struct object +8 (size)
}
