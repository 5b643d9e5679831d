#!/bin/bash
# Checks the style of all files, and prints TAP: checkpatch --strict for C and the patches of
# all bases, sparse and the compiler's extra warnings (W=1) for kernel code, shellcheck for
# scripts, and scripts/circles.sh for the layers of the tracer and of ksymwatch.
set -euo pipefail
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tests/tap.sh"
KSYM_NAME=lint
tree=$KSYM_BUILD/linux-ksym
cd "$KSYM_ROOT"
scripts/setup.sh >&2
[[ -f $tree/.config ]] || scripts/kernel.sh ksym >&2

# In a git repository, checkpatch would take a tracked patch for a source file, and would
# run a script for licences that needs extra Python modules.
# shellcheck disable=SC2317  # check calls it
checkpatch() { GIT_DIR=/nonexistent perl "$tree/scripts/checkpatch.pl" --root="$tree" --strict --terse --no-summary --quiet "$@"; }

# The commit of a "Fixes:" line is not in this repository. asm/nmi.h has functions that
# linux/nmi.h does not have.
while IFS= read -r patch; do
	check "checkpatch: $patch" checkpatch \
		--ignore FILE_PATH_CHANGES,UNKNOWN_COMMIT_ID,INCLUDE_LINUX "$patch"
done < <(for base in "${KSYM_BASES[@]}"; do (set_base "$base" && series_patches | files_of_patches); done | sort -u)
# Programs do not have the kernel's short names for attributes and types, and libraries
# and fuzzers have names in CamelCase.
while IFS= read -r file; do
	ignored=()
	case $file in
	# A patch documents the parameter; checkpatch does not see that.
	kernel/trace/ksym/ksym_main.c) ignored=('--ignore=UNDOCUMENTED_SETUP') ;;
	# kgdb takes no constant structure.
	tests/torture/ksym_torture.c) ignored=('--ignore=CONST_STRUCT') ;;
	# It registers a handler of NMIs.
	tests/contexts/ksym_contexts.c) ignored=('--ignore=INCLUDE_LINUX') ;;
	tests/fuzz/*) ignored=('--ignore=PREFER_KERNEL_TYPES,CAMELCASE') ;;
	# Kernel macros rebuilt for user space.
	tests/access/* | tools/ksymwatch/backend/perf/access*)
		ignored=('--ignore=NEW_TYPEDEFS,PREFER_DEFINED_ATTRIBUTE_MACRO,PREFER_KERNEL_TYPES,CAMELCASE,VOLATILE,MACRO_ARG_REUSE,MACRO_ARG_UNUSED,MACRO_WITH_FLOW_CONTROL,COMPLEX_MACRO,DATA_RACE') ;;
	# It has types of all kinds on purpose.
	tests/ksymwatch-types.c) ignored=('--ignore=NEW_TYPEDEFS,VOLATILE,FUNCTION_ARGUMENTS,CAMELCASE') ;;
	# libbpf's constants.
	*.bpf.c) ignored=('--ignore=PREFER_DEFINED_ATTRIBUTE_MACRO,PREFER_KERNEL_TYPES,VOLATILE') ;;
	tools/* | tests/* | bench/*) ignored=('--ignore=PREFER_DEFINED_ATTRIBUTE_MACRO,PREFER_KERNEL_TYPES,CAMELCASE') ;;
	esac
	check "checkpatch: $file" checkpatch "${ignored[@]}" --file "$file"
done < <(git ls-files -co --exclude-standard -- '*.[chS]')

# Compiles our kernel code again with all warnings, in the tree that is built. Only
# warnings about our own files count, since sparse and gcc report the headers too.
lint_objects() {
	local -a sources objects
	mapfile -t sources < <(overlay_files | grep -E '^(arch|kernel)/.*\.c$')
	[[ ${#sources[@]} != 0 ]] || return 0
	objects=("${sources[@]/%.c/.o}")
	# The tree must have the current files, and no other build may run in it.
	scripts/kernel.sh ksym >&2
	if ! (lock_builds && kernel_make ksym -k -j"$(nproc)" C=2 W=1 CHECK=sparse "${objects[@]}") >"$scratch/said" 2>&1; then
		not_ok 'our objects build with C=2 W=1' "$(grep -E 'rror' "$scratch/said" | head -n 20)"
		return
	fi
	for file in "${sources[@]}"; do
		found=$(grep -E "^($tree/)?$file:[0-9:]+ (warning|error)" "$scratch/said" || true)
		if [[ -z $found ]]; then ok "sparse and W=1: $file"; else not_ok "sparse and W=1: $file" "$found"; fi
	done
}
lint_objects

# Checks the objects "$3…" in the folder $2 against the table scripts/layers/$1.
layers() {
	check "layers: $1" env -C "$2" "$KSYM_ROOT/scripts/circles.sh" "$KSYM_ROOT/scripts/layers/$1" "${@:3}"
}
mapfile -t objects < <(ar t "$tree/kernel/trace/ksym/built-in.a" | sed -e 's,.*/,,' -e '/_test\.o$/d')
layers tracer "$tree/kernel/trace/ksym" "${objects[@]}"
scripts/tools.sh >&2
# shellcheck disable=SC2016  # for make
read -r -a objects < <(make -s -C tools/ksymwatch O=. --eval='objects: ; @echo $(OBJECTS:./%=%)' objects)
layers ksymwatch "$KSYM_SHARED/tools" "${objects[@]}"

while IFS= read -r file; do
	[[ $(head -n 1 "$file" | tr -d '\0') == '#!'*sh ]] || continue
	check "shellcheck: $file" shellcheck -x "$file"
done < <(git ls-files -co --exclude-standard -- scripts tests bench .ci)
finish
