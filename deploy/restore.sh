#!/bin/sh
# Replaces the databases in DATA_DIR by the copies in BACKUP_DIR: all of them, or the named ones (`restore.sh accounts`).
# Stop the server first; run the script as the user of the server or as root. The script checks every copy before it changes
# DATA_DIR, and keeps the old files in a folder before-restore-….
set -eu
umask 077
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/databases.sh"

data=$(folder DATA_DIR)
backup=$(folder BACKUP_DIR)
[ ! "$data" -ef "$backup" ] || fail 'BACKUP_DIR and DATA_DIR are the same folder; set BACKUP_DIR to another one'
[ $# -gt 0 ] || set -- $databases
for database in "$@"; do tables_of "$database" >/dev/null; done

# Take the lock of the server, then run this script again while sqlite3 holds the lock. `.shell` does not return exit codes,
# so the result is in a file.
if [ "${RESTORE_RESULT:-}" = '' ]; then
  RESTORE_RESULT=$(mktemp)
  RESTORE_SCRIPT=$here/restore.sh
  RESTORE_NAMES=$*
  DATA_DIR=$data BACKUP_DIR=$backup
  export RESTORE_RESULT RESTORE_SCRIPT RESTORE_NAMES DATA_DIR BACKUP_DIR
  trap 'rm -f "$RESTORE_RESULT"' EXIT
  owner=$(stat -c %u:%g "$data")
  if [ ! -e "$data/chat-room.lock" ]; then
    : >"$data/chat-room.lock"
    [ "$(id -u)" != 0 ] || chown "$owner" "$data/chat-room.lock"
  fi
  sqlite3 -bail "$data/chat-room.lock" '.timeout 0' 'BEGIN EXCLUSIVE' \
    '.shell sh "$RESTORE_SCRIPT" $RESTORE_NAMES && echo done >"$RESTORE_RESULT"; true' >/dev/null ||
    fail "the lock $data/chat-room.lock cannot be taken; stop the server first"
  [ "$(cat "$RESTORE_RESULT")" = done ] || exit 1
  exit 0
fi

trap 'for database in $databases; do rm -f "$data/$database.sqlite.restoring" "$data/$database.sqlite.restoring"-*; done' EXIT
trap 'exit 1' HUP INT TERM

for database in "$@"; do
  [ -s "$backup/$database.sqlite" ] || fail "$backup/$database.sqlite is missing or empty"
  # A -wal file with content means that this is a plain copy of a database in use, which may lack changes.
  [ ! -s "$backup/$database.sqlite-wal" ] || fail "$backup/$database.sqlite-wal: this is a copy of a database in use, not a backup; run deploy/backup.sh"
done
for database in "$@"; do
  copy=$data/$database.sqlite.restoring
  cp "$backup/$database.sqlite" "$copy"
  chmod 600 "$copy"
  # Keep the owner of the old file, or of the folder, so that the server can write the new file.
  kept=$data
  [ ! -e "$data/$database.sqlite" ] || kept=$data/$database.sqlite
  [ "$(id -u)" != 0 ] || chown "$(stat -c %u:%g "$kept")" "$copy"
  check "$database" "$copy"
  sync "$copy"
done

# A backup of the same log may still have the texts of messages that were removed later. A database of an older version
# has no table of removals.
back=
for database in "$@"; do
  [ "$database" = messages ] && [ -e "$data/messages.sqlite" ] || continue
  replaced=$(printf %s "$data/messages.sqlite" | sed "s/'/''/g")
  back=$(sqlite3 -bail "$data/messages.sqlite.restoring" "ATTACH '$replaced' AS replaced" \
    "SELECT group_concat(seq, ' ') FROM replaced.removals JOIN main.messages USING (seq)
     WHERE message <> 'message removed' AND EXISTS (SELECT 1 FROM replaced.terms JOIN main.terms USING (id))" 2>/dev/null) || back=
done

aside=$data/before-restore-$(date -u +%Y%m%dT%H%M%SZ)-$$
mkdir "$aside"
[ "$(id -u)" != 0 ] || chown "$(stat -c %u:%g "$data")" "$aside"
move_aside() {
  [ ! -e "$data/$1" ] || mv "$data/$1" "$aside/"
}
# Move the databases first and the head file last: while a database is missing, the head file keeps the server from
# starting.
for database in "$@"; do
  for suffix in '' -wal -shm; do move_aside "$database.sqlite$suffix"; done
  mv "$data/$database.sqlite.restoring" "$data/$database.sqlite"
done
for database in "$@"; do
  # Without the head file, the server begins a new epoch. Clients may have received messages that this log does not have.
  [ "$database" != messages ] || move_aside messages.head
done
sync "$data"
say "restored: $*; the replaced files are in $aside"
[ -z "$back" ] || say "the backup has the texts of removed messages; start the server, then run: npm run admin -- messages remove $back"
