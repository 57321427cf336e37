#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the binary seeds were made (gcc 12.2, Debian 12); run in this folder to make them again.
set -eu

program='
struct node { struct node *next; int key; } first;
__thread int own = 1;
extern int other(void) __attribute__((weak));
int find(struct node *node) { return node ? node->key + own + (other ? other() : 0) : 0; }
void _start(void) { find(&first); }'

echo "$program" | gcc -g -O1 -c -xc - -o elf_image/object
echo "$program" | gcc -g -O1 -nostdlib -fPIE -pie -Wl,-z,noseparate-code,--build-id -xc - -o elf_image/pie
echo "$program" | gcc -O1 -nostdlib -shared -fPIC -s -Wl,-z,noseparate-code -xc - -o elf_image/shared
objcopy -O binary -j .text elf_image/pie decoder/code
