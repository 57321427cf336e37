/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as values.
 *
 * A function that can fail for a reason outside the program returns `struct error *`. NULL means
 * success; anything else is a message that the caller must pass up, print (commands only) or free.
 * Results are returned through the last parameters, which are left unchanged on failure.
 *
 * Running out of memory is not reported this way: base/memory.h ends the program with one
 * line.
 */
#pragma once

/* The kinds of error that some callers handle differently. Most only pass the message on. */
enum error_code {
	ERROR_OTHER,
	ERROR_NOT_FOUND,   /* no such file, symbol, type */
	ERROR_PERMISSION,  /* the message names the right or the sysctl that is missing */
	ERROR_FORMAT,      /* a file is malformed; the message gives the offset */
	ERROR_UNSUPPORTED, /* well-formed, but not supported; the message says what is missing */
	ERROR_NO_DEBUG_INFO,
};

/* One line without a newline: what failed, where, and what to do. The holder owns the error. */
struct error {
	enum error_code code;
	char *message;
};

struct error *error_create(enum error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result, returns_nonnull));

/* The same of the kind that no caller handles differently. */
#define error_other(...) error_create(ERROR_OTHER, __VA_ARGS__)

/* Returns a new error with the message "FORMAT...: strerror(error_number)". EACCES and EPERM give
 * ERROR_PERMISSION, ENOENT gives ERROR_NOT_FOUND. */
struct error *error_errno(int error_number, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result, returns_nonnull));

/* Puts "FORMAT...: " before the message of `error`, which must not be NULL, and returns `error`. */
struct error *error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result, returns_nonnull));

/* Frees `error`, which may be NULL. */
void error_destroy(struct error *error);

static inline void error_freep(struct error **error)
{
	error_destroy(*error);
}

#define _cleanup_error_ __attribute__((cleanup(error_freep), unused))

/* Returns the error of `expression` from the calling function, if there is one. */
#define RETURN_ERROR(expression)                                                                   \
	do {                                                                                       \
		struct error *return_error_ = (expression);                                        \
		if (return_error_)                                                                 \
			return return_error_;                                                      \
	} while (0)
