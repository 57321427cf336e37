// Values of the standard library that hold others: optional, variant, array, pair, tuple.
#include <array>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#define OWN __attribute__((noinline))

struct price { long amount, currency, when, source; };
struct circle { double x, y, radius; };
struct polygon { double corners[10]; long count; };
using shape = std::variant<circle, polygon>;
using grid = std::array<circle, 5>;
using entry = std::tuple<long, circle, price>;
struct quote { long id; std::optional<price> last; grid cells; };

// COPY: price
OWN void take_price(std::optional<price> &to, const price &from) { to = from; }
// COPY: std::array<circle, 5>
OWN void take_grid(quote &to, const quote &from) { to.cells = from.cells; }
// COPY: std::variant<circle, polygon>
OWN void take_shape(shape &to, const shape &from) { to = from; }
// COPY: std::tuple<long, circle, price>
OWN void take_entry(entry &to, const entry &from) { to = from; }
// COPY: price
OWN void take_second(std::pair<long, price> &to, const std::pair<long, price> &from) { to.second = from.second; }

OWN static long work(quote *quotes, shape *shapes, entry *entries, long rounds)
{
	static std::pair<long, price> pairs[32];
	price some{ 1, 2, 3, 4 };
	long sum = 0;
	for (long i = 0; i < rounds; i++) {
		some.amount = i;
		take_price(quotes[i & 31].last, some);
		take_grid(quotes[i & 31], quotes[(i * 5 + 1) & 31]);
		take_shape(shapes[i & 15], shapes[(i * 3 + 1) & 15]);
		take_entry(entries[i & 15], entries[(i * 3 + 1) & 15]);
		take_second(pairs[i & 31], pairs[(i * 7 + 1) & 31]);
		sum += quotes[(i + 9) & 31].last->amount + std::get<0>(entries[(i + 3) & 15]);
	}
	return sum;
}

int main(int argc, char **argv)
{
	static quote quotes[32];
	std::vector<shape> shapes(16, shape(polygon{}));
	std::vector<entry> entries(16);
	for (auto &one : quotes)
		one.last = price{};
	return work(quotes, shapes.data(), entries.data(), argc > 1 ? atol(argv[1]) : 10000000) == 1;
}
