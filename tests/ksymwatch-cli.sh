#!/bin/bash
# Tests the parts of ksymwatch that need no kernel, built with the sanitizers: wrong
# arguments for every option of every subcommand, the completion, the man page, and make
# install.
set -uo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
# shellcheck source=tests/sanitized.sh
. "$(dirname "${BASH_SOURCE[0]}")/sanitized.sh"
# Most commands must fail here.
set +e

tool=$KSYM_ROOT/tools/ksymwatch
build_sanitized
cd "$scratch" || exit 1
export LSAN_OPTIONS=suppressions=$scratch/leaks:print_suppressions=0
export PATH=$sanitized:$PATH

# --- Subcommands and options ------------------------------------------------------------

mapfile -t commands < <(ksymwatch --help | sed -nE 's/^  ([a-z]+) .*/\1/p')
# Prints "OPTION ARGUMENT" for the options in the help of the subcommand $1.
options() {
	ksymwatch "$1" --help | sed -nE 's/^  (-[a-z]), (--[a-z-]+)( [A-Z:]+)?( .*)?$/\1\3\n\2\3/p; t
		s/^  (-[a-z]|--[a-z-]+)( [A-Z:]+)?( .*)?$/\1\2/p'
}
is 'the help names subcommands' "$((${#commands[@]} >= 15)) ${commands[0]}" '1 add'
is 'and their options' "$(options record | xargs)" '-o FILE --output FILE --to HOST:PORT -q --quiet --filter FILTER --trigger TRIGGER'

# --- Wrong arguments --------------------------------------------------------------------

# Runs ksymwatch "$3…" and checks that it fails with the status $1 and the line $2.
refuses() {
	local wanted=$1 message=$2 status
	shift 2
	ksymwatch "$@" >out 2>err </dev/null
	status=$?
	is "ksymwatch $*" "$status $(cat out err)" "$wanted ksymwatch: $message"
}

for command in "${commands[@]}"; do
	end=" (see ksymwatch $command --help)"
	refuses 2 "$command: unknown option '--frob'$end" "$command" --frob
	refuses 2 "$command: unknown option '-Z'$end" "$command" -Z1
	while read -r option argument; do
		if [[ -n $argument ]]; then
			refuses 2 "$command: option '$option' requires an argument$end" "$command" "$option"
		elif [[ $option == --* ]]; then
			refuses 2 "$command: option '$option' takes no argument$end" "$command" "$option=x"
		fi
	done < <(options "$command")
done

# A program with the name of an option of a SPEC.
mkdir programs
ln -s /bin/true programs/stack
PATH+=:$PWD/programs
: >empty
echo 'just a text' >text
printf 'panic_timeout:w len=' >cut.off
printf 'panic_timeout:w len=8\npanic_timeout:w\0len=8\n' >binary
printf 'panic_timeout:w\npanic_timeout:rw\n' >twice
printf '# a comment\n\n *:---\n' >removal
printf '%05000d\n' 1 >long
printf '%04095d\n' 1 >longest
head -c 5000000 /dev/zero >large
printf 'ffffffff82000000 D panic_timeout\n' >symbols
while IFS='|' read -r status arguments message; do
	read -r -a words <<<"$arguments"
	help=
	[[ $message != "${words[0]:-}: "* ]] || help=" ${words[0]}"
	[[ $status != 2 ]] || message+=" (see ksymwatch$help --help)"
	refuses "$status" "$message" "${words[@]/#\'\'/}"
done < <(grep -v '^#' "$KSYM_ROOT/tests/ksymwatch-usage.t" | ksym_errors)
ksymwatch $'a\xc2\x9bb\xff\xc3\xa9' 2>err
is 'a message has no terminal codes' "$(<err)" $'ksymwatch: unknown command \'a??b?\xc3\xa9\' (see ksymwatch --help)'
is 'no file was written' "$(echo ./*.dat* ./*XXX* 2>/dev/null)" './*.dat* ./*XXX*'

for command in '' "${commands[@]}"; do
	# shellcheck disable=SC2086  # or none
	is "ksymwatch $command --help is what -h is" "$(ksymwatch $command --help 2>&1; echo $?)" \
		"$(ksymwatch $command -h; echo 0)"
	# shellcheck disable=SC2086
	contains 'which begins with the usage' "$(ksymwatch $command --help)" "usage: ksymwatch${command:+ $command} "
	# shellcheck disable=SC2086
	is 'with lines shorter than 100 characters' "$(ksymwatch $command --help | grep -E '.{100}')" ''
	# shellcheck disable=SC2086
	ksymwatch $command --help >/dev/full 2>err
	is 'it fails if the output cannot be written' "$? $(<err)" \
		'1 ksymwatch: the output cannot be written: No space left on device'
done
ksymwatch --version | grep -qE '^ksymwatch [0-9.]+$'
is '--version' "${PIPESTATUS[*]}" '0 0'

# --- The man page -------------------------------------------------------------------

check 'the man page has no warnings' mandoc -Tlint -W warning "$tool/ksymwatch.1"
is 'groff prints none either' "$(LC_ALL=C.UTF-8 groff -man -ww -Tutf8 -z "$tool/ksymwatch.1" 2>&1)" ''
# As text, with ASCII minus signs.
mandoc -Tascii -O width=200 "$tool/ksymwatch.1" | col -b >page
# Prints the section of the subcommand $1.
section() { awk -v "name=$1" '/^   [a-zA-Z]/ || /^[A-Z]/ { inside = $1 == name && /^   / } inside' page; }

# Prints the usage lines in the help of all subcommands.
usage_lines() {
	for command in "${commands[@]}"; do ksymwatch "$command" --help | sed '/^$/,$d; s/^usage: //' | xargs; done
	echo 'ksymwatch [--vmlinux FILE] [--kallsyms FILE] [COMMAND] --help'
	echo 'ksymwatch --version'
}
# Prints the lines of the SYNOPSIS of the man page $1, in any width.
synopsis() {
	mandoc -Tascii -O width=300 "$1" | col -b |
		awk '/^[A-Z]/ { inside = $1 == "SYNOPSIS"; next } inside && NF { $1 = $1; print }'
}
is 'the SYNOPSIS has the usage lines of the help' "$(synopsis "$tool/ksymwatch.1")" "$(usage_lines)"
sed '/^.SH SYNOPSIS/,/^.SH/s/\\-\\-append/\\-\\-add/' "$tool/ksymwatch.1" >planted.1
check 'a planted wrong option is found' test "$(synopsis planted.1)" != "$(usage_lines)"
missing=
for command in "${commands[@]}"; do
	[[ -n $(section "$command") ]] || missing+="a section $command, "
	while read -r option _; do
		section "$command" | grep -qE -- "(^|[^-a-z])$option([^-a-z]|$)" || missing+="$command $option, "
	done < <(options "$command")
done
is 'the man page has every subcommand and option' "$missing" ''

# --- The completion -------------------------------------------------------------------

# Prints the completions of the last word of each command line.
cat >complete.sh <<'END_OF_SCRIPT'
. /usr/share/bash-completion/bash_completion
. "$1"
_ksymwatch_kallsyms=kallsyms
# As in an interactive shell, which completes names of hosts.
COMP_WORDBREAKS=$COMP_WORDBREAKS@
# A ksymwatch with watches.
ksymwatch() {
	if [[ $* == list ]]; then
		printf 'NAME TARGET\npanic_timeout panic_timeout\nwprobes/object -1\n'
	else
		command ksymwatch "$@"
	fi
}
# Outside of a real completion, compopt fails.
compopt() { :; }
while IFS= read -r line; do
	read -r -a COMP_WORDS <<<"$line"
	[[ $line != *' ' ]] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
	_ksymwatch ksymwatch "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	printf '%s\n' "${COMPREPLY[*]}"
done
END_OF_SCRIPT
complete() { bash --norc complete.sh "$tool/ksymwatch.bash" 2>&1; }
{
	cat <<-'END'
	ffffffff82000000 D panic_timeout
	ffffffff82000010 D pidfs_mnt
	ffffffff82000020 T pid_function
	ffffffff82000030 b total_forks
	END
	printf '%s\t[%s]\n' 'ffffffffc0000000 d pid_of_module' module 'ffffffffc0000000 d other' module \
		'ffffffffc0000000 t function' text
} >kallsyms

# Prints the options that the completion $1 does not offer.
missing_options() {
	for command in "${commands[@]}"; do
		offered=" $(bash --norc complete.sh "$1" <<<"ksymwatch $command -" 2>&1) "
		while read -r option _; do
			[[ $offered == *" $option "* ]] || echo "$command $option"
		done < <(options "$command")
	done
}
is 'each option is completed' "$(missing_options "$tool/ksymwatch.bash")" ''
sed 's/--\[a-z-\]+/--[a-z]+/' "$tool/ksymwatch.bash" >planted.bash
contains 'a planted missing option is found' "$(missing_options planted.bash)" 'top --no-stacks'
is 'so is each subcommand' "$(complete <<<'ksymwatch ')" "${commands[*]}"
mkdir files
touch files/one.dat
# shellcheck disable=SC2034  # the loop reads it
while IFS='|' read -r line wanted; do
	is "completion of '$line'" "$(complete <<<"$line" | tr ' ' '\n' | LC_ALL=C sort | paste -sd ' ' -)" "$wanted"
done <<'END'
ksymwatch rec|record
ksymwatch --ver|--version
ksymwatch --vml|--vmlinux
ksymwatch --vmlinux files/o|files/one.dat
ksymwatch --vmlinux files/one.dat rec|record
ksymwatch --vmlinux files/one.dat report --style g|gdb
ksymwatch add pid|pid= pid_of_module pidfs_mnt
ksymwatch add panic|panic_timeout
ksymwatch add total|total_forks
ksymwatch add mod|module:
ksymwatch add module:|other pid_of_module r rw w
ksymwatch add module:o|other
ksymwatch add total_forks:|r rw w
ksymwatch add panic_timeout len=|len=1 len=2 len=4 len=8
ksymwatch add panic_timeout fl|flexible
ksymwatch rm |panic_timeout wprobes/object
ksymwatch rm wp|wprobes/object
ksymwatch live @|panic_timeout wprobes/object
ksymwatch live @wp|wprobes/object
ksymwatch record -o fil|files
ksymwatch record -o files/o|files/one.dat
ksymwatch report files/|files/one.dat
ksymwatch report pan|panic_timeout
ksymwatch diff files/|files/one.dat
ksymwatch restore files/|files/one.dat
ksymwatch report --style g|gdb
ksymwatch live --color a|always auto
ksymwatch slots |
END
contains 'completion of a command after --' " $(complete <<<'ksymwatch record panic_timeout -- tru') " ' true '

# --- make install -----------------------------------------------------------------------

check 'make install' make -s -C "$tool" O="$sanitized" SANITIZE=1 DESTDIR="$scratch/root" PREFIX=/opt install
is 'installs the program, the man page and the completion' "$(cd root && find . -type f | sort | xargs)" \
	'./opt/bin/ksymwatch ./opt/share/bash-completion/completions/ksymwatch ./opt/share/man/man1/ksymwatch.1'
is 'the program runs' "$(root/opt/bin/ksymwatch --version)" "$(ksymwatch --version)"
check 'make uninstall' make -s -C "$tool" DESTDIR="$scratch/root" PREFIX=/opt uninstall
is 'removes all files' "$(cd root && find . -type f)" ''
finish
