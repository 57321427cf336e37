/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words and strides, as values and fields have them. */
#pragma once

/* Bytes of a general register, and so of a value; all supported architectures have 64 bits. */
#define WORD 8

/* The most strides that a value has: those of arrays in arrays in arrays, and one more. If there
 * are more, only their greatest common divisor is kept, and the step 1. */
#define STEPS 4
