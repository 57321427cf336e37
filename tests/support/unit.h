/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each test program includes this before all else: cmocka wants these headers first, and in this
 * order. */
#ifndef DTPROF_TESTS_UNIT_H
#define DTPROF_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Skips the running test, and says why: tests/run.sh shows it. */
void skip_because(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
