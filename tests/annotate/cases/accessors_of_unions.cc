// SPDX-License-Identifier: GPL-2.0-or-later
// RUN: clang++ -O2
// CASE: A function fetches the member that it is named after. The marks of members do not count.

void seen(int);

class instruction
{
    public:
	int arg() { return arg_; } // EXPECT: instruction +4 (arg_)
	int match_id() { return match_id_; } // EXPECT: instruction +4 (match_id_)
	int getCap() { return m_cap; } // EXPECT: instruction +4 (m_cap)

    private:
	int operation_;

	union {
		int arg_;
		int match_id_;
		int m_cap;
	};
};

void arguments(instruction *i)
{
	seen(i->arg());
}

void matches(instruction *i)
{
	seen(i->match_id() + 1);
}

void captures(instruction *i)
{
	seen(i->getCap() + 2);
}
