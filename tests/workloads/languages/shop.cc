// SPDX-License-Identifier: GPL-2.0-or-later
/* C++ as it is written: classes with virtual functions, containers, smart pointers, lambdas, exceptions. */
#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "arena.h"

#define NOINLINE __attribute__((noinline))

namespace shop
{

template <typename T> using vector = std::vector<T, arena_allocator<T>>;

class shape {
public:
	IN_ARENA(shape)
	explicit shape(int id) : id(id) {}
	virtual ~shape() = default;
	virtual double area() const = 0;
	virtual void grow(double by) = 0;
	int identity() const { return id; }
	long uses = 0;

protected:
	int id;
};

class circle final : public shape {
public:
	IN_ARENA(circle)
	circle(int id, double radius) : shape(id), radius(radius) {}
	double area() const override { return radius * radius * 3.14; }
	void grow(double by) override { radius += by; uses++; }

private:
	double radius;
};

class square : public shape {
public:
	IN_ARENA(square)
	square(int id, double side) : shape(id), side(side) {}
	double area() const override { return side * side; }
	void grow(double by) override { side *= by; uses += 2; }

protected:
	double side;
};

struct printable {
	virtual ~printable() = default;
	virtual int print(char *to, int room) const = 0;
	int width = 8;
	bool bold = false;
};

class label : public square, public printable {
public:
	IN_ARENA(label)
	label(int id, double side, char letter) : square(id, side), letter(letter) {}
	int print(char *to, int room) const override
	{
		int written = 0;

		for (; written < width && written < room; written++)
			to[written] = letter;
		return bold ? written + id : written;
	}

private:
	char letter;
};

struct owner {
	long number;
	int visits;
	std::string name;
};

struct tag {
	IN_ARENA(tag)
	int color;
	unsigned int hidden : 1;
	unsigned int weight : 7;
	tag *next;
};

struct item {
	IN_ARENA(item)
	std::string name;
	int price = 0;
	vector<int> sizes;
	std::unique_ptr<tag> first_tag;
	std::shared_ptr<owner> held_by;
	item *next = nullptr;
};

struct order {
	int number;
	float weight;
	item *what;
	std::optional<long> discount;
};

struct point {
	double x, y;
};

template <typename T> class stack {
public:
	void push(const T &value)
	{
		if (count == room)
			more();
		data[count++] = value;
	}
	T &top() { return data[count - 1]; }
	void pop() { count--; }
	size_t size() const { return count; }
	T &operator[](size_t index) { return data[index]; }

private:
	NOINLINE void more()
	{
		size_t larger = room ? 2 * room : 4;
		T *moved = static_cast<T *>(arena<T>::take(larger));

		for (size_t i = 0; i < count; i++)
			moved[i] = data[i];
		data = moved;
		room = larger;
	}
	T *data = nullptr;
	size_t count = 0;
	size_t room = 0;
};

using value = std::variant<long, double, tag *>;

class store {
public:
	IN_ARENA(store)
	void add(item *what);
	long total() const;
	item *find(int key);
	order &order_of(int number) { return orders[number]; }
	void place(int number, item *what);
	double weigh();
	size_t cheap(int limit);
	int rename(const std::string &name);
	void each(const std::function<void(item &)> &call);

	vector<item *> shelf;
	std::map<int, item *, std::less<int>, arena_allocator<std::pair<const int, item *>>> by_price;
	std::unordered_map<int, order, std::hash<int>, std::equal_to<int>,
			   arena_allocator<std::pair<const int, order>>>
		orders;
	std::list<point, arena_allocator<point>> points;
	std::deque<order, arena_allocator<order>> queue;
	vector<value> values;
	int served = 0;
	int failures = 0;
};

NOINLINE void store::add(item *what)
{
	if (!shelf.empty())
		what->next = shelf.back();
	shelf.push_back(what);
	by_price[what->price] = what;
}

NOINLINE long store::total() const
{
	long sum = 0;

	for (const item *what : shelf) {
		sum += what->price;
		for (int size : what->sizes)
			sum += size;
		if (what->first_tag)
			sum += what->first_tag->color + what->first_tag->weight;
		if (what->held_by)
			sum += what->held_by->visits;
	}
	return sum;
}

NOINLINE item *store::find(int key)
{
	auto found = by_price.lower_bound(key);

	served++;
	return found == by_price.end() ? nullptr : found->second;
}

NOINLINE void store::place(int number, item *what)
{
	order &made = orders[number];

	made.number = number;
	made.weight = 0.5F * number;
	made.what = what;
	if (number % 3 == 0)
		made.discount = number;
	queue.push_back(made);
}

NOINLINE double store::weigh()
{
	double sum = 0;

	for (auto &[number, made] : orders)
		sum += made.weight * made.what->price - made.discount.value_or(1);
	for (const order &waiting : queue)
		sum += waiting.weight;
	while (queue.size() > 3) {
		sum += queue.front().number;
		queue.pop_front();
	}
	return sum;
}

NOINLINE size_t store::cheap(int limit)
{
	int least = limit;
	size_t count = std::count_if(shelf.begin(), shelf.end(), [this, limit, &least](const item *what) {
		served++;
		least = std::min(least, what->price);
		return what->price < limit && !what->sizes.empty();
	});

	return count + least;
}

NOINLINE int store::rename(const std::string &name)
{
	int longest = 0;

	for (item *what : shelf) {
		what->name += name;
		longest = std::max(longest, (int)what->name.size() + what->name[0]);
	}
	return longest;
}

NOINLINE void store::each(const std::function<void(item &)> &call)
{
	for (item *what = shelf.back(); what; what = what->next)
		call(*what);
}

NOINLINE double all_areas(const vector<std::unique_ptr<shape>> &shapes)
{
	double sum = 0;

	for (const auto &one : shapes) {
		sum += one->area() + one->identity();
		one->grow(1.5);
		sum += one->uses;
	}
	return sum;
}

NOINLINE int print_all(const vector<printable *> &all, char *to, int room)
{
	int sum = 0;

	for (printable *one : all) {
		sum += one->print(to, room);
		one->bold = !one->bold;
		one->width++;
	}
	return sum;
}

NOINLINE void sort_orders(vector<order> &orders)
{
	std::sort(orders.begin(), orders.end(), [](const order &a, const order &b) {
		return a.weight < b.weight || (a.weight == b.weight && a.number > b.number);
	});
}

NOINLINE point middle(const vector<point> &points)
{
	point sum = { 0, 0 };

	for (const point &at : points) {
		sum.x += at.x;
		sum.y += at.y;
	}
	return { sum.x / points.size(), sum.y / points.size() };
}

NOINLINE long sum_values(const vector<value> &values)
{
	long sum = 0;

	for (const value &one : values) {
		if (const long *number = std::get_if<long>(&one))
			sum += *number;
		else if (const double *real = std::get_if<double>(&one))
			sum += (long)*real;
		else
			sum += std::get<tag *>(one)->color;
	}
	return sum;
}

NOINLINE int check(const item &what, int limit)
{
	if (what.price > limit)
		throw std::out_of_range("too dear");
	return what.price + (int)what.sizes.size();
}

/* What was in registers before the throw is used after it. */
NOINLINE int check_all(store &in, int limit)
{
	int sum = 0;

	for (item *what : in.shelf) {
		try {
			sum += check(*what, limit);
			in.served++;
		} catch (const std::out_of_range &) {
			in.failures++;
			sum -= what->price;
			if (what->first_tag)
				what->first_tag->hidden = 1;
		}
	}
	return sum;
}

NOINLINE long walk_stack(stack<point> &points, stack<tag *> &tags)
{
	double sum = 0;

	for (size_t i = 0; i < points.size(); i++)
		sum += points[i].x * points[i].y;
	while (tags.size()) {
		for (const tag *at = tags.top(); at; at = at->next)
			sum += at->color;
		tags.pop();
	}
	return (long)sum;
}

NOINLINE int count_visits(const std::shared_ptr<owner> &who)
{
	std::shared_ptr<owner> kept = who;

	kept->visits++;
	return (int)kept->number + kept->visits + (int)kept->name.size();
}

NOINLINE item *make_item(int number, const std::shared_ptr<owner> &who, tag *tags)
{
	item *made = new item;

	made->name = "item";
	made->price = number * 7 % 31;
	for (int i = 0; i < number % 4; i++)
		made->sizes.push_back(i * number);
	if (number % 2) {
		made->first_tag = std::make_unique<tag>();
		made->first_tag->color = number;
		made->first_tag->weight = 3;
		made->first_tag->next = tags;
	}
	made->held_by = who;
	return made;
}

NOINLINE double add_points(store &in, vector<point> &points)
{
	for (const point &at : points)
		in.points.push_back(at);
	in.points.remove_if([](const point &at) { return at.x < 2; });
	return std::accumulate(in.points.begin(), in.points.end(), 0.0,
			       [](double sum, const point &at) { return sum + at.x - at.y; });
}

}

using namespace shop;

static NOINLINE long run(store &in)
{
	auto who = std::allocate_shared<owner>(arena_allocator<owner>());
	vector<std::unique_ptr<shape>> shapes;
	vector<printable *> labels;
	vector<order> orders;
	vector<point> points;
	stack<point> stacked;
	stack<tag *> tags;
	char text[32];
	long sum = 0;

	who->name = "somebody";
	for (int i = 0; i < 12; i++) {
		in.add(make_item(i, who, nullptr));
		in.place(i, in.shelf.back());
		orders.push_back(in.order_of(i));
		points.push_back({ i * 1.0, i * 2.0 });
		stacked.push({ i * 1.0, 2 });
		if (i % 2)
			tags.push(in.shelf.back()->first_tag.get());
		if (i % 3 == 0)
			shapes.emplace_back(new circle(i, i));
		else if (i % 3 == 1)
			shapes.emplace_back(new square(i, i));
		else {
			label *made = new label(i, i, 'x');

			shapes.emplace_back(made);
			labels.push_back(made);
		}
		if (i % 2)
			in.values.push_back(2.5);
		else
			in.values.push_back((long)i);
	}
	in.values.push_back(in.shelf[1]->first_tag.get());
	for (int i = 0; i < 20; i++)
		orders.push_back({ i, (float)(i * 7 % 5), in.shelf[i % 5], {} });
	sum += in.total() + (long)in.weigh() + (long)in.cheap(9) + in.rename("!");
	if (item *found = in.find(5))
		sum += found->price;
	in.each([&sum](item &what) { sum += what.price++; });
	sum += (long)all_areas(shapes) + print_all(labels, text, 32);
	sort_orders(orders);
	sum += orders[3].number + (long)middle(points).x + sum_values(in.values) + check_all(in, 20);
	sum += walk_stack(stacked, tags) + count_visits(who) + (long)add_points(in, points);
	return sum;
}

int main()
{
	store *in = new store;

	language_mark();
	long sum = run(*in);
	language_mark();
	printf("%ld\n", sum);
	return 0;
}
