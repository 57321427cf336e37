// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements error.h. */
#include "base/error.h"

#include "base/memory.h"

static struct error *error_take(enum error_code code, char *message)
{
	struct error *error = xmalloc(sizeof(*error));

	error->code = code;
	error->message = message;
	return error;
}

struct error *(error_create)(enum error_code code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *message = xvasprintf(format, arguments);
	va_end(arguments);
	return error_take(code, message);
}

struct error *(error_errno)(int error_number, const char *format, ...)
{
	va_list arguments;
	enum error_code code = ERROR_OTHER;

	va_start(arguments, format);
	char *what = xvasprintf(format, arguments);
	va_end(arguments);
	if (error_number == EACCES || error_number == EPERM)
		code = ERROR_PERMISSION;
	else if (error_number == ENOENT)
		code = ERROR_NOT_FOUND;
	char *message = xasprintf("%s: %s", what, strerror(error_number));
	free(what);
	return error_take(code, message);
}

struct error *(error_prefix)(struct error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *prefix = xvasprintf(format, arguments);
	va_end(arguments);
	char *message = xasprintf("%s: %s", prefix, error->message);
	free_all(prefix, error->message);
	error->message = message;
	return error;
}

void error_destroy(struct error *error)
{
	if (!error)
		return;
	free_all(error->message, error);
}
