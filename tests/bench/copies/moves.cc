// Moves and members of objects, and one that is cleared, which is no copy.
#include <cstdlib>
#include <cstring>
#include <utility>

#define OWN __attribute__((noinline))

struct span { const char *begin, *end; };
struct token { span text; long kind, line, column, value; };
struct page { long words[64]; };

// COPY: token
OWN void take(token &to, token &from) { to = std::move(from); }
// COPY: span
OWN void note(token &to, const token &from) { to.text = from.text; }
// COPY: none
OWN void clear(page &to) { memset(&to, 0, sizeof(to)); }

OWN static long work(token *tokens, page *pages, long rounds)
{
	long sum = 0;
	for (long i = 0; i < rounds; i++) {
		take(tokens[i & 63], tokens[(i * 5 + 1) & 63]);
		note(tokens[i & 63], tokens[(i * 3 + 1) & 63]);
		if (!(i & 3))
			clear(pages[i & 15]);
		sum += tokens[i & 63].kind;
	}
	return sum;
}

int main(int argc, char **argv)
{
	static token tokens[64];
	static page pages[16];
	return work(tokens, pages, argc > 1 ? atol(argv[1]) : 10000000) == 1;
}
