// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A class without a tag has the name of its typedef, also where a pointer does not lead through the typedef.
namespace parse {

typedef struct {
	const char *text;
	long position;
} state;

typedef enum { NO, YES } answer;

struct found {
	answer last;
	state *at;
	struct {
		long tried, failed;
	} counts;
};

long next(state *s)
{
	return s->position++; // EXPECT: parse::state +8 (position)
}

char first(const state *s)
{
	return s->text[s->position];
	// EXPECT: parse::state +0 (text); parse::state +8 (position); char +0
}

long where(const found *f)
{
	return f->at->position + f->counts.failed;
	// EXPECT: parse::found +8 (at); parse::state +8 (position); parse::found +24 (counts.failed)
}

} // namespace parse
