#!/bin/sh
# Runs the probe and believes it only when its last word fits its exit code. Everything else is 2, "could not tell":
# a plain crash of Python exits 1 (which would read as "stale"), a missing interpreter 127, a killed one 137.
#
#   dream-probe [the options of dream-probe]
#
# Installed as the command `dream-probe`, and run by systemd from where it lies. Python is started without its own
# variables and without what lies about in the directory, so that neither can speak in the probe's place.
# DREAM_PYTHON names another interpreter than dream's own, DREAM_PROBE_FILE another probe than the one of this dream.

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

# The command may be a link to where dream is installed, or a link to a link.
self=$0
hops=0
while [ -L "$self" ] && [ "$hops" -lt 40 ]; do
    next=$(readlink "$self") || break
    case $next in
        /*) self=$next ;;
        *) self=$(dirname -- "$self")/$next ;;
    esac
    hops=$((hops + 1))
done
here=$(dirname -- "$self")

# As a command it stands beside `dream`, whose first lines name its interpreter; in a checkout any will do.
python=${DREAM_PYTHON:-}
if [ -z "$python" ] && [ -r "$here/dream" ]; then
    python=$(head -n 2 "$here/dream" | sed -n -e "1s|^#! *\(/[^ ]*python[^ ]*\) *$|\1|p" -e "2s|^'''exec' \"*\([^\"]*\)\"* .*|\1|p" |
        head -n 1)
    [ -n "$python" ] || python=$here/python3
fi
[ -n "$python" ] || python=python3

probe=${DREAM_PROBE_FILE:-}
if [ -z "$probe" ] && [ ! -e "$here/dream" ]; then
    for place in "$here/../../probe.py" "$here/../daemon/dreamd/probe.py"; do
        if [ -z "$probe" ] && [ -r "$place" ]; then probe=$place; fi
    done
    [ -n "$probe" ] || failed "no probe beside $here"
fi
if [ -z "$probe" ]; then
    for place in "$here"/../lib/python3*/site-packages/dreamd/probe.py; do
        if [ -r "$place" ]; then probe=$place; fi
    done
fi

look() {
    # Where dream's files lie elsewhere than its commands, only its own interpreter knows where.
    if [ -n "$probe" ]; then "$python" -I -S "$probe" "$@"; else "$python" -I -m dreamd.probe "$@"; fi
}

for option in "$@"; do
    case $option in -h | --help) look --help || failed "no help"; exit 0 ;; esac
done

# Descriptor 4 is the caller's stdout; the probe repeats its last word on 3, which is what we read here.
exec 4>&1
seal=$(look "$@" --seal-fd 3 3>&1 >&4 4>&-)
code=$?
case $code in
    0 | 1 | 2) ;;
    *) failed "exit code $code" ;;
esac
case $seal in
    "DREAM-PROBE 1 verdict="*" code=$code") exit "$code" ;;
    *) failed "exit code $code without a verdict" ;;
esac
