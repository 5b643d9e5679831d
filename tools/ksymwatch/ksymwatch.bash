# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Completes the command line of ksymwatch(1) in bash: subcommands, their options,
# variables of the kernel and its modules, names of watches, files.
#
# Which subcommands and options there are is read from their --help, so nothing here
# has to follow when some are added.

_ksymwatch_kallsyms=/proc/kallsyms

# Prints the subcommands.
_ksymwatch_commands() { "$1" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

# Prints "OPTION ARGUMENT" of each option of the subcommand $2, the argument as the help
# calls it, or nothing. A line of the help is "  -o, --output FILE   the file to write".
_ksymwatch_options() {
	"$1" ${2:+"$2"} --help 2>/dev/null | sed -nE '
		s/^  (-[a-zA-Z]), (--[a-z-]+)[ =]([A-Z:]+)(  .*)?$/\1 \3\n\2 \3/p; t
		s/^  (-[a-zA-Z]), (--[a-z-]+)(  .*)?$/\1\n\2/p; t
		s/^  (-[a-zA-Z]|--[a-z-]+)[ =]([A-Z:]+)(  .*)?$/\1 \2/p; t
		s/^  (-[a-zA-Z]|--[a-z-]+)(  .*)?$/\1/p'
	echo --help
}

# Prints the variables whose names begin with $1, which may be MODULE:NAME, and the
# modules that have some.
_ksymwatch_symbols() {
	awk -v "wanted=$1" '
		BEGIN { colon = index(wanted, ":"); module = substr(wanted, 1, colon - 1) }
		index("bBdDrRvV", $2) == 0 { next }
		colon == 0 && index($3, wanted) == 1 { print $3 }
		colon == 0 && $4 != "" && index($4, "[" wanted) == 1 && !seen[$4]++ {
			print substr($4, 2, length($4) - 2) ":"
		}
		colon != 0 && $4 == "[" module "]" && index(module ":" $3, wanted) == 1 {
			print module ":" $3
		}' "$_ksymwatch_kallsyms" 2>/dev/null
}

# Prints the names of the watches that there are.
_ksymwatch_watches() { "$1" list 2>/dev/null | awk 'NR > 1 { print $1 }'; }

# Prints the words that may stand where a SPEC or one of its options does.
_ksymwatch_spec() {
	local tool=$1 cur=$2
	case $cur in
	len=*) printf 'len=%s\n' 1 2 4 8; return ;;
	pid=*) ps -e -o pid= 2>/dev/null | sed 's/^ */pid=/'; return ;;
	esac
	_ksymwatch_watches "$tool" | sed 's/^/@/'
	printf '%s\n' len= name= pinned flexible cpu= pid= inherit limit= budget= count= \
		every= objects= timeout= changed wrote stack ustack off args if then
	# All of them would be too many to choose from.
	[[ -n $cur ]] || return 0
	_ksymwatch_symbols "$cur"
	[[ $cur != *:* ]] || printf '%s\n' "${cur%:*}:"{r,w,rw}
}

_ksymwatch() {
	local cur prev words cword tool=${1/#\~/$HOME} command options argument i candidates first=1
	_init_completion -n :=@ || return
	# Options may stand before the subcommand.
	while ((cword > first)); do
		case ${words[first]} in
		--vmlinux | --kallsyms) first=$((first + 2)) ;;
		--vmlinux=* | --kallsyms=*) first=$((first + 1)) ;;
		*) break ;;
		esac
	done
	command=
	if ((cword > first)); then command=${words[first]}; fi

	# Behind the -- stands a command of the user's.
	for ((i = 2; i < cword; i++)); do
		if [[ ${words[i]} == -- ]]; then
			_command_offset $((i + 1))
			return
		fi
	done

	if [[ -z $command && $cur != -* && $prev != --vmlinux && $prev != --kallsyms ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ksymwatch_commands "$tool")" -- "$cur")
		return
	fi
	options=$(_ksymwatch_options "$tool" "$command")
	# The help tells what the argument of the option before this word is.
	argument=$(awk -v "option=$prev" '$1 == option && $2 != "" { print $2 }' <<<"$options")
	case $argument in
	'') ;;
	FILE | DIR) _filedir; return ;;
	HOST:PORT) _known_hosts_real -c -- "$cur"; return ;;
	STYLE) mapfile -t COMPREPLY < <(compgen -W 'table gdb' -- "$cur"); return ;;
	INSTANCE) mapfile -t COMPREPLY < <(compgen -W \
		"$(ls /sys/kernel/tracing/instances 2>/dev/null)" -- "$cur"); return ;;
	KEYS) mapfile -t COMPREPLY < <(compgen -W 'function line task value stack' -- "$cur"); return ;;
	COLUMNS) mapfile -t COMPREPLY < <(compgen -W 'hits reads writes unknown changes watch key' -- "$cur"); return ;;
	WHEN) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
	*) return ;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(awk '{ print $1 }' <<<"$options")" -- "$cur")
		return
	fi

	case $command in
	report)
		_filedir
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_ksymwatch_watches "$tool")" -- "$cur")
		return
		;;
	diff | export | plot | save | restore) _filedir; return ;;
	rm) candidates=$(_ksymwatch_watches "$tool") ;;
	add | live | record | follow | hunt | profile | stat | top | explain) candidates=$(_ksymwatch_spec "$tool" "$cur") ;;
	*) return ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$cur")
	# What asks for a value, or for a symbol, has no blank behind it.
	if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace; fi
	__ltrim_colon_completions "$cur"
	if [[ $cur == @* && $COMP_WORDBREAKS == *@* ]]; then COMPREPLY=("${COMPREPLY[@]#@}"); fi
}

complete -F _ksymwatch ksymwatch
