#!/bin/sh
# Copies the databases from DATA_DIR to BACKUP_DIR, while the server runs or not. What stands in BACKUP_DIR is replaced
# only when all new copies are whole; on any failure it stays as it was, and the exit code is not 0.
set -eu
umask 077
. "$(dirname -- "$0")/databases.sh"

data=$(folder DATA_DIR)
backup=$(folder BACKUP_DIR)
[ ! "$data" -ef "$backup" ] || fail 'BACKUP_DIR is DATA_DIR'

# Names of its own for every run: two at once do not meet.
remove_unfinished() {
  for database in $databases; do
    for suffix in '' -journal -wal -shm; do rm -f "$backup/$database.sqlite.new$$$suffix"; done
  done
}
trap remove_unfinished EXIT
trap 'exit 1' HUP INT TERM

# From there, since SQLite's command has its own idea of quotes in a path.
cd "$backup"
for database in $databases; do
  source=$data/$database.sqlite
  [ -s "$source" ] || fail "$source is missing or empty"
  # Read only: else SQLite makes an empty database where there is none.
  sqlite3 -bail -readonly "$source" '.timeout 5000' ".backup $database.sqlite.new$$" || fail "$source cannot be copied"
  # One file that can be read by itself, also where nothing can be written.
  sqlite3 -bail "$database.sqlite.new$$" 'PRAGMA journal_mode = DELETE' >/dev/null || fail "$source cannot be copied"
  check "$database" "$backup/$database.sqlite.new$$"
  chmod 600 "$database.sqlite.new$$"
  sync "$database.sqlite.new$$"
done
for database in $databases; do mv -f "$database.sqlite.new$$" "$database.sqlite"; done
sync .
