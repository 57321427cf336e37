/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as values.
 *
 * A function that can fail for a reason outside the program returns `struct error *`: NULL is success,
 * anything else is a message that the caller must pass up, print (commands only) or free. Results come back
 * through the last parameters and are untouched on failure.
 *
 * Running out of memory is not such a reason: base/memory.h ends the program with one line.
 */
#ifndef DTPROF_BASE_ERROR_H
#define DTPROF_BASE_ERROR_H

/* What a caller may want to tell apart; most want the message alone. */
enum error_code {
	ERROR_OTHER,
	ERROR_NOT_FOUND,   /* no such file, symbol, type */
	ERROR_PERMISSION,  /* the message names the right or the sysctl that is missing */
	ERROR_FORMAT,      /* a file is not what it should be; the message gives the offset */
	ERROR_UNSUPPORTED, /* well-formed, but not handled; the message says what is missing */
	ERROR_NO_DEBUG_INFO,
};

/* One line, no newline: what, where, what to do. Owned by whoever holds the pointer. */
struct error {
	enum error_code code;
	char *message;
};

struct error *error_create(enum error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* errno as a message: "FORMAT...: strerror". EACCES and EPERM become ERROR_PERMISSION, ENOENT
 * ERROR_NOT_FOUND. */
struct error *error_errno(int error_number, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* Put "FORMAT...: " before the message of `error`, which must not be NULL; returns it. */
struct error *error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* NULL is allowed. */
void error_free(struct error *error);

static inline void error_freep(struct error **error)
{
	error_free(*error);
}

#define _cleanup_error_ __attribute__((cleanup(error_freep)))

/* Hand the error of `expression` up; for functions that return struct error *. */
#define RETURN_ERROR(expression)                                                                             \
	do {                                                                                                 \
		struct error *return_error_ = (expression);                                                  \
		if (return_error_)                                                                           \
			return return_error_;                                                                \
	} while (0)

#endif
