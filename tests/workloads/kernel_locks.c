// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_locks SECONDS: threads and processes that wait for locks of the kernel, of all kinds: maps
 * of one process, pipes, sockets, files of one folder, one open file, processes that begin and end,
 * signals, semaphores and message queues.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 3 /* of each kind */

static time_t end;
static int pipes[2], sockets[2], file, semaphores, poller;
static char folder[] = "/tmp/kernel_locks.XXXXXX";

static void use_maps(int number)
{
	size_t size = 64 << 10;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; memory != MAP_FAILED && i < size; i += 4096)
		memory[i] = (char)number;
	munmap(memory, size);
}

static void use_pipe(int number)
{
	char bytes[512] = { 0 };

	if (number % 2)
		(void)!read(pipes[0], bytes, sizeof(bytes));
	else
		(void)!write(pipes[1], bytes, sizeof(bytes));
}

static void use_socket(int number)
{
	char bytes[256] = { 0 };

	(void)!send(sockets[number % 2], bytes, sizeof(bytes), MSG_DONTWAIT);
	(void)!recv(sockets[(number + 1) % 2], bytes, sizeof(bytes), MSG_DONTWAIT);
}

static void use_folder(int number)
{
	char name[100], other[100];

	snprintf(name, sizeof(name), "%s/%d", folder, number);
	snprintf(other, sizeof(other), "%s/%d.new", folder, number);
	close(open(name, O_CREAT | O_RDWR, 0600));
	rename(name, other);
	unlink(other);
}

static void use_file(int number)
{
	char bytes[4096] = { (char)number };

	(void)!write(file, bytes, sizeof(bytes));
	if (lseek(file, 0, SEEK_CUR) > 1 << 20)
		lseek(file, 0, SEEK_SET);
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

static void use_signals(int number)
{
	kill(getpid(), number % 2 ? SIGUSR1 : SIGUSR2);
}

static void use_semaphores(int number)
{
	struct sembuf change = { .sem_num = 0,
				 .sem_op = number % 2 ? 1 : -1,
				 .sem_flg = IPC_NOWAIT };

	semop(semaphores, &change, 1);
}

static void use_poller(int number)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT, .data.u32 = (unsigned)number };

	epoll_ctl(poller, EPOLL_CTL_ADD, sockets[number % 2], &event);
	epoll_wait(poller, &event, 1, 0);
	epoll_ctl(poller, EPOLL_CTL_DEL, sockets[number % 2], NULL);
}

static void (*const uses[])(int number) = { use_maps,    use_pipe,       use_socket,
					    use_folder,  use_file,       use_processes,
					    use_signals, use_semaphores, use_poller };

static void *work(void *argument)
{
	int number = (int)(size_t)argument;

	while (time(NULL) < end)
		for (int i = 0; i < 20; i++)
			uses[number / WORKERS](number % WORKERS);
	return NULL;
}

static void ignore(int number)
{
	(void)number;
}

int main(int argc, char **argv)
{
	enum { COUNT = sizeof(uses) / sizeof(*uses) * WORKERS };
	pthread_t threads[COUNT];
	char name[100];

	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
	signal(SIGUSR1, ignore);
	signal(SIGUSR2, ignore);
	if (!mkdtemp(folder) || pipe2(pipes, O_NONBLOCK) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	snprintf(name, sizeof(name), "%s/file", folder);
	file = open(name, O_CREAT | O_RDWR, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	poller = epoll_create1(0);
	/* a second process, which shares the files but not the memory */
	pid_t pid = fork();

	for (size_t i = 0; i < COUNT; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (size_t i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	if (!pid)
		return 0;
	waitpid(pid, NULL, 0);
	semctl(semaphores, 0, IPC_RMID);
	unlink(name);
	rmdir(folder);
	return 0;
}
