#!/bin/sh
# Finds and removes content in DATA_DIR without a server. While the server runs, use 'npm run admin' instead.
# Stop the server before `message` and `user`; run the script as the user of the server or as root.
#   remove.sh find TEXT      prints messages that contain this text, with their seq
#   remove.sh message SEQ    replaces the text of a message by 'message removed'
#   remove.sh user NAME      deletes an account and its tokens
# `message` and `user` print the number of removed messages or accounts, and fail if there are none.
set -eu
umask 077
. "$(dirname -- "$0")/databases.sh"

[ $# = 2 ] || fail 'usage: remove.sh find TEXT | message SEQ | user NAME'
data=$(folder DATA_DIR)

quoted() {
  printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"
}

# change DATABASE SQL: runs the SQL and prints the number of changes. Takes the lock of the server first, because a running
# server keeps messages in memory.
change() {
  [ -s "$data/$1.sqlite" ] || fail "$data/$1.sqlite is missing or empty"
  [ -e "$data/chat-room.lock" ] || fail "$data/chat-room.lock is missing; set DATA_DIR to the folder of a server"
  count=$(sqlite3 -bail "$data/chat-room.lock" '.timeout 0' "ATTACH $(quoted "$data/$1.sqlite") AS data" \
    'PRAGMA foreign_keys = ON' 'PRAGMA data.secure_delete = ON' 'BEGIN EXCLUSIVE' "$2" 'SELECT changes()' 'COMMIT' \
    '.output /dev/null' 'PRAGMA data.wal_checkpoint(TRUNCATE)' | tail -n 1) || fail "$data/$1.sqlite cannot be changed"
  case $count in '' | *[!0-9]*) fail 'nothing was changed; if the database is locked, stop the server first' ;; esac
  echo "$count removed"
  [ "$count" -gt 0 ]
}

case $1 in
  find)
    sqlite3 -bail -readonly "$data/messages.sqlite" \
      "SELECT seq, username, message FROM messages WHERE instr(message, $(quoted "$2")) > 0 ORDER BY seq"
    ;;
  message)
    case $2 in '' | *[!0-9]*) fail "'$2' is not a seq" ;; esac
    change messages "UPDATE data.messages SET message = 'message removed', removed = 1 WHERE seq = $2 AND removed = 0;
      INSERT INTO data.removals SELECT removals + 1, $2, unixepoch() * 1000 FROM data.room WHERE changes() = 1;
      UPDATE data.room SET removals = removals + 1 WHERE changes() = 1"
    ;;
  user) change accounts "DELETE FROM data.users WHERE name = $(quoted "$2")" ;;
  *) fail "'$1' is not valid; use one of find, message, user" ;;
esac
