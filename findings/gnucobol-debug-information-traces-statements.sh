#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# GnuCOBOL's -g makes a program several times slower, and without it the debug information is stripped.
#
# Guess: -g adds debug information and leaves the code as it is, as C's does, so that a profile of the -g build is one of the program;
#        -A -g hands -g to the C compiler alone, which comes to the same.
# Seen:  cobc 3.1 -g also records where the program is: it stores the line and calls cob_trace_stmt() of libcob before each statement.
#        A loop with one ADD takes more than twice the time (five to six times here), most of it in the tracer, of which the
#        source has nothing. With -A -g there are no calls, but cobc ends with strip: no debug information is left. A profile
#        of the program itself takes "cobc -x -c -A -g" and a link without cobc.
#
# Installs Debian 12's gnucobol3 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

cobol_version=3.1.2-5+b1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download "gnucobol3=$cobol_version" "libcob4=$cobol_version" "libcob4-dev=$cobol_version" libgmp10 libgmp-dev \
	libdb5.3 libncursesw6 libtinfo6 libjson-c5 libxml2 libicu72 gcc-12=12.2.0-14+deb12u1 cpp-12=12.2.0-14+deb12u1 libgcc-12-dev libisl23 \
	libmpc3 libmpfr6 libc6-dev linux-libc-dev libc6 binutils binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu PATH=$usr/bin:$PATH
export COB_CC=$usr/bin/gcc-12 COB_CFLAGS="-I$usr/include -w -pipe" COB_LDFLAGS="-L$usr/lib/x86_64-linux-gnu" COB_LIBS=-lcob
export COB_CONFIG_DIR=$folder/root/etc/gnucobol COB_COPY_DIR=$usr/share/gnucobol/copy COB_RUNTIME_CONFIG=/dev/null

cat >pay.cob <<'COBOL'
       IDENTIFICATION DIVISION.
       PROGRAM-ID. PAYROLL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 EMPLOYEES.
          05 EMP OCCURS 2000 TIMES.
             10 EMP-ID PIC 9(8) COMP-5 VALUE 1.
             10 EMP-NAME PIC X(30).
       01 I PIC 9(8) COMP-5.
       01 R PIC 9(8) COMP-5.
       01 TOTAL PIC 9(18) COMP-5 VALUE 0.
       PROCEDURE DIVISION.
           PERFORM VARYING R FROM 1 BY 1 UNTIL R > 100000
             PERFORM VARYING I FROM 1 BY 1 UNTIL I > 2000
               ADD EMP-ID(I) TO TOTAL
             END-PERFORM
           END-PERFORM
           DISPLAY TOTAL
           STOP RUN.
COBOL
cobc -x -O2 -g -o with-g pay.cob
cobc -x -O2 -A -g -o with-A-g pay.cob
cobc -x -c -O2 -A -g -o pay.o pay.cob
$COB_CC -L"$usr/lib/x86_64-linux-gnu" -o linked pay.o -lcob
calls() { objdump -d "$1" | grep -c 'call.*<cob_trace_stmt@plt>' || :; }
units() { readelf --debug-dump=info "$1" | grep -c 'DW_TAG_compile_unit' || :; }
hundredths() { # PROGRAM: its time in user space
	local TIMEFORMAT=%2U
	{ time "./$1" >/dev/null; } 2>&1 | tr -d .
}
for program in with-g with-A-g linked; do
	hundredths "$program" >"$program.time"
	echo "$program: $(calls "$program") calls of the tracer, $(units "$program") units of debug information," \
		"$(cat "$program.time") hundredths of a second"
done
(($(calls with-g) >= 3)) && (($(units with-g) > 0)) && (($(calls with-A-g) == 0)) && (($(units with-A-g) == 0)) &&
	(($(calls linked) == 0)) && (($(units linked) > 0)) && ((10#$(cat with-g.time) > 2 * 10#$(cat linked.time)))
