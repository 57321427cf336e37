// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Constants of a namespace: gcc gives their values but not their addresses.

namespace text
{
namespace
{
const unsigned char kinds[256] = { 1, 2, 3, 4, 5 };
const short widths[64] = { 1, 2, 3 };
} // namespace
} // namespace text

extern "C" int kind(unsigned char of)
{
	return text::kinds[of] + text::widths[of & 63];
	// EXPECT: unsigned char[] +0 EXPECT gcc: short int[] +0 EXPECT clang: short[] +0
}
