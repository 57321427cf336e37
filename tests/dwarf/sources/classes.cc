// SPDX-License-Identifier: GPL-2.0-or-later
namespace app
{
namespace
{
struct Hidden {
	int h;
};
} // namespace
class Base
{
      public:
	virtual ~Base()
	{
	}
	virtual int f() const;
	int base_field;
	static int count;
};
struct Mixin {
	long mixed;
};
class Derived : public Base, public Mixin
{
      public:
	int f() const override;
	enum class Kind : char { A, B } kind;
	struct Inner {
		int i;
		struct {
			int deep;
		};
	} inner;
	Derived *next;
	const Mixin &ref;
};
struct Virtual : virtual Base {
	int v;
};
template <typename T, int N> struct Array {
	T data[N];
	T *get(int i)
	{
		return &data[i];
	}
};
typedef Array<int, 3> Triple;
union Either {
	int i;
	double d;
};
int Base::count = 7;
int Base::f() const
{
	return base_field;
}
int Derived::f() const
{
	return inner.i;
}
Hidden hidden;
Triple triple;
Either either;
int Base::*member = &Base::base_field;
int (Base::*method)() const = &Base::f;
int take(Derived &d, Hidden &&h)
{
	return d.f() + h.h + (int)d.kind;
}
inline namespace v1
{
struct Versioned {
	int x;
};
} // namespace v1
Versioned versioned;
Virtual *make()
{
	return new Virtual;
}
struct timespec_ {
	long s;
};
timespec_ stamp;
struct Copied {
	Copied(const Copied &other);
	long copied;
};
struct HasCopied {
	int plain;
	Copied parts[2];
};
struct Destroyed {
	~Destroyed();
	long destroyed;
};
struct Defaulted {
	Defaulted() = default;
	Defaulted(const Defaulted &) = default;
	~Defaulted() = default;
	Defaulted(Mixin &from);
	long defaulted;
};
Copied::Copied(const Copied &other) : copied(other.copied)
{
}
Defaulted defaulted;
long sizes = sizeof(HasCopied) + sizeof(Destroyed);
HasCopied *has_copied;
Destroyed *destroyed;
} // namespace app
extern "C" int plain(app::Derived *d, app::Virtual *v)
{
	return d->f() + v->v + *app::triple.get(1) + app::Base::count;
}
struct app::Derived *global_derived;
int main()
{
	app::Hidden h = { 1 };
	return global_derived ? app::take(*global_derived, (app::Hidden &&) h) +
					plain(global_derived, app::make())
			      : 0;
}
