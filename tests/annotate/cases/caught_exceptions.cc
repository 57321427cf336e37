// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The runtime gives a caught exception as a pointer to void; its class, which is only declared, is that of the variable.
// RUN: g++

#include <exception>

void risky(void);
void seen(const char *text);

extern "C" void caught(void)
{
	try {
		risky();
	} catch (const std::exception &e) {
		seen(e.what()); // EXPECT: std::exception +0; none
	}
}
