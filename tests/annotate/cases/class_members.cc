// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Members of a derived class follow those of its base.

struct base {
	virtual long get() const;
	long id;
};

namespace shop
{
struct item : base {
	long price;
	long get() const override;
};
} // namespace shop

long shop::item::get() const
{
	return id + price; // EXPECT: shop::item +8; shop::item +16 (price)
}

long total(shop::item *i, int n)
{
	long s = 0;

	for (; n--; i++)
		s += i->price; // EXPECT: shop::item +16 (price)
	return s;
}
