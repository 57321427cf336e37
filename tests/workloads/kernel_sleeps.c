// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_sleeps SECONDS [FOLDER]: threads that sleep, each kind for one object of the kernel or of
 * the program, which the thread's name tells. Some rest in between, or have a child that does, and
 * all have one map. --truth prints a line for each name: its objects, a regular expression.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
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
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PAUSE 3000000 /* nanoseconds */

static const struct timespec pause_time = { .tv_nsec = PAUSE };
static const char *folder = "/tmp";

static struct pool {
	char name[40];
	pthread_mutex_t guard;
	pthread_rwlock_t table;
	pthread_cond_t changed;
	sem_t items;
	pthread_barrier_t start;
	unsigned int word;
} * pool;

struct message {
	long kind;
	char text[32];
};

static void rest(void)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause_time, NULL);
}

/* ---- what two threads have, and how the first one waits for what the second does ---- */

static int pipes[2], local[2], datagrams[2], stream[2], listener, poller, counter, timer, watch,
	semaphores, messages, terminal[2], files[4], signals;
static mqd_t queue;
static struct sockaddr_in place;
static aio_context_t requests;
static sigset_t queued;
static char byte;

static void read_byte(int file)
{
	(void)!read(file, &byte, 1);
}

static void write_later(int file)
{
	rest();
	(void)!write(file, &byte, 1);
}

static void pipe_wait(void)
{
	read_byte(pipes[0]);
}
static void pipe_act(void)
{
	write_later(pipes[1]);
}
static void local_wait(void)
{
	read_byte(local[0]);
}
static void local_act(void)
{
	write_later(local[1]);
}
static void datagram_wait(void)
{
	read_byte(datagrams[0]);
}
static void datagram_act(void)
{
	write_later(datagrams[1]);
}
static void stream_wait(void)
{
	read_byte(stream[0]);
}
static void stream_act(void)
{
	write_later(stream[1]);
}
static void accept_wait(void)
{
	close(accept(listener, NULL, NULL));
}

static void accept_act(void)
{
	int socket_of = socket(AF_INET, SOCK_STREAM, 0);

	rest();
	connect(socket_of, (struct sockaddr *)&place, sizeof(place));
	close(socket_of);
}

static void epoll_sleep(void)
{
	struct epoll_event event;

	epoll_wait(poller, &event, 1, 3);
}

static void poll_sleep(void)
{
	struct pollfd file = { .fd = poller, .events = POLLIN };

	poll(&file, 1, 3);
}

static void select_sleep(void)
{
	struct timeval soon = { .tv_usec = 3000 };

	select(0, NULL, NULL, NULL, &soon);
}

static void counter_wait(void)
{
	uint64_t number;

	(void)!read(counter, &number, sizeof(number));
}

static void counter_act(void)
{
	uint64_t one = 1;

	rest();
	(void)!write(counter, &one, sizeof(one));
}

static void timer_sleep(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = PAUSE };
	uint64_t number;

	timerfd_settime(timer, 0, &soon, NULL);
	(void)!read(timer, &number, sizeof(number));
}

static void signalfd_wait(void)
{
	struct signalfd_siginfo got;

	(void)!read(signals, &got, sizeof(got));
}

static void signalfd_act(void)
{
	rest();
	kill(getpid(), SIGRTMIN);
}

static void sigwait_sleep(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	sigtimedwait(&set, NULL, &pause_time);
}

static void watch_wait(void)
{
	char events[1024];

	(void)!read(watch, events, sizeof(events));
}

static void watch_act(void)
{
	char name[100];

	rest();
	snprintf(name, sizeof(name), "%s/watched", folder);
	close(open(name, O_CREAT | O_RDWR, 0600));
}

static void child_sleep(void)
{
	pid_t pid = fork();

	if (!pid) {
		rest();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void vfork_sleep(void)
{
	pid_t pid = vfork();

	if (!pid) {
		rest();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void lock_range(int file, int kind)
{
	struct flock range = { .l_type = (short)kind, .l_whence = SEEK_SET, .l_len = 10 };

	fcntl(file, F_OFD_SETLKW, &range);
}

static void range_both(int file)
{
	lock_range(file, F_WRLCK);
	rest();
	lock_range(file, F_UNLCK);
}

static void range_wait(void)
{
	range_both(files[0]);
}
static void range_act(void)
{
	range_both(files[1]);
}

static void whole_both(int file)
{
	flock(file, LOCK_EX);
	rest();
	flock(file, LOCK_UN);
}

static void whole_wait(void)
{
	whole_both(files[2]);
}
static void whole_act(void)
{
	whole_both(files[3]);
}

static void semop_wait(void)
{
	struct sembuf down = { .sem_op = -1 };

	semop(semaphores, &down, 1);
}

static void semop_act(void)
{
	struct sembuf up = { .sem_op = 1 };

	rest();
	semop(semaphores, &up, 1);
}

static void message_wait(void)
{
	struct message message;

	msgrcv(messages, &message, sizeof(message.text), 0, 0);
}

static void message_act(void)
{
	struct message message = { 1, "" };

	rest();
	msgsnd(messages, &message, sizeof(message.text), 0);
}

static void queue_wait(void)
{
	char text[32];

	mq_receive(queue, text, sizeof(text), NULL);
}

static void queue_act(void)
{
	rest();
	mq_send(queue, "", 1, 0);
}

static void terminal_wait(void)
{
	read_byte(terminal[1]);
}

static void terminal_act(void)
{
	rest();
	(void)!write(terminal[0], "\n", 1);
}

static void aio_sleep(void)
{
	struct timespec soon = pause_time;
	struct io_event event;

	syscall(SYS_io_getevents, requests, 1, 1, &event, &soon);
}

static void sync_sleep(void)
{
	char name[100], bytes[4096] = "";
	int file;

	snprintf(name, sizeof(name), "%s/synced", folder);
	file = open(name, O_CREAT | O_RDWR, 0600);
	(void)!write(file, bytes, sizeof(bytes));
	fsync(file);
	close(file);
}

static void mutex_both(void)
{
	pthread_mutex_lock(&pool->guard);
	rest();
	pthread_mutex_unlock(&pool->guard);
}

static void rwlock_wait(void)
{
	pthread_rwlock_rdlock(&pool->table);
	pthread_rwlock_unlock(&pool->table);
}

static void rwlock_act(void)
{
	pthread_rwlock_wrlock(&pool->table);
	rest();
	pthread_rwlock_unlock(&pool->table);
}

static void condition_sleep(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += PAUSE;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&pool->changed, &mutex, &soon);
	pthread_mutex_unlock(&mutex);
}

static void items_wait(void)
{
	sem_wait(&pool->items);
}

static void items_act(void)
{
	rest();
	sem_post(&pool->items);
}

static void barrier_wait(void)
{
	pthread_barrier_wait(&pool->start);
}

static void barrier_act(void)
{
	rest();
	pthread_barrier_wait(&pool->start);
}

static void word_sleep(void)
{
	syscall(SYS_futex, &pool->word, FUTEX_WAIT, 0, &pause_time, NULL, 0);
}

static void *rest_once(void *argument)
{
	rest();
	return argument;
}

static void join_sleep(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, rest_once, NULL))
		pthread_join(thread, NULL);
}

#define SOCKET "struct (sock|unix_sock|socket_wq|socket_alloc|tcp_sock|inet_sock)\\b"

static const struct kind {
	const char *name;
	void (*wait)(void);
	void (*act)(void); /* a second thread's, or NULL */
	const char *truth; /* what the first one waits for */
} kinds[] = {
	{ "pipe", pipe_wait, pipe_act, "struct pipe_inode_info .*rd_wait" },
	{ "local", local_wait, local_act, SOCKET },
	{ "datagram", datagram_wait, datagram_act, SOCKET },
	{ "stream", stream_wait, stream_act, SOCKET },
	{ "accept", accept_wait, accept_act, SOCKET },
	{ "epoll", epoll_sleep, NULL, "struct eventpoll .*wq" },
	{ "poll", poll_sleep, NULL, "struct poll_wqueues" },
	{ "select", select_sleep, NULL, "struct poll_wqueues" },
	{ "sleep", rest, NULL, "struct hrtimer_sleeper" },
	{ "counter", counter_wait, counter_act, "struct eventfd_ctx .*wqh" },
	{ "timerfd", timer_sleep, NULL, "struct timerfd_ctx .*wqh" },
	{ "signalfd", signalfd_wait, signalfd_act, "struct sighand_struct .*signalfd_wqh" },
	{ "sigwait", sigwait_sleep, NULL, "\\(signal\\)" },
	{ "watch", watch_wait, watch_act, "struct fsnotify_group .*notification_waitq" },
	{ "child", child_sleep, NULL, "struct signal_struct .*wait_chldexit" },
	{ "vfork", vfork_sleep, NULL,
	  "struct task_struct .*vfork_done|struct signal_struct .*wait_chldexit" },
	{ "range", range_wait, range_act, "struct file_lock .*wait" },
	{ "whole", whole_wait, whole_act, "struct file_lock .*wait" },
	{ "semop", semop_wait, semop_act, "struct sem_array" },
	{ "message", message_wait, message_act, "struct msg_queue .*q_receivers" },
	{ "queue", queue_wait, queue_act, "struct mqueue_inode_info" },
	{ "terminal", terminal_wait, terminal_act, "struct tty_struct .*read_wait" },
	{ "aio", aio_sleep, NULL, "struct kioctx .*wait" },
	{ "sync", sync_sleep, NULL,
	  "struct (journal_s|folio|bio|inode|buffer_head|page|request)\\b" },
	{ "mutex", mutex_both, mutex_both, "struct pool .*guard" },
	{ "rwlock", rwlock_wait, rwlock_act, "struct pool .*table" },
	{ "condition", condition_sleep, NULL, "struct pool .*changed" },
	{ "items", items_wait, items_act, "struct pool .*items" },
	{ "barrier", barrier_wait, barrier_act, "struct pool .*start" },
	{ "word", word_sleep, NULL, "struct pool .*word" },
	{ "join", join_sleep, NULL, "struct pthread" },
};

#define COUNT (sizeof(kinds) / sizeof(*kinds))

static void *sleep_often(void *argument)
{
	const struct kind *kind = argument;

	prctl(PR_SET_NAME, kind->name);
	for (;;)
		kind->wait();
	return NULL;
}

static void *wake_often(void *argument)
{
	const struct kind *kind = argument;

	prctl(PR_SET_NAME, kind->act == kind->wait ? kind->name : "other");
	for (;;)
		kind->act();
	return NULL;
}

static void prepare(void)
{
	struct mq_attr size = { .mq_maxmsg = 8, .mq_msgsize = 32 };
	struct termios raw;
	socklen_t length = sizeof(place);
	char name[100];

	pool = calloc(1, sizeof(*pool));
	pthread_barrier_init(&pool->start, NULL, 2);
	(void)!pipe(pipes);
	socketpair(AF_UNIX, SOCK_STREAM, 0, local);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams);
	place = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (struct sockaddr *)&place, length);
	listen(listener, 9);
	getsockname(listener, (struct sockaddr *)&place, &length);
	stream[0] = socket(AF_INET, SOCK_STREAM, 0);
	connect(stream[0], (struct sockaddr *)&place, sizeof(place));
	stream[1] = accept(listener, NULL, NULL);
	poller = epoll_create1(0);
	counter = eventfd(0, 0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	sigemptyset(&queued);
	for (int i = 0; i < 2; i++)
		sigaddset(&queued, SIGRTMIN + i);
	sigprocmask(SIG_BLOCK, &queued, NULL);
	sigdelset(&queued, SIGRTMIN + 1);
	signals = signalfd(-1, &queued, 0);
	watch = inotify_init1(0);
	inotify_add_watch(watch, folder, IN_OPEN);
	snprintf(name, sizeof(name), "%s/locked", folder);
	for (int i = 0; i < 4; i++)
		files[i] = open(name, O_CREAT | O_RDWR, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	messages = msgget(IPC_PRIVATE, 0600);
	queue = mq_open("/kernel_sleeps", O_CREAT | O_RDWR, 0600, &size);
	syscall(SYS_io_setup, 8, &requests);
	terminal[0] = posix_openpt(O_RDWR | O_NOCTTY);
	grantpt(terminal[0]);
	unlockpt(terminal[0]);
	if (!ptsname_r(terminal[0], name, sizeof(name)))
		terminal[1] = open(name, O_RDWR | O_NOCTTY);
	tcgetattr(terminal[1], &raw);
	cfmakeraw(&raw);
	tcsetattr(terminal[1], TCSANOW, &raw);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	for (size_t i = 0; !strcmp(argv[1], "--truth") && i < COUNT; i++)
		printf("%s %s|struct hrtimer_sleeper|struct mm_struct .*mmap_lock\n", kinds[i].name,
		       kinds[i].truth);
	if (!strcmp(argv[1], "--truth"))
		return 0;
	folder = argc > 2 ? argv[2] : folder;
	prepare();
	for (size_t i = 0; i < COUNT; i++) {
		pthread_create(&thread, NULL, sleep_often, (void *)&kinds[i]);
		if (kinds[i].act)
			pthread_create(&thread, NULL, wake_often, (void *)&kinds[i]);
	}
	sleep((unsigned)atoi(argv[1]));
	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	mq_unlink("/kernel_sleeps");
	return 0;
}
