#!/bin/bash
# Tests types and ksymwatch explain: here with debug info of our own file
# (ksymwatch-types.c), in the machine with that of the kernel. The program is built with
# the sanitizers.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"

kernel=$KSYM_BUILD/linux-ksym
cd "$scratch"
export LSAN_OPTIONS=suppressions=$scratch/leaks:print_suppressions=0
build_sanitized

# --- Our own file ----------------------------------------------------------------------------

compile() { gcc -g -gdwarf-5 -O2 -Wall -mcmodel=kernel -fno-pic -fcf-protection=none "$@"; }
compile -c "$tests_folder/ksymwatch-types.c" -o one.o
compile -DTWIN -c "$tests_folder/ksymwatch-types.c" -o two.o
cat >link.lds <<'END'
SECTIONS {
	. = 0xffffffff81000000; _text = .;
	.text : { *(.text*) }
	. = 0xffffffff81100000; __start_rodata = .;
	.rodata : { *(.rodata*) }
	__end_rodata = .; . = 0xffffffff81200000;
	.data : { *(.data*) }
	.bss : { *(.bss*) }
	/DISCARD/ : { *(.comment) *(.note*) *(.eh_frame) }
}
END
ld -T link.lds one.o two.o -o vmlinux
cp vmlinux btf
LLVM_OBJCOPY=objcopy pahole -J btf
# The symbols of a kernel that was relocated by 64 MB.
nm vmlinux | sort | sed 's/^ffffffff81/ffffffff85/' >kallsyms

# Runs explain and sets $status and $out.
explain() {
	status=0
	out=$("$sanitized/ksymwatch" explain --kallsyms kallsyms --vmlinux vmlinux --btf btf "$@" 2>&1) || status=$?
}
# Prints the rows $1 (as in "type|line") of the output, a line per target.
rows() {
	explain "${@:2}"
	awk -v "rows=^($1)$" '/^[^ ]/ { printf("%s%s", n++ ? "\n" : "", $0); next }
		$1 ~ rows { r = $1; $1 = ""; printf(" |%s", $0) } END { print "" }' <<<"$out" |
		sed 's/: can be watched/:/; s/(by vmlinux)/(DWARF)/; s/(by btf)/(BTF)/'
}

explain 'object.points[1]'
is 'explain prints all fields' "$status $out" "0 object.points[1]: can be watched
  symbol    object
  module    - (the kernel itself)
  section   .data
  size      80 bytes up to the next symbol
  is        object_t, of 80 bytes
  address   0xffffffff8520024c
  type      struct point (by vmlinux)
  members   .x, .y
  watches   writes to 4 bytes
  registers 1 on each CPU
  line      (object_t)object.points[1]:w len=4"

is 'members of all kinds' "$(rows 'type|line' object.id object.kind object.colour object.unnamed object.pointer \
	'object.grid[1][2]' 'objects->next->id' 'list[2].id' 'list[3].next->name' 'use[1]' elsewhere.b)" \
'object.id: | u32 (DWARF) | (object_t)object.id:w len=4
object.kind: | u32 : 3 (DWARF) | (object_t)object.kind:w len=1 changed
object.colour: | enum colour : 4 (DWARF) | (object_t)object.colour:w len=1 changed
object.unnamed: | int (DWARF) | (object_t)object.unnamed:w len=4
object.pointer: | void * (DWARF) | (object_t)object.pointer:w len=8
object.grid[1][2]: | u8 (DWARF) | object+0x39:w len=1 name=object_grid_1_2
objects->next->id: | u32 (DWARF) | (struct object *)objects->next->id:w len=4
list[2].id: | u32 (DWARF) | (struct object)list[2].id:w len=4
list[3].next->name: can'"'"'t be watched: '"$(ksym_errors <<<%RANGE%)"'
use[1]: | void * (DWARF) | use+0x8:w len=8 name=use_1
elsewhere.b: | int (DWARF) | (struct defined_elsewhere)elsewhere.b:w len=4'

is 'variables of all kinds, with the length of their type' "$(rows 'type|line' number colour level flags boolean \
	letter string strings function table matrix real text)" \
'number: | int (DWARF) | number:w len=4
colour: | enum colour (DWARF) | colour:w len=4
level: | enum level (DWARF) | level:w len=4
flags: | enum flags (DWARF) | flags:w len=4
boolean: | bool (DWARF) | boolean:w len=1
letter: | char (DWARF) | letter:w len=1
string: | char * (DWARF) | string:w len=8
strings: | char *[2] (DWARF) | strings:w len=8
function: | function * (DWARF) | function:w len=8
table: | int (*)[4] (DWARF) | table:w len=8
matrix: | u8 [2][3] (DWARF) | matrix:w len=8
real: | double (DWARF) | real:w len=8
text: | char [64] (DWARF) | text:w len=8'

is 'two variables with the same name, and one of a function' "$(rows 'is|line' twin twin@1 twin@2 counter.0)" \
"twin: can't be watched: $(ksym_errors <<<%AMBIGUOUS%)
twin@1: | struct point, of 4 bytes | twin@1:w len=8
twin@2: | long int [2], of 16 bytes | twin@2:w len=8
counter.0: | int, of 4 bytes | counter.0:w len=4"

is 'offsets, addresses and casts' "$(rows 'type|members|watches|line' object+0x2a object+4:rw len=2 0xffffffff85200061 len=3 \
	'(struct point)text[2].y' '(enum colour)number' object+0x27:w 'len=7' name=odd flexible '(short)text[2]' '(unsigned)number')" \
'object+0x2a: | object_t (DWARF) | .points | writes to 2 bytes | object+0x2a:w len=2
object+4: | object_t (DWARF) | .ready, .kind, .colour, .name | reads of and writes to 2 bytes | object+0x4:rw len=2
0xffffffff85200061: | char [64] (DWARF) | writes to 3 bytes: 1 at +0, 2 at +1 | 0xffffffff85200061:w len=3
(struct point)text[2].y: | short int (BTF) | writes to 2 bytes | (struct point)text[2].y:w len=2
(enum colour)number: | enum colour (BTF) | writes to 4 bytes | (enum colour)number:w len=4
object+0x27: | object_t (DWARF) | .number, .pointer, .points | writes to 7 bytes: 1 at +0, 4 at +1, 2 at +5 | object+0x27:w len=7 name=odd flexible
(short)text[2]: | short int (BTF) | writes to 2 bytes | (short)text[2]:w len=2
(unsigned)number: | unsigned int (BTF) | writes to 4 bytes | (unsigned)number:w len=4'

is 'targets that cannot be watched, with the reason' "$(rows 'there' object.nme object.id.x object-\>id number.x 'list[4].id' 'object.kind[0]' \
	objcet objec+ count constant 0x1234 nosuch:var nosuch:var.x '(struct nosuch)text' object.hidden-\>x 'number len=33' \
	'obj*' object+0x10000 'table[0].x' 'constant.id:r' '(struct object)object.points[3].x' '(struct object)object.hidden->x' \
	'(struct twofold)text.value' lett let)" \
"$(ksym_errors <<END
object.nme: can't be watched: at 'nme': %NO_MEMBER%: it has name, next
object.id.x: can't be watched: at 'x': %NOT_STRUCT%: it is of the type unsigned int
object->id: can't be watched: at '->id': %NOT_POINTER%: it is of the type struct object
number.x: can't be watched: at 'x': %NOT_STRUCT%: it is of the type int
list[4].id: can't be watched: at '[4]': %INDEX_RANGE%: it is of the type struct object [4]
object.kind[0]: can't be watched: at '[0]': %NOT_ARRAY%: it is of the type u32
objcet: can't be watched: %NO_SUCH_SYMBOL% | is object
objec+: can't be watched: %BAD_OFFSET%
count: can't be watched: %FUNCTION%
constant: can't be watched: %RODATA%
0x1234: can't be watched: %USER_ADDRESS%
nosuch:var:
nosuch:var.x: can't be watched: 'nosuch' is not loaded, so its types are unknown: cast it, (TYPE)nosuch:var.x
(struct nosuch)text: can't be watched: at 'struct nosuch': %NO_TYPE%
object.hidden->x: can't be watched: at 'x': %INCOMPLETE_TYPE%: it is of the type struct hidden
number: can't be watched: at '33': %WIDE%
obj*: can't be watched: at '*': %GLOB%
object+0x10000: can't be watched: %NOT_KERNEL%
table[0].x: can't be watched: at 'x': %NOT_STRUCT%: it is of the type int [4]
constant.id:
(struct object)object.points[3].x: can't be watched: at '[3]': %INDEX_RANGE%: it is of the type struct point [3]
(struct object)object.hidden->x: can't be watched: at 'x': %INCOMPLETE_TYPE%: it is of the type struct hidden
(struct twofold)text.value: can't be watched: at 'struct twofold': %AMBIGUOUS_TYPE%
lett: can't be watched: %NO_SUCH_SYMBOL% | is letter
let: can't be watched: %NO_SUCH_SYMBOL%
END
)"
is 'a target behind one pointer, or behind several' "$(rows address 'objects->kind' 'objects->next->kind')" \
'objects->kind: | where the pointer leads
objects->next->kind: | where the pointers lead'
# The kernel ends 8 bytes after the last variable begins.
read -r at _ last < <(tail -n 1 kallsyms)
{ cat kallsyms && printf '%x B _end\n' $((0x$at + 8)); } >ended
is "the kernel's last byte can be watched, and no byte after it" \
	"$(rows '' --kallsyms ended "$last+7 len=1" "$last+8 len=1")" "$(ksym_errors <<END
$last+7:
$last+8: can't be watched: %NOT_KERNEL%
END
)"
is 'a list of CPUs' "$(rows line 'number cpu=0,2-3')" 'number: | number:w len=4 cpu=0,2-3'
is 'comments, and options after one' "$(rows line 'number # comment' len=2 'number if comm == "a # b" # comment')" \
'number: | number:w len=2
number: | number:w len=4 if comm == "a # b"'
is 'errors in an access or an option' "$(for spec in number:x number:rwx 'number limit=5' 'number budget=91% pid=1' \
	'number cpu=x' 'number count=0' 'number pid=0' 'number flexible pinned' 'number changed changed' 'number name=9x' \
	'number name=a/filter' 'number inherit' 'number args' 'number args x' '-1 pid=1' 'number:r-- cpu=0-3 limit=5/ms name=a/b'; do
	rows '' "$spec"
done)" \
"$(ksym_errors <<END
number:x: can't be watched: at 'x': %BAD_ACCESS%
number:rwx: can't be watched: at 'rwx': %BAD_ACCESS%
number: can't be watched: at '5': %BAD_LIMIT%
number: can't be watched: at '91%': %BAD_BUDGET%
number: can't be watched: at 'x': %BAD_CPUS%
number: can't be watched: at '0': %BAD_COUNT%
number: can't be watched: at '0': %BAD_PID%
number: can't be watched: at 'pinned': %BOTH_KINDS%
number: can't be watched: at 'changed': %DUP_OPTION%
number: can't be watched: at '9x': %BAD_NAME%
number: can't be watched: at 'a/filter': %RESERVED_NAME%
number: can't be watched: at 'inherit': %INHERIT_PID%
number: can't be watched: %NO_ARGS%
number:
-1: can't be watched: at '1': %NOWHERE_PID%
number:
END
)"
explain object.id nosuch
is 'one error makes the status 1' "$status" 1
explain object.id object.colour
is 'without an error it is 0' "$status" 0

explain --json colour nosuch
# shellcheck disable=SC2001  # of each line
is 'explain as JSON' "$status $(sed 's/"others":.*/.../' <<<"$out")" \
'1 {"type":"target","target":"colour","can_be_watched":true,"reason":null,"symbol":"colour","module":null,"section":".data","percpu":false,"size":4,"addr":"0xffffffff852000ac","copies":[],"pointers":0,"ctype":"enum colour","ctype_from":"vmlinux","members":null,"access":"w","len":4,"registers":[{"offset":0,"len":4}],"cpus":[],"line":"colour:w len=4",...
{"type":"target","target":"nosuch","can_be_watched":false,"reason":"'"$(ksym_errors <<<%NO_SUCH_SYMBOL%)"'","symbol":null,"module":null,"section":null,"percpu":false,"size":null,"addr":null,"copies":[],"pointers":0,"ctype":null,"ctype_from":null,"members":null,"access":"w","len":0,"registers":[],"cpus":[],"line":null,...'

# The same without types.
mv vmlinux linked
is 'a missing file' "$(explain number; echo "$status $out")" '1 ksymwatch: vmlinux: No such file or directory'
strip -o vmlinux linked
is 'a file without debug info' "$(explain number; echo "$status $out")" '1 ksymwatch: vmlinux has no debug info of a kernel'
: >vmlinux
is 'an empty file' "$(explain number; echo "$status $out")" '1 ksymwatch: vmlinux has no debug info of a kernel'
ld -r -o vmlinux one.o two.o
is 'object files' "$(rows 'type' object.name[3] elsewhere.a counter.0 twin@1)" \
'object.name[3]: | char (DWARF)
elsewhere.a: | int (DWARF)
counter.0: | int (DWARF)
twin@1: | not known'
objcopy --compress-debug-sections linked vmlinux
is 'compressed debug info' "$(rows 'type' object.name[3] elsewhere.a)" \
'object.name[3]: | char (DWARF)
elsewhere.a: | int (DWARF)'
clang -gdwarf-5 -O2 -mcmodel=kernel -fno-pic -c "$tests_folder/ksymwatch-types.c" -o clang.o
ld -T link.lds clang.o two.o -o vmlinux
is 'names and addresses in tables, as clang writes them' "$(rows 'type' object.name[3] elsewhere.a)" \
'object.name[3]: | char (DWARF)
elsewhere.a: | int (DWARF)'
compile -gdwarf-4 -c "$tests_folder/ksymwatch-types.c" -o one.o
ld -r -o vmlinux one.o
is 'DWARF of version 4' "$(rows 'type' object.colour objects-\>kind 'object.grid[1]')" \
'object.colour: | enum colour : 4 (DWARF)
objects->kind: | u32 : 3 (DWARF)
object.grid[1]: | u8 [3] (DWARF)'
# DWARF 3 counts a bit-field's place from the last bit of an integer, here without a size: it is the type's.
compile -gdwarf-3 -S -dA "$tests_folder/ksymwatch-types.c" -o one.s
sed -i '/DW_AT_byte_size/{ N; N; /DW_AT_bit_size/s/0xb/0x2fff/ }' one.s
gcc -c one.s -o one.o
ld -r -o vmlinux one.o
is 'bit-fields in DWARF of version 3' "$(rows 'type|members' object.kind bits:w len=1 bits+2:w len=1)" \
'object.kind: | u32 : 3 (DWARF)
bits: | struct bits (DWARF) | .low
bits+2: | struct bits (DWARF) | .high'
# Types such as bool are declared, and nowhere defined: their size becomes a flag.
compile -S -dA "$tests_folder/ksymwatch-types.c" -o one.s
sed -i '/DW_TAG_base_type/,/DW_FORM/{ /DW_AT_byte_size/s/0xb/0x3c/; /DW_FORM/s/0xb/0xc/ }' one.s
gcc -c one.s -o one.o
ld -r -o vmlinux one.o
explain boolean letter real number
is 'base types without a definition have no size' "$status $(sed -n 's/.* has no size: .* of the type //p' <<<"$out" | xargs)" \
	'1 bool char double int'
# Changes bytes of the debug info at random places, the same in each run.
damaged=0
for ((i = 0; i < 40; i++)); do
	read -r offset size < <(readelf -SW linked | awk -v "n=$((i % 3))" '
		/ \.debug_(info|abbrev|str) / { sub(/.*\.debug/, "x"); if (k++ == n) print $4, $5 }')
	python3 - "$i" "$offset" "$size" <<-'END'
		import random, sys
		seed, offset, size = (int(a, 16) for a in sys.argv[1:])
		random.seed(seed)
		file = bytearray(open("linked", "rb").read())
		for _ in range(20):
		    at, n = offset + random.randrange(size - 4), random.randint(1, 4)
		    file[at : at + n] = random.randbytes(n)
		open("vmlinux", "wb").write(file)
	END
	explain object.name 'objects->next->points[1]' elsewhere.b twin@2 counter.0 object+4
	[[ $status -le 1 && $out != *Sanitizer* ]] || { damaged=$((damaged + 1)) && echo "# $i: $out"; }
done
is 'damaged debug info is no crash' "$damaged" 0

for arguments in '--nosuch' '--vmlinux' '' '--json'; do
	# shellcheck disable=SC2086
	explain $arguments
	is "explain $arguments" "$status ${out%% (see*}" "2 ksymwatch: explain: $(
		case $arguments in
		--nosuch) echo "unknown option '--nosuch'" ;;
		--vmlinux) echo "option '--vmlinux' requires an argument" ;;
		*) echo 'missing SPEC' ;;
		esac)"
done

# --- The kernel's own, in the machine ------------------------------------------------------

# A few objects are sufficient as debug info; copying all of it takes a minute.
release=$(<"$kernel/include/config/kernel.release")
ld -r -o objects "$kernel"/init/init_task.o "$kernel"/kernel/{pid,fork,panic}.o
objcopy -O binary --only-section=.notes "$kernel/vmlinux" notes
objcopy --add-section .note.kernel=notes objects vmlinux
objcopy --only-keep-debug "$kernel/vmlinux" symbols
strip --strip-debug symbols
module=$kernel/tools/testing/selftests/ksym/ksym_mod/ksym_mod.ko
run_guest types "$sanitized/ksymwatch" "$scratch/vmlinux:/usr/lib/debug/boot/vmlinux-$release" \
	"$scratch/objects:/ksym/objects" "$scratch/symbols:/ksym/symbols" "$module:/ksym/ksym_mod.ko" \
	"$module:/usr/lib/debug/lib/modules/$release/extra/ksym-mod.ko" || failures=1
exit $((failures != 0))
