#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clang 14 describes the frame of a coroutine on the caller's stack only for the code that makes it, not for the code that uses it.
#
# Guess: a generator whose handle stays in a function has its frame on that function's stack (no call of operator new), and clang
#        describes it there: __coro_frame, with the promise, is in scope as long as the function uses it.
# Seen:  the frame is a variable of the inlined call of the coroutine, whose code ends before the first resume. The loop that
#        resumes the coroutine reads the frame twice in each iteration, h.done() and h.promise(), where the frame is out of scope: a
#        debugger or profiler has nothing for the place, or takes the next object that the compiler keeps there.
#
# Installs Debian 12's clang-14 and llvm-14 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=1:14.0.6-12
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "clang-14=$version" "libclang-cpp14=$version" "libllvm14=$version" "libclang-common-14-dev=$version" "llvm-14=$version" \
	binutils binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0 libedit2 libbsd0 libmd0 libxml2 libicu72 \
	libz3-4 libtinfo6 libffi8
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-14/lib
export PATH=$folder/root/usr/bin:$folder/root/usr/lib/llvm-14/bin:$PATH

# what is needed of <coroutine>, and a generator in a loop
cat >rows.cc <<'CC'
namespace std {
template <class T, class... A> struct coroutine_traits {
	using promise_type = typename T::promise_type;
};
template <class P = void> struct coroutine_handle;
template <> struct coroutine_handle<void> {
	void *frame;
	static coroutine_handle from_address(void *at) noexcept { return { at }; }
};
template <class P> struct coroutine_handle : coroutine_handle<void> {
	static coroutine_handle from_address(void *at) noexcept { return { { at } }; }
	static coroutine_handle from_promise(P &p) { return { { __builtin_coro_promise(&p, alignof(P), true) } }; }
	P &promise() const { return *(P *)__builtin_coro_promise(frame, alignof(P), false); }
	void resume() const { __builtin_coro_resume(frame); }
	bool done() const { return __builtin_coro_done(frame); }
	void destroy() const { __builtin_coro_destroy(frame); }
};
struct suspend_always {
	bool await_ready() noexcept { return false; }
	void await_suspend(coroutine_handle<>) noexcept {}
	void await_resume() noexcept {}
};
}
struct row {
	long key, flags;
};
struct rows {
	struct promise_type {
		row *current;
		rows get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(row *r) { current = r; return {}; }
		void unhandled_exception() {}
		void return_void() {}
	};
	std::coroutine_handle<promise_type> handle;
	~rows() { handle.destroy(); }
	bool next() { handle.resume(); return !handle.done(); }
};
void log(long seen);
static rows scan(row *first, long count)
{
	long seen = 0;
	for (long i = 0; i < count; i++) {
		if (!(first[i].flags & 1))
			continue;
		seen++;
		co_yield &first[i];
	}
	log(seen);
}
extern "C" long sum(row *first, long count)
{
	long total = 0;
	rows all = scan(first, count);
	while (all.next())
		total += all.handle.promise().current->key;
	return total;
}
CC
clang -std=c++20 -O2 -g -c rows.cc -o rows.o
llvm-dwarfdump rows.o >described
# the place of the frame in bytes from the stack pointer, and the end of the code of its scope
read -r place scope_end < <(awk '
	/DW_TAG_inlined_subroutine/ { end = "" }
	/DW_AT_high_pc/ { end = $2 }
	/\[0x.*, 0x.*\)/ { end = $2 }
	/DW_OP_fbreg \+[0-9]+\)/ { place = $3 }
	/__coro_frame/ && place && end { gsub(/[^0-9a-fx]/, "", place); gsub(/[^0-9a-fx]/, "", end); print place, end; exit }' described)
echo "the frame is at $place(%rsp), in scope before $scope_end"
# the loop, from the call of the coroutine on: done() is the word at the frame, the promise is 16 bytes after it
objdump -d --no-show-raw-insn rows.o | awk '/<sum>:/ { found = 1 } /^$/ { found = 0 } found' >code
done_at=$(awk -v operand="$(printf '0x%x(%%rsp)' "$place")" '/cmpq/ && index($0, "," operand) { sub(":", "", $1); print $1 }' code)
promise_at=$(awk -v operand="$(printf '0x%x(%%rsp)' $((place + 16)))" '$2 == "mov" && index($3, operand) == 1 { sub(":", "", $1); print $1 }' code)
echo "h.done() reads it at 0x$done_at, h.promise() at 0x$promise_at"
! objdump -dr rows.o | grep -q _Znwm && ((0x$done_at >= scope_end && 0x$promise_at >= scope_end))
