#!/bin/sh
# The compiler of kernels: gcc through ccache, except for a source with .incbin, such as that of
# the kernel image. The file that it includes is no dependency for the compiler, so ccache would
# take another build's object if only that file differs.
for source; do
	case $source in
	*.[cS]) ! grep -qs '\.incbin' "$source" || exec gcc "$@" ;;
	esac
done
exec ccache gcc "$@"
