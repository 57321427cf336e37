// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Members of a second base class count from the start of the whole object.

struct a {
	virtual ~a();
	long x;
};

struct b {
	virtual int get();
	int y;
};

a::~a()
{
}

int b::get()
{
	return y; // EXPECT: b +8 (y)
}

struct c : a, b {
	int z;
	~c();

	int sum()
	{
		return x + y + z; // EXPECT: c +24 (y); c +8 (x); c +28 (z)
	}
};

c::~c() // MAY: none (no variable at the address); c +0 (_vptr.a); c +16 (_vptr.b)
{
}

extern "C" int sum(c *p)
{
	return p->sum();
}
