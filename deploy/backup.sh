#!/bin/sh
# Copies the databases from DATA_DIR to BACKUP_DIR. The server can be running. The script replaces the last backup only if all new
# copies are valid. If a copy fails, the last backup stays, and the exit code is not 0.
set -eu
umask 077
. "$(dirname -- "$0")/databases.sh"

data=$(folder DATA_DIR)
backup=$(folder BACKUP_DIR)
[ ! "$data" -ef "$backup" ] || fail 'BACKUP_DIR and DATA_DIR are the same folder; set BACKUP_DIR to another one'

# The process id in the file names keeps concurrent runs apart.
remove_unfinished() {
  for database in $databases; do
    for suffix in '' -journal -wal -shm; do rm -f "$backup/$database.sqlite.new$$$suffix"; done
  done
}
trap remove_unfinished EXIT
trap 'exit 1' HUP INT TERM

# Change the folder, because sqlite3's .backup command does not handle quotes in a path.
cd "$backup"
for database in $databases; do
  source=$data/$database.sqlite
  [ -s "$source" ] || fail "$source is missing or empty"
  # Open the database read-only: otherwise SQLite creates an empty database if there is none.
  sqlite3 -bail -readonly "$source" '.timeout 5000' ".backup $database.sqlite.new$$" || fail "$source cannot be copied"
  # Turn WAL mode off, so that the copy is one file, which SQLite can read from read-only storage.
  sqlite3 -bail "$database.sqlite.new$$" 'PRAGMA journal_mode = DELETE' >/dev/null || fail "$source cannot be copied"
  check "$database" "$backup/$database.sqlite.new$$"
  chmod 600 "$database.sqlite.new$$"
  sync "$database.sqlite.new$$"
done
for database in $databases; do mv -f "$database.sqlite.new$$" "$database.sqlite"; done
sync .
