// SPDX-License-Identifier: GPL-2.0-or-later
// Particles with vectors of floats, in classes with copy constructors that the compiler makes.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace world
{
struct vec {
	float x, y, z, w;
};
struct particle {
	vec place, speed;
	std::array<double, 5> history;
	long id;
};
class cloud
{
      public:
	std::vector<particle> all;
	particle heaviest;
};
} // namespace world

#define OWN __attribute__((noinline))

// COPY: world::particle
OWN void choose(world::cloud &cloud, const world::particle &from)
{
	cloud.heaviest = from;
}
// COPY: world::particle
OWN void replace(world::particle &to, const world::particle &from)
{
	to = from;
}
// COPY: world::vec
OWN void stop(world::particle &a, const world::particle &b)
{
	a.speed = b.speed;
}

OWN double work(world::cloud &cloud, long rounds)
{
	double sum = 0;

	for (long i = 0; i < rounds; i++) {
		choose(cloud, cloud.all[i & 255]);
		replace(cloud.all[i * 3 & 255], cloud.all[i & 255]);
		stop(cloud.all[i & 255], cloud.heaviest);
		for (int k = 0; k < 20; k++)
			sum += cloud.all[(i + k) & 255].place.x;
	}
	return sum;
}

int main(int argc, char **argv)
{
	world::cloud cloud;

	cloud.all.resize(256);
	return work(cloud, argc > 1 ? atol(argv[1]) : 12000000) == 1;
}
