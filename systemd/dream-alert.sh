#!/bin/sh
# Tells a person that dream needs a look: one line in the journal, and on the desktop where there is one.
# DREAM_ALERT names a command of one's own; it gets the line as its argument.
here=$(dirname -- "$0")
line=$(sh "$here/dream-probe.sh" "$@" --nagios | head -n 1)
printf '<3>%s\n' "${line:-DREAM CRITICAL - the probe said nothing}" >&2
if [ -n "${DREAM_ALERT:-}" ]; then
    "$DREAM_ALERT" "$line"
elif command -v notify-send >/dev/null 2>&1; then
    notify-send --app-name=dream --urgency=normal dream "$line" || true
fi
exit 0
