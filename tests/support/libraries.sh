#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints the files of the libraries that a program is linked with, its loader, and capstone, which dtprof opens only when it
# decodes: all that a copy of the program needs elsewhere.
#
#   libraries.sh PROGRAM [ROOT]      PROGRAM, and what is printed, are paths in ROOT (default: /)
inside() { if [ "$1" = / ]; then "${@:2}"; else chroot "$@"; fi; }

program=$1 root=${2:-/}
inside "$root" ldd "$program" | grep -o '/[^ ]*'
capstone=$(grep -ao 'libcapstone\.so\.[0-9]*' "$root/$program" | head -1)
[ -z "$capstone" ] || inside "$root" /sbin/ldconfig -p | grep -o "/.*/${capstone//./\\.}\$"
