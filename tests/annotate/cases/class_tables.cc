// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A read of an object's virtual table names the table of the object's class and the function in the slot.
// RULES: class-table
// RUN: g++ -fno-devirtualize-speculatively
// RUN: clang++
// RUN without: g++ -fno-devirtualize-speculatively --no-rule=class-table

struct root {
	virtual ~root();
	virtual long depth() const;
	long level;
};

struct shape : virtual root {
	virtual long area() const = 0;
	virtual long edge(int n) const;
	long id;
};

struct named {
	virtual const char *name() const;
	virtual ~named();
	const char *text;
};

struct sign : shape, named {
	long area() const override;
	virtual long height() const;
	long lines;
};

struct label : named, shape {
	long area() const override;
	long color;
};

struct board {
	long size;
	sign *front;
};

// The units that define the first virtual function of a class describe it.
root::~root() {}
long root::depth() const { return level; }
long shape::edge(int n) const { return id + n; }
const char *named::name() const { return text; }
named::~named() {}
long sign::area() const { return lines; }
long label::area() const { return color; }
long sign::height() const { return lines; }

// Two words and the offset of the virtual base come before the functions.
extern "C" long area(shape *s)
{
	return s->area() + 1; // EXPECT: shape +0...; vtable for shape +24 (shape::area)
			      // EXPECT without: shape +0...; (function_type)* +0
}

extern "C" long edge(shape *s)
{
	return s->edge(2) + 1; // EXPECT: shape +0...; vtable for shape +32 (shape::edge)
			       // EXPECT without: shape +0...; (function_type)* +0
}

// The offset is read first, and then the function in the base's own table.
extern "C" long depth(shape *s)
{
	return s->depth() + 1; // EXPECT: shape +0...; vtable for shape +0 (vbase_offset(root)); root +0...; vtable for root +32 (root::depth)
			       // EXPECT without: shape +0...; (function_type)* +0; none
}

// A base's offset and a member's are one operand.
extern "C" long level(shape *s)
{
	return s->level; // EXPECT: shape +0...; vtable for shape +0 (vbase_offset(root)); root +8 (level)
			 // EXPECT without: shape +0...; (function_type)* +0; none
}

// The offset counts from the class whose table it is in, which is not the start of the object.
extern "C" long level_of_part(label *l)
{
	shape *part = l;

	return part->level; // EXPECT gcc: label +16... MAY: shape +0...; label +16...
			    // EXPECT: vtable for shape +0 (vbase_offset(root)); root +8 (level) MAY: none
			    // EXPECT without: label +16...; (function_type)* +0; none
}

// The second base class has a table of its own.
extern "C" long lines(board *b)
{
	return b->front->name()[0]; // EXPECT: board +8 (front); sign +16...; vtable for named +16 (named::name); char +0
				    // EXPECT without: board +8 (front); sign +16...; (function_type)* +0; none
}

// No compiler gives the slots of destructors.
extern "C" void destroyed(named *n)
{
	delete n; // EXPECT: named +0...; vtable for named +32 (named::~named [deleting])
		  // EXPECT without: named +0...; (function_type)* +0
}

extern "C" void *whole(named *n)
{
	return dynamic_cast<void *>(n); // EXPECT: named +0...; vtable for named +0 (offset_to_top)
					// EXPECT without: named +0...; (function_type)* +0
}

extern "C" long own(sign *s)
{
	return s->height() + 1; // EXPECT: sign +0...; vtable for sign +56 (sign::height)
				// EXPECT without: sign +0...; (function_type)* +0
}
