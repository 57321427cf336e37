#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the README's two commands, `make demo` and `make check`, as on a new machine: in a minimal Debian that debootstrap
# makes in a temporary folder, on a clone of the commit.
#
#   root.sh SUITE       bookworm, sid ...; the last line is that of `make check`, the exit status is theirs, or
#                       77 with the reason if no such Debian can be made here
#
# Everything is mounted in a mount namespace of its own: the mounts end with the programs that use them, however these
# end, and the temporary folder is removed where they were never seen.
set -u

suite=${1:?suite}
top=$(cd "$(dirname "$0")/../.." && pwd)

cannot() {
	echo "dtprof: no Debian $suite can be made here: $*"
	exit 77
}

# ---- in the mount namespace: root.sh SUITE --inside ROOT MIRROR

inside() {
	local root=$1 mirror=$2 start=$SECONDS place

	# dpkg waits for the disk after each file; a root that lives for minutes needs no such care.
	if ! debootstrap --variant=minbase --include=git,make,ca-certificates --foreign --keyring="$keyring" "$suite" \
		"$root" "$mirror" >"$root.log" 2>&1 ||
		! echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" ||
		! chroot "$root" /debootstrap/debootstrap --second-stage >>"$root.log" 2>&1; then
		tail -n 5 "$root.log"
		cannot "debootstrap failed (above)"
	fi
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/snapshot" # the mirror may be one
	mount --bind "$root" "$root" || cannot "the root cannot be mounted"
	for place in proc sys dev; do
		mount --rbind "/$place" "$root/$place" || cannot "/$place cannot be mounted in the root"
	done
	git clone --quiet --no-checkout "$top" "$root/root/dtprof" || return 1
	git -C "$root/root/dtprof" checkout --quiet --detach "$(git -C "$top" rev-parse HEAD)" || return 1
	echo "dtprof: a minimal Debian $suite took $((SECONDS - start)) s"

	# Not by chroot, in which no user namespace can be made.
	cd "$root" && mkdir old && pivot_root . old && cd / && umount --lazy /old && rmdir /old || cannot "the root cannot be changed"
	# Packages start no servers in it.
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d
	for command in demo check; do
		start=$SECONDS
		# `make check` installs no server; where the archive has this one, the tests of stores start it.
		[ $command = demo ] || apt-get -q install -y --no-install-recommends clickhouse-server >/dev/null 2>&1
		env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			${http_proxy:+http_proxy="$http_proxy"} ${CI:+CI="$CI"} \
			sh -c 'cd /root/dtprof && exec make "$1"' sh "$command" || return 1
		echo "dtprof: make $command took $((SECONDS - start)) s"
	done
}

if [ "${2:-}" = --inside ]; then
	shift 2
	inside "$@"
	exit
fi

# ---- outside

# Lines "URI" of Debian's own packages, as this machine's apt gets them.
mirrors() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null; }

[ "$(id -u)" -eq 0 ] || cannot "only root can"
command -v apt-get >/dev/null || cannot "there is no apt-get"
export keyring=/usr/share/keyrings/debian-archive-keyring.gpg DEBIAN_FRONTEND=noninteractive
apt="apt-get -q -o DPkg::Lock::Timeout=300"
[ -n "$(mirrors)" ] && command -v debootstrap >/dev/null || $apt update >/dev/null 2>&1
[ -f "$keyring" ] && command -v debootstrap >/dev/null && command -v git >/dev/null ||
	$apt install -y --no-install-recommends debootstrap debian-archive-keyring git ca-certificates >/dev/null 2>&1 ||
	cannot "debootstrap cannot be installed"
mirror=$(mirrors | head -n 1)
[ -n "$mirror" ] || cannot "apt knows no mirror of Debian"
unshare --mount true 2>/dev/null || cannot "this machine gives no mount namespace"

folder=$(mktemp -d "${TMPDIR:-/tmp}/dtprof-root.XXXXXX") || exit 1
mkdir "$folder/root"
: >"$folder/output"
child=
# The programs inside are one session, so that a signal ends them all.
clean_up() {
	[ -z "$child" ] || kill -- -"$child" 2>/dev/null
	rm -rf --one-file-system "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# Shells ignore SIGINT in what they start in the background.
env --default-signal=INT,QUIT setsid unshare --mount "$0" "$suite" --inside "$folder/root" "$mirror" </dev/null >"$folder/output" 2>&1 &
child=$!
tail --pid=$child -n +1 -f "$folder/output" &
wait $child
status=$?
child=
wait
grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$folder/output" | tail -n 1
exit $status
