// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Differences between neighbours in an array.
 *
 * case: voxel split 700000 150
 * case: voxel split 300 2000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct voxel {
	float density;
	float gradient;
};
struct voxel_cold {
	int label;
	char history[44];
	float color[4];
};
static struct voxel_cold *cold;
#else
struct voxel {
	int label;
	float density;
	char history[44];
	float color[4];
	float gradient;
};
#endif
static struct voxel *voxels;
__attribute__((noinline)) static float smooth(long n)
{
	float last = 0;
	for (long i = 1; i < n; i++) {
		voxels[i].gradient = voxels[i].density - voxels[i - 1].density;
		last += voxels[i].gradient;
	}
	return last;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	float sum = 0;
	voxels = calloc(n, sizeof(*voxels));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		voxels[i].density = i % 17;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += smooth(n);
	printf("%g\n", sum);
}
