// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A class that is only declared here has its name: compilers describe it where its virtual table is.

struct shape {
	virtual int sides();
	virtual ~shape();
	long uses;
};

struct pair {
	shape *first;
	long second;
};

extern "C" long used(pair *p)
{
	return p->first->uses + p->second; // EXPECT: pair +0 (first); pair +8 (second); shape +8
}
