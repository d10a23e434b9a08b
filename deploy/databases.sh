# Functions and names for backup.sh, restore.sh and remove.sh. These scripts source this file.

databases='accounts messages'

say() {
  echo "${0##*/}: $*" >&2
}

fail() {
  say "$*"
  exit 1
}

# tables_of DATABASE: prints the tables that the database must have. SQLite also accepts an empty file as a valid database.
tables_of() {
  case $1 in
    accounts) echo "('users'), ('tokens')" ;;
    messages) echo "('room'), ('messages')" ;;
    *) fail "'$1' is not a database; use one of: $databases" ;;
  esac
}

# check DATABASE FILE: exits with an error unless the file is intact and has the tables of this database.
check() {
  [ -s "$2" ] || fail "$2 is missing or empty"
  expected=$(tables_of "$1")
  verdict=$(sqlite3 -bail "$2" 'PRAGMA integrity_check' \
    "SELECT count(*) FROM (VALUES $expected) WHERE column1 NOT IN (SELECT name FROM sqlite_master WHERE type = 'table')") ||
    fail "$2 cannot be read"
  [ "$verdict" = "ok
0" ] || fail "$2 is not an intact database of $1"
}

# folder NAME: prints the absolute path of the folder in the variable NAME. Fails if there is no such folder.
folder() {
  eval "named=\${$1:-}"
  [ -n "$named" ] || fail "set $1"
  (CDPATH='' cd -- "$named" 2>/dev/null && pwd) || fail "$1: there is no folder $named"
}

command -v sqlite3 >/dev/null || fail 'sqlite3 is not installed'
