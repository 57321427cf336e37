#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libstdc++ 12 lets a thread that waits for an atomic<long> or a barrier wait at a word of its own table, which objects share.
#
# Guess: the address that futex(2) gets when a thread waits in std::atomic<T>::wait() or std::barrier::arrive_and_wait() is that of
#        the object, as it is for pthreads' mutexes and for std::atomic<int>, so that the address tells what threads wait for.
# Seen:  only an atomic of 4 bytes is waited for at its own address. All others, and std::barrier, whose phase is one byte, wait at
#        `_M_ver` of one of the 16 elements of a static table, which bits 2 to 5 of the object's address choose: two objects that are
#        64 bytes apart have one word, and a thread that is woken for the one wakes for the other.
#
# Installs Debian 12's g++-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "g++-12=$version" "gcc-12=$version" "cpp-12=$version" "libstdc++-12-dev=$version" "libgcc-12-dev=$version" \
	"libstdc++6=$version" libc6-dev linux-libc-dev libcrypt-dev libisl23 libmpc3 libmpfr6 libgmp10 binutils binutils-x86-64-linux-gnu \
	libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0 strace libunwind8
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >waits.cc <<'CC'
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <thread>
using namespace std::chrono_literals;
struct alignas(64) cell { std::atomic<long> large{ 0 }; } cells[2];
std::atomic<int> word{ 0 };
std::barrier<> both{ 2 };
template <class Wait, class Wake> void pair(const char *name, const void *object, size_t size, Wait wait, Wake wake)
{
	printf("%s %p %zu\n", name, object, size);
	fflush(stdout);
	std::thread waiter(wait);
	std::this_thread::sleep_for(200ms);
	wake();
	waiter.join();
}
int main()
{
	pair("int", &word, sizeof(word), [] { word.wait(0); }, [] { word = 1; word.notify_all(); });
	pair("long", &cells[0], sizeof(long), [] { cells[0].large.wait(0); }, [] { cells[0].large = 1; cells[0].large.notify_all(); });
	pair("next", &cells[1], sizeof(long), [] { cells[1].large.wait(0); }, [] { cells[1].large = 1; cells[1].large.notify_all(); });
	pair("barrier", &both, sizeof(both), [] { both.arrive_and_wait(); }, [] { both.arrive_and_wait(); });
}
CC
g++-12 --version | head -1
g++-12 -std=c++20 -O2 -pthread waits.cc -o waits
strace -f -qq -e trace=write,futex -o calls ./waits >objects
cat objects
# of each object, the first word that a thread waits at after its line is written
awk '/write\(1, "/ { split($0, part, "\""); split(part[2], word, " "); name = word[1] }
	/FUTEX_WAIT, / && name { match($0, /0x[0-9a-f]+/); print name, substr($0, RSTART, RLENGTH); name = "" }' calls | tee words
python3 - <<'PYTHON'
objects = {name: (int(at, 16), int(size)) for name, at, size in map(str.split, open("objects"))}
words = {name: int(at, 16) for name, at in map(str.split, open("words"))}
inside = {name: objects[name][0] <= words[name] < sum(objects[name]) for name in objects}
print("waits in the object:", inside, "one word for both:", words["long"] == words["next"])
assert inside == {"int": True, "long": False, "next": False, "barrier": False} and words["long"] == words["next"]
PYTHON
