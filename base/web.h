/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTTP and HTTPS by libcurl, which is loaded when the first request is made: it brings twenty
 * libraries, and most runs ask no server.
 *
 * A server is not trusted. It decides neither where a request goes nor how much is read: the
 * caller's `keep` sees each piece of an answer, and ends the request by returning false.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A connection, which is used again by the next request to the same server. */
struct web;

/* Loads libcurl. Sets *web, for web_close(), which accepts NULL. An error says that `what` needs
 * it, and why it cannot be loaded. */
struct error *web_open(const char *what, struct web **web);
void web_close(struct web *web);

/* The user who asks a server. Zero is nobody, who believes the certificates that the system knows.
 */
struct web_user {
	char *text; /* of the file, whose parts the others are */
	const char *name, *password;
	const char *authority; /* file of the certificates that sign the server's */
};

/* Reads lines "user NAME", "password TEXT" and "authority FILE" of a file that only its owner may
 * read. Call web_user_deinit() in any case. */
struct error *web_user_read(const char *path, struct web_user *user);
void web_user_deinit(struct web_user *user);

/* Returns the port of "HOST[:PORT]/..."; `usual`: it names none; UINT_MAX: one that is none. */
unsigned int web_port(const char *host, unsigned int usual);

struct web_request {
	const char *url;
	const void *body; /* sent by POST, of `size` bytes; NULL: GET */
	size_t size;
	const char *content;         /* header of the body's type, "Content-Type: ..."; NULL: any */
	const struct web_user *user; /* NULL: nobody */
	bool redirects;              /* are followed, but never to a file of this machine */
	bool files;                  /* file:// is a server, too */
	long patience;               /* seconds to connect, and without a byte */
	long longest;                /* seconds for all; 0: any */
	bool (*keep)(const void *bytes, size_t size, void *data);
	void *data;
};

/* Makes a request. A password goes to this machine or by TLS alone, else ERROR_PERMISSION; what is
 * for this machine goes through no proxy. Sets *status to that of HTTP; with GET, an answer of 400
 * and above has no body. No error: there was an answer, or `keep` ended it, or file:// has no such
 * file (404). */
struct error *web_ask(struct web *web, const struct web_request *request, long *status);
