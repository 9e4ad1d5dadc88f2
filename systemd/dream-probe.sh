#!/bin/sh
# Runs the probe and believes it only when its last word fits its exit code. Everything else is 2, "could not tell":
# a plain crash of Python exits 1 (which would read as "stale"), a missing interpreter 127, a killed one 137.
#
#   dream-probe.sh [the options of dream-probe]
#
# DREAM_PYTHON names another interpreter than `python3`, DREAM_PROBE_FILE another probe than the one beside this file.

# With --json stdout carries one document and nothing else, so a failure is told on stderr.
tell=1
for option in "$@"; do
    if [ "$option" = --json ]; then tell=2; fi
done

failed() {
    printf 'unknown: the probe itself failed (%s)\nDREAM-PROBE 1 verdict=unknown code=2\n' "$1" >&"$tell"
    exit 2
}

# A closed stdout cannot carry the verdict; found out in a subshell, for the redirection itself ends a POSIX shell.
(: >&1) 2>/dev/null || exit 2

here=$(dirname -- "$0")
probe=${DREAM_PROBE_FILE:-}
for place in "$here/../../probe.py" "$here/../daemon/dreamd/probe.py"; do
    if [ -z "$probe" ] && [ -r "$place" ]; then probe=$place; fi
done
[ -n "$probe" ] || failed "no probe beside $here"

for option in "$@"; do
    case $option in -h | --help) exec "${DREAM_PYTHON:-python3}" -I -S "$probe" --help ;; esac
done

# Descriptor 4 is the caller's stdout; the probe repeats its last word on 3, which is what we read here.
exec 4>&1
seal=$("${DREAM_PYTHON:-python3}" -I -S "$probe" "$@" --seal-fd 3 3>&1 >&4 4>&-)
code=$?
case $code in
    0 | 1 | 2) ;;
    *) failed "exit code $code" ;;
esac
case $seal in
    "DREAM-PROBE 1 verdict="*" code=$code") exit "$code" ;;
    *) failed "exit code $code without a verdict" ;;
esac
