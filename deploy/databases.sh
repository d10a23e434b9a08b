# What backup.sh and restore.sh know of the databases; read by them, not run.

databases='accounts messages'

say() {
  echo "${0##*/}: $*" >&2
}

fail() {
  say "$*"
  exit 1
}

# The tables without which a file is not the database it is named after: a valid file may be an empty one.
tables_of() {
  case $1 in
    accounts) echo "('users'), ('tokens')" ;;
    messages) echo "('room'), ('messages')" ;;
    *) fail "there is no database '$1'; one of $databases" ;;
  esac
}

# check DATABASE FILE: whole, and ours.
check() {
  [ -s "$2" ] || fail "$2 is missing or empty"
  expected=$(tables_of "$1")
  verdict=$(sqlite3 -bail "$2" 'PRAGMA integrity_check' \
    "SELECT count(*) FROM (VALUES $expected) WHERE column1 NOT IN (SELECT name FROM sqlite_master WHERE type = 'table')") ||
    fail "$2 cannot be read"
  [ "$verdict" = "ok
0" ] || fail "$2 is no whole database of $1"
}

# folder NAME: the absolute path of the folder that this variable names.
folder() {
  eval "named=\${$1:-}"
  [ -n "$named" ] || fail "set $1"
  (CDPATH='' cd -- "$named" 2>/dev/null && pwd) || fail "$1: there is no folder $named"
}

command -v sqlite3 >/dev/null || fail 'sqlite3 is not installed'
