// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_locks SECONDS [FOLDER]: threads and processes that wait for locks of the kernel, of all
 * kinds: maps and page faults of one process, pipes, sockets, files and folders (of /tmp, and of
 * FOLDER on another file system), processes that begin, start programs and end, signals,
 * semaphores and messages, futexes, timers, files that are watched, groups and BPF maps. What a
 * kernel does not have is left out. Without arguments, the program that others start: it ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 2 /* of each kind */
#define PAGE    4096

enum { LOCAL, DATAGRAM, STREAM, PACKET, PAIRS }; /* pairs of sockets */

static time_t end;
static int pipes[2], sockets[PAIRS][2], files[2], semaphores, messages, poller, counter, watch, map;
static mqd_t queue;
static unsigned int *word; /* shared by the processes */
static char folders[2][100];
static char *shared_pages; /* of files[0] */

static void use_maps(int number)
{
	size_t size = 16 * PAGE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	for (size_t i = 0; i < size; i += PAGE)
		memory[i] = (char)number;
	mprotect(memory, PAGE, PROT_READ);
	madvise(memory + size / 2, size / 2, MADV_DONTNEED);
	munmap(memory, size);
}

static void use_shared_pages(int number)
{
	for (size_t i = 0; i < 64; i++)
		shared_pages[i * PAGE] = (char)number;
	madvise(shared_pages, 64 * PAGE, MADV_DONTNEED);
}

static void use_pipe(int number)
{
	char bytes[512] = { 0 };

	if (number % 2)
		(void)!read(pipes[0], bytes, sizeof(bytes));
	else
		(void)!write(pipes[1], bytes, sizeof(bytes));
}

static void use_sockets(int number)
{
	char bytes[256] = { 0 };

	for (int i = 0; i < PAIRS; i++) {
		(void)!send(sockets[i][number % 2], bytes, sizeof(bytes), MSG_DONTWAIT);
		(void)!recv(sockets[i][(number + 1) % 2], bytes, sizeof(bytes), MSG_DONTWAIT);
	}
	close(socket(AF_INET, number % 2 ? SOCK_STREAM : SOCK_DGRAM, 0));
}

static void use_folder(int number)
{
	const char *folder = folders[number % 2];
	char name[120], other[120];

	snprintf(name, sizeof(name), "%s/%d", folder, number);
	snprintf(other, sizeof(other), "%s/%d.new", folder, number);
	close(open(name, O_CREAT | O_RDWR, 0600));
	rename(name, other);
	link(other, name);
	unlink(other);
	unlink(name);
}

static void use_file(int number)
{
	char bytes[PAGE] = { (char)number };
	int file = files[number % 2];

	(void)!write(file, bytes, sizeof(bytes));
	if (lseek(file, 0, SEEK_CUR) > 1 << 20) {
		lseek(file, 0, SEEK_SET);
		fdatasync(file);
	}
	(void)!pread(file, bytes, sizeof(bytes), PAGE * number);
	flock(file, number % 2 ? LOCK_UN : LOCK_SH);
}

static void use_processes(int number)
{
	pid_t pid = fork();

	if (!pid)
		_exit(number);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void use_programs(int number)
{
	static char name[] = "kernel_locks";
	char *arguments[] = { name, NULL }, *none[] = { NULL };
	pid_t pid;

	(void)number;
	if (!posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, none))
		waitpid(pid, NULL, 0);
}

static void *end_at_once(void *argument)
{
	return argument;
}

static void use_threads(int number)
{
	pthread_t thread;

	(void)number;
	if (!pthread_create(&thread, NULL, end_at_once, NULL))
		pthread_join(thread, NULL);
}

static void use_signals(int number)
{
	kill(getpid(), number % 2 ? SIGUSR1 : SIGUSR2);
}

static void use_semaphores(int number)
{
	struct sembuf change = { .sem_num = 0,
				 .sem_op = number % 2 ? 1 : -1,
				 .sem_flg = IPC_NOWAIT };
	struct {
		long kind;
		char text[32];
	} message = { 1, "" };

	semop(semaphores, &change, 1);
	if (number % 2)
		msgsnd(messages, &message, sizeof(message.text), IPC_NOWAIT);
	else
		msgrcv(messages, &message, sizeof(message.text), 0, IPC_NOWAIT);
	if (number % 2)
		mq_send(queue, message.text, sizeof(message.text), 0);
	else
		mq_receive(queue, message.text, sizeof(message.text), NULL);
}

static void use_poller(int number)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT, .data.u32 = (unsigned)number };

	epoll_ctl(poller, EPOLL_CTL_ADD, sockets[LOCAL][number % 2], &event);
	epoll_wait(poller, &event, 1, 0);
	epoll_ctl(poller, EPOLL_CTL_DEL, sockets[LOCAL][number % 2], NULL);
}

static void use_counter(int number)
{
	uint64_t one = 1;

	if (number % 2)
		(void)!write(counter, &one, sizeof(one));
	else
		(void)!read(counter, &one, sizeof(one));
}

static void use_futexes(int number)
{
	const struct timespec soon = { .tv_nsec = 100000 };

	if (number % 2)
		syscall(SYS_futex, word, FUTEX_WAIT, 0, &soon, NULL, 0);
	else
		syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void use_timers(int number)
{
	struct itimerspec soon = { .it_value.tv_nsec = 50000 + number };
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	struct sigevent nothing = { .sigev_notify = SIGEV_NONE };
	timer_t other;

	timerfd_settime(timer, 0, &soon, NULL);
	if (!timer_create(CLOCK_MONOTONIC, &nothing, &other)) {
		timer_settime(other, 0, &soon, NULL);
		timer_delete(other);
	}
	close(timer);
}

static void use_watch(int number)
{
	char events[1024];
	int watched = inotify_add_watch(watch, folders[number % 2], IN_ALL_EVENTS);

	(void)!read(watch, events, sizeof(events));
	if (!number)
		inotify_rm_watch(watch, watched);
}

static void use_groups(int number)
{
	char name[100], text[2000];
	int file;

	snprintf(name, sizeof(name), "/sys/fs/cgroup/locks.%d.%d", (int)getpid(), number);
	if (mkdir(name, 0700) && errno != EEXIST)
		return;
	file = open("/proc/self/cgroup", O_RDONLY);
	(void)!read(file, text, sizeof(text));
	close(file);
	rmdir(name);
}

static void use_bpf_map(int number)
{
	uint32_t key = (uint32_t)number;
	uint64_t value = 1;
	union bpf_attr attributes = { .map_fd = (uint32_t)map,
				      .key = (uint64_t)(uintptr_t)&key,
				      .value = (uint64_t)(uintptr_t)&value };

	for (int i = 0; i < 20; i++) {
		syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attributes, sizeof(attributes));
		syscall(SYS_bpf, BPF_MAP_DELETE_ELEM, &attributes, sizeof(attributes));
	}
}

static void use_process_files(int number)
{
	static const char *const names[] = { "/proc/self/maps", "/proc/stat" };
	char text[2000];
	int file = open(names[number % 2], O_RDONLY);

	while (read(file, text, sizeof(text)) > 0)
		;
	close(file);
}

static void use_segments(int number)
{
	int segment = shmget(IPC_PRIVATE, 4 * PAGE, IPC_CREAT | 0600);
	char *memory = shmat(segment, NULL, 0);

	if (memory != (void *)-1) {
		*memory = (char)number;
		shmdt(memory);
	}
	shmctl(segment, IPC_RMID, NULL);
}

static void (*const uses[])(int number) = {
	use_maps,   use_shared_pages, use_pipe,     use_sockets,  use_folder,
	use_file,   use_processes,    use_programs, use_threads,  use_signals,
	use_watch,  use_semaphores,   use_poller,   use_counter,  use_futexes,
	use_timers, use_groups,       use_bpf_map,  use_segments, use_process_files,
};

static int kind; /* of this process */

static void *work(void *number)
{
	while (time(NULL) < end)
		for (int i = 0; i < 20; i++)
			uses[kind]((int)(size_t)number);
	return NULL;
}

/* A process with threads for one kind, which ends with the first process at the latest. */
static _Noreturn void work_alone(int number)
{
	pthread_t threads[WORKERS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	kind = number;
	for (size_t i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static void ignore(int number)
{
	(void)number;
}

/* Connects two sockets of the internet to each other. */
static void connect_stream(int pair[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (!bind(listener, (struct sockaddr *)&address, length) && !listen(listener, 1) &&
	    !getsockname(listener, (struct sockaddr *)&address, &length) &&
	    !connect(pair[0], (struct sockaddr *)&address, length))
		pair[1] = accept(listener, NULL, NULL);
	close(listener);
}

/* Makes two sockets send datagrams to each other. */
static void connect_packets(int pair[2])
{
	struct sockaddr_in addresses[2];
	socklen_t length = sizeof(*addresses);

	for (int i = 0; i < 2; i++) {
		addresses[i] = (struct sockaddr_in){ .sin_family = AF_INET,
						     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		pair[i] = socket(AF_INET, SOCK_DGRAM, 0);
		bind(pair[i], (struct sockaddr *)&addresses[i], length);
		getsockname(pair[i], (struct sockaddr *)&addresses[i], &length);
	}
	for (int i = 0; i < 2; i++)
		connect(pair[i], (struct sockaddr *)&addresses[1 - i], length);
}

static int prepare(const char *second)
{
	struct mq_attr size = { .mq_maxmsg = 8, .mq_msgsize = 32 };
	union bpf_attr table = {
		.map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8, .max_entries = 64
	};
	char name[120];

	signal(SIGUSR1, ignore);
	signal(SIGUSR2, ignore);
	if (pipe2(pipes, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[LOCAL]) ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets[DATAGRAM]))
		return -1;
	connect_stream(sockets[STREAM]);
	connect_packets(sockets[PACKET]);
	for (int i = 0; i < 2; i++) {
		snprintf(folders[i], sizeof(*folders), "%s/kernel_locks.XXXXXX",
			 i ? second : "/tmp");
		if (!mkdtemp(folders[i]))
			return -1;
		snprintf(name, sizeof(name), "%s/file", folders[i]);
		files[i] = open(name, O_CREAT | O_RDWR, 0600);
		if (ftruncate(files[i], 1 << 20))
			return -1;
	}
	shared_pages = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, files[1], 0);
	word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	messages = msgget(IPC_PRIVATE, 0600);
	queue = mq_open("/kernel_locks", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &size);
	poller = epoll_create1(0);
	counter = eventfd(0, EFD_NONBLOCK);
	watch = inotify_init1(IN_NONBLOCK);
	map = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &table, sizeof(table));
	return shared_pages == MAP_FAILED || word == MAP_FAILED;
}

static void clean_up(void)
{
	char name[120];

	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	mq_unlink("/kernel_locks");
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/file", folders[i]);
		unlink(name);
		rmdir(folders[i]);
	}
}

int main(int argc, char **argv)
{
	enum { COUNT = 2 * sizeof(uses) / sizeof(*uses) };

	if (argc < 2)
		return 0;
	/* so many threads would leave a recorder no time */
	(void)!nice(19);
	end = time(NULL) + atoi(argv[1]);
	if (prepare(argc > 2 ? argv[2] : "/tmp")) {
		perror("kernel_locks");
		return 1;
	}
	/* two processes of each kind, which share the files but not the memory */
	for (size_t i = 0; i < COUNT; i++)
		if (!fork())
			work_alone((int)i / 2);
	while (wait(NULL) > 0)
		;
	clean_up();
	return 0;
}
