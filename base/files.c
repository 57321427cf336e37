// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements files.h. */
#include "base/files.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "base/text.h"

const char *file_distrust(const struct stat *status)
{
	if (status->st_uid != 0 && status->st_uid != geteuid())
		return "not owned by current user or root";
	if (status->st_mode & S_IWOTH)
		return "writable by others";
	if ((status->st_mode & S_IWGRP) && status->st_gid != status->st_uid)
		return "writable by a group";
	return NULL;
}

const char *folder_distrust(const char *path, bool sticky)
{
	int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat status, above;
	const char *why = NULL;

	if (folder < 0 || fstat(folder, &status))
		why = "not there";
	while (!why) {
		int parent = openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (sticky && status.st_mode & S_ISVTX)
			status.st_mode &= ~(mode_t)(S_IWGRP | S_IWOTH);
		why = file_distrust(&status);
		close(folder);
		folder = parent;
		if (!why && (parent < 0 || fstat(parent, &above)))
			why = "not there";
		if (why || (above.st_dev == status.st_dev && above.st_ino == status.st_ino))
			break;
		status = above;
		sticky = true;
	}
	if (folder >= 0)
		close(folder);
	return why;
}

struct error *believed_file_open(const char *path, int *fd)
{
	const char *why;
	struct stat status;

	RETURN_ERROR(ordinary_file_open(path, fd, &status));
	why = file_distrust(&status);
	if (!why)
		return NULL;
	close(*fd);
	*fd = -1;
	return error_create(ERROR_PERMISSION, "%s is %s", path, why);
}

int believed_folder_open(int at, const char *path, bool make)
{
	_cleanup_free_ char *copy = xstrdup(path);
	int folder = fcntl(at, F_DUPFD_CLOEXEC, 0);
	char *rest = NULL;

	for (char *name = strtok_r(copy, "/", &rest); name && folder >= 0;
	     name = strtok_r(NULL, "/", &rest)) {
		_cleanup_close_ int above = folder;
		struct stat status;

		folder = make && mkdirat(above, name, 0755) && errno != EEXIST
				 ? -1
				 : openat(above, name,
					  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (folder >= 0 && (fstat(folder, &status) || file_distrust(&status))) {
			close(folder);
			folder = -1;
		}
	}
	return folder;
}

/* ---- sources */

#define GROUPS 256 /* of root: more than it has on any system */

/* The ids of this thread for files; those of a process stay as they are. */
struct file_ids {
	uid_t user;
	gid_t group, groups[GROUPS];
	long count; /* of groups; -1: nothing was changed */
};

/* Lets this thread open files as another user, without the rights of root (credentials(7); the
 * functions of the C library would change all threads). Returns false if that is not possible. */
static bool files_as(uid_t user, gid_t group, struct file_ids *old)
{
	*old = (struct file_ids){ .user = geteuid(), .group = getegid() };
	old->count = syscall(SYS_getgroups, GROUPS, old->groups);
	if (old->count < 0 || syscall(SYS_setgroups, 0, NULL)) {
		old->count = -1;
		return false;
	}
	syscall(SYS_setfsgid, group);
	syscall(SYS_setfsuid, user);
	/* both return the id before, so asking again tells whether they succeeded */
	return syscall(SYS_setfsuid, (uid_t)-1) == (long)user &&
	       syscall(SYS_setfsgid, (gid_t)-1) == (long)group;
}

static void files_restore(const struct file_ids *old)
{
	syscall(SYS_setfsuid, old->user);
	syscall(SYS_setfsgid, old->group);
	if (old->count >= 0 && syscall(SYS_setgroups, old->count, old->groups))
		abort(); /* never go on with the groups of another user */
}

/* Returns the number in a variable of sudo, or -1. */
static uid_t sudo_id(const char *name)
{
	const char *text = getenv(name);
	char *end;
	unsigned long id = text ? strtoul(text, &end, 10) : 0;

	return text && *text && !*end && id < UINT32_MAX ? (uid_t)id : (uid_t)-1;
}

/* Returns the path of an open file or folder without links, or NULL. The caller frees it. */
static char *path_of(int fd)
{
	_cleanup_free_ char *link = xasprintf(OPEN_FILE_FOLDER "%d", fd);

	return realpath(link, NULL);
}

/* Returns whether an open file is below the folder. Nothing is if /proc is not mounted. */
static bool is_below(int fd, const char *folder)
{
	_cleanup_close_ int above = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *path = path_of(fd), *top = above < 0 ? NULL : path_of(above);
	size_t length = top ? strlen(top) : 0;

	/* the root folder ends with its slash */
	return path && length && !strncmp(path, top, length) &&
	       (top[length - 1] == '/' || path[length] == '/');
}

/* Sets the user and group whose rights count for root. Returns false if root's own do. */
static bool find_asker(const struct source_rights *rights, uid_t *user, gid_t *group)
{
	*user = sudo_id("SUDO_UID");
	*group = sudo_id("SUDO_GID");
	if (rights->user == NOBODY || *user == (uid_t)-1)
		*user = rights->user, *group = rights->group;
	if (!*user)
		return false;
	if (*group == (gid_t)-1)
		*group = NOBODY;
	return true;
}

bool file_read_all(int fd, size_t most, struct strbuf *bytes)
{
	char part[65536];
	ssize_t got = 1;

	while (got && bytes->length <= most) {
		got = read(fd, part, sizeof(part));
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			strbuf_add(bytes, part, (size_t)got);
	}
	return true;
}

size_t file_read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	size_t done = 0;
	ssize_t length = 1;

	while (done < size && (length > 0 || (length < 0 && errno == EINTR))) {
		length = pread(fd, (char *)buffer + done, size - done, (off_t)(offset + done));
		done += length > 0 ? (size_t)length : 0;
	}
	return done;
}

bool raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static struct error *not_readable(const char *path, const struct source_rights *rights)
{
	return error_create(ERROR_PERMISSION,
			    "%s is not read: %s read it (--source-root names a folder of sources)",
			    path,
			    rights->user == NOBODY ? "not everybody may" : "its user may not");
}

static struct error *open_as(const char *path, const struct source_rights *rights, uid_t user,
			     gid_t group, int *fd, struct stat *status)
{
	struct error *error;
	struct file_ids old;

	if (files_as(user, group, &old)) {
		error = ordinary_file_open(path, fd, status);
		if (error && error->code == ERROR_PERMISSION) {
			error_destroy(error);
			error = not_readable(path, rights);
		}
	} else {
		error = error_create(ERROR_PERMISSION,
				     "%s is not read: its user's rights cannot be taken", path);
	}
	files_restore(&old);
	return error;
}

struct error *source_file_open(const char *path, const struct source_rights *rights, int *fd,
			       struct stat *status)
{
	uid_t user;
	gid_t group;

	*fd = -1;
	/* nothing is read before it is known to be below the folder */
	if (rights->root) {
		error_destroy(ordinary_file_open(path, fd, status));
		if (*fd >= 0 && is_below(*fd, rights->root))
			return NULL;
		closep(fd);
		*fd = -1;
	}
	if (!geteuid() && find_asker(rights, &user, &group))
		return open_as(path, rights, user, group, fd, status);
	RETURN_ERROR(ordinary_file_open(path, fd, status));
	if (!geteuid() || rights->user != NOBODY || status->st_mode & S_IROTH)
		return NULL;
	close(*fd);
	*fd = -1;
	return not_readable(path, rights);
}

struct error *source_file_read(const char *path, const struct source_rights *rights, size_t max,
			       char **text, size_t *length)
{
	_cleanup_close_ int fd = -1;
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct stat status;

	*text = NULL;
	RETURN_ERROR(source_file_open(path, rights, &fd, &status));
	if ((uint64_t)status.st_size > max)
		return error_create(ERROR_UNSUPPORTED, "%s is larger than %zu MB: not read", path,
				    max >> 20);
	if (!file_read_all(fd, max, &bytes))
		return error_errno(errno, "cannot read all of %s", path);
	*length = bytes.length;
	*text = strbuf_detach(&bytes);
	return NULL;
}

int own_folder_open(const char *chosen, const char *below, const char *name, bool make, char **path)
{
	const char *home = getenv("HOME");
	bool named = chosen && *chosen == '/';
	const char *root = named ? chosen : home && *home == '/' ? home : NULL;
	_cleanup_free_ char *folder = named ? xstrdup(name) : xasprintf("%s/%s", below, name);

	if (make && named)
		(void)mkdir(root, 0700); /* as the specification asks for */
	_cleanup_close_ int above = root ? open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct stat status;

	if (path)
		*path = root ? xasprintf("%s/%s", root, folder) : NULL;
	return above < 0 || fstat(above, &status) || file_distrust(&status)
		       ? -1
		       : believed_folder_open(above, folder, make);
}

struct error *read_file_close(FILE *file, const char *path)
{
	int number = errno;
	bool failed = ferror(file);

	fclose(file);
	return failed ? error_errno(number, "cannot read all of %s", path) : NULL;
}

int file_write_all(int fd, const void *bytes, size_t size, int64_t offset)
{
	const uint8_t *next = bytes;

	while (size) {
		ssize_t count = offset < 0 ? write(fd, next, size) : pwrite(fd, next, size, offset);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return count ? errno : ENOSPC;
		next += count;
		size -= (size_t)count;
		offset += offset < 0 ? 0 : count;
	}
	return 0;
}

/* ---- results */

static ssize_t write_watched(void *data, const char *bytes, size_t size)
{
	struct written *written = data;
	int number = file_write_all(written->fd, bytes, size, -1);

	if (!written->error_number)
		written->error_number = number;
	return number ? 0 : (ssize_t)size; /* fopencookie(3): fewer than `size` is an error */
}

FILE *written_open(struct written *written)
{
	return fopencookie(written, "w", (cookie_io_functions_t){ .write = write_watched });
}

/* Attempts to find a temporary name that is free. */
#define NAME_TRIES_MAX 100

static struct error *cannot_create(const char *path, int number)
{
	return error_errno(number, "cannot create '%s'", path);
}

/* Opens a file without a name in the folder of `path`; -1: the file system has none. */
static int open_nameless(const char *path, mode_t mode)
{
	_cleanup_free_ char *copy = xstrdup(path);

	return open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/* Returns a new name beside the path for the attempt `number`. */
static char *temporary_name(const char *path, unsigned int number)
{
	return xasprintf("%s.%d.%u", path, (int)getpid(), number);
}

static int open_named(struct output_file *output, mode_t mode)
{
	int fd = -1;

	for (unsigned int i = 0; i < NAME_TRIES_MAX && fd < 0; i++) {
		output->temporary = temporary_name(output->path, i);
		fd = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  mode);
		if (fd >= 0)
			break;
		free(output->temporary);
		output->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	return fd;
}

/* Returns whether the path names an open file of this process. */
static bool is_own_file(const char *path)
{
	return starts_with(path, "/dev/fd/") || starts_with(path, OPEN_FILE_FOLDER) ||
	       !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr");
}

/* True if the path leads to something that is written in place: a device, a pipe, or an open file
 * of this process. A link to a regular file is replaced itself: somebody else may have laid it. */
static bool is_in_place(const char *path)
{
	struct stat status;

	return is_own_file(path) || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

int in_place_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	struct stat status;

	if (fd < 0 || is_own_file(path) || (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

struct error *output_file_open(const char *path, const char *input, mode_t mode,
			       struct output_file *output)
{
	int fd;

	*output = (struct output_file){ 0 };
	if (!*path)
		return error_other("the name of the output is empty");
	/* a file of this name would surprise; who can write to standard output does not ask */
	if (!strcmp(path, "-"))
		return error_other("'-' is standard output, which takes no file of "
				   "this kind (./- names a file)");
	if (input && same_file(path, input, false))
		return error_other("'%s' is the file that is read: the output needs another name",
				   path);
	output->in_place = is_in_place(path);
	output->path = xstrdup(path);
	if (output->in_place) {
		fd = in_place_open(path, O_WRONLY);
	} else {
		fd = open_nameless(path, mode);
		if (fd < 0)
			fd = open_named(output, mode);
	}
	if (fd >= 0) {
		output->written = xcalloc(1, sizeof(*output->written));
		output->written->fd = fd;
		output->stream = written_open(output->written);
	}
	if (!output->stream) {
		struct error *error = cannot_create(path, errno);

		if (fd >= 0)
			close(fd);
		free_all(output->written, output->path);
		output->path = NULL;
		return error;
	}
	return NULL;
}

/* Gives the file without a name a temporary one beside its path. Returns 0 or errno. */
static int give_name(struct output_file *output)
{
	_cleanup_free_ char *link = xasprintf(OPEN_FILE_FOLDER "%d", output->written->fd);
	int number = EEXIST;

	for (unsigned int i = 0; i < NAME_TRIES_MAX && number == EEXIST; i++) {
		char *name = temporary_name(output->path, i);

		number = linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
		if (number == ENOENT) /* no /proc here */
			number = linkat(output->written->fd, "", AT_FDCWD, name, AT_EMPTY_PATH)
					 ? errno
					 : 0;
		if (number)
			free(name);
		else
			output->temporary = name;
	}
	return number;
}

/* Writes what is left and lets the file take its path. Returns 0 or errno. */
static int keep(struct output_file *output)
{
	fflush(output->stream);
	if (output->written->error_number)
		return output->written->error_number;
	if (output->in_place)
		return 0;
	if (fsync(output->written->fd) && errno != EINVAL)
		return errno;
	if (!output->temporary) {
		int number = give_name(output);

		if (number)
			return number;
	}
	if (rename(output->temporary, output->path))
		return errno;
	free(output->temporary);
	output->temporary = NULL;
	return 0;
}

struct error *output_file_close(struct output_file *output, bool wanted)
{
	struct error *error = NULL;
	struct stat status;
	int number;

	if (!output->stream)
		return NULL;
	/* an input that has this name would be gone: symbols, rules, a program */
	if (wanted && !output->in_place && lstat(output->path, &status) == 0 &&
	    file_was_read(&status)) {
		error = error_other("'%s' is a file that was read: the output needs another name",
				    output->path);
		wanted = false;
	}
	number = wanted ? keep(output) : 0;
	fclose(output->stream);
	if (close(output->written->fd) && wanted && !number)
		number = errno;
	if (number)
		error = error_errno(number, "cannot write '%s'", output->path);
	if (output->temporary)
		unlink(output->temporary);
	free_all(output->temporary, output->written, output->path);
	*output = (struct output_file){ 0 };
	return error;
}

bool process_stat(int32_t pid, enum process_stat_field field, uint64_t *value)
{
	char path[64], text[1024];
	const char *fields;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (length <= 0)
		return false;
	text[length] = '\0';
	/* field 2, in parentheses, may have any bytes */
	fields = strrchr(text, ')');
	for (int number = 2; fields && number < (int)field; number++)
		fields = strchr(fields + 1, ' ');
	return fields && sscanf(fields, "%" SCNu64, value) == 1;
}

/* ---- lists of the kernel's symbols ---- */

/* Longer lines are those of no list. */
#define SYMBOLS_BUFFER 65536

/* Parses "ffffffff81000000 T name\t[module]", and ends its words; there is a byte behind the line.
 * False: it has no symbol. There are hundreds of thousands of these lines, for which sscanf(3)
 * takes a second. */
static bool parse_kernel_symbol(char *line, char *end, struct kernel_symbol *symbol)
{
	char *name = line;

	*end = '\0';
	symbol->address = 0;
	for (; isxdigit((unsigned char)*name); name++)
		symbol->address = symbol->address << 4 |
				  ((unsigned)*name - '0' < 10 ? *name & 0xf : (*name & 7) + 9);
	if (name == line || name[0] != ' ' || !name[1] || name[2] != ' ')
		return false;
	symbol->type = name[1];
	symbol->name = name += 3;

	char *module = memchr(name, '\t', (size_t)(end - name));

	symbol->module = module ? module + 1 : end;
	if (module)
		*module = '\0';
	return *name;
}

struct error *symbols_file_open(const char *path, int *fd)
{
	struct stat status;

	/* a shell's <(command) */
	*fd = starts_with(path, "/dev/fd/") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	return *fd >= 0 ? NULL : ordinary_file_open(path, fd, &status);
}

struct error *kallsyms_each(const char *path,
			    bool (*take)(void *data, const struct kernel_symbol *symbol),
			    void *data)
{
	_cleanup_free_ char *buffer = xmalloc(SYMBOLS_BUFFER + 1);
	struct kernel_symbol symbol;
	size_t kept = 0, got; /* bytes of a line whose end is not read yet */
	bool more = true;
	FILE *file;
	int fd;

	RETURN_ERROR(symbols_file_open(path, &fd));
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return error_errno(errno, "cannot read %s", path);
	}
	setvbuf(file, NULL, _IONBF, 0);
	while (more && (got = fread(buffer + kept, 1, SYMBOLS_BUFFER - kept, file))) {
		char *line = buffer, *end = buffer + kept + got;

		for (char *next; more && (next = memchr(line, '\n', (size_t)(end - line)));
		     line = next + 1)
			more = !parse_kernel_symbol(line, next, &symbol) || take(data, &symbol);
		kept = (size_t)(end - line);
		memmove(buffer, line, kept);
	}
	if (more && kept < SYMBOLS_BUFFER && parse_kernel_symbol(buffer, buffer + kept, &symbol))
		take(data, &symbol);
	RETURN_ERROR(read_file_close(file, path));
	/* a device or a sparse file may have one line without an end */
	return kept < SYMBOLS_BUFFER
		       ? NULL
		       : error_create(ERROR_FORMAT, "%s is not a list of symbols", path);
}

struct mark_list {
	struct kallsyms_mark *marks;
	size_t count;
};

static bool take_mark(void *data, const struct kernel_symbol *symbol)
{
	struct mark_list *list = data;

	if (*symbol->module || symbol->name[0] != '_')
		return true; /* Skip nearly all of a hundred thousand names. */
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(symbol->name, list->marks[i].name))
			list->marks[i].address = symbol->address;
	return any_of(i, 0, list->count, !list->marks[i].address);
}

struct error *kallsyms_find(const char *path, struct kallsyms_mark *marks, size_t count)
{
	struct mark_list list = { marks, count };

	return kallsyms_each(path, take_mark, &list);
}
