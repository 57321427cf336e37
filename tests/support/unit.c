// SPDX-License-Identifier: GPL-2.0-or-later
/* See unit.h. */
#include "tests/support/unit.h"

void skip_because(const char *format, ...)
{
	va_list arguments;

	print_message("# skipped: ");
	va_start(arguments, format);
	vprint_message(format, arguments);
	va_end(arguments);
	print_message("\n");
	skip();
}
