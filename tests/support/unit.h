/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each test program includes this header first, because cmocka.h needs these headers before it, in
 * this order. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Skips the running test with a reason, which tests/run.sh shows. */
void skip_because(const char *format, ...) __attribute__((format(printf, 1, 2)));
