// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The constructor of a part loads its tables, which exist only for the construction (_ZTC), from the table of tables: reads of them are to the table of the object's class.
// RUN: g++ -fno-devirtualize-speculatively
// RUN without: g++ -fno-devirtualize-speculatively --no-rule=class-table
// RULES: class-table

struct root {
	virtual ~root();
	virtual long kind() const;
	long level;
};

struct left : virtual root {
	left();
	virtual long width() const;
	long measured;
};

struct both : left {
	both();
	long kind() const override;
	long number;
};

root::~root() {}
long root::kind() const { return level; }
long left::width() const { return measured; }
long both::kind() const { return number; }
extern "C" long ask(const root *r);

// The address of the table is stored in the object: it is that of the object's class.
left::left() // EXPECT: void* +0; left +0...; vtable for left +0 (vbase_offset(root)); root +0... MAY: none; void*[]*...
	     // EXPECT without: void* +0; left +0...; root +0... MAY without: none; void*[]*...
{
	level = ask(this); // EXPECT: root +8 (level) MAY: none
}

both::both()
{
	number = 1;
}
