"""A client that keeps its place in the log and connects again, from there, whenever its connection ends.

It is python-socketio as it is installed. Each event runs in a thread of its own there, so handlers can run in another
order than the packets came in. The Engine.IO log has the order: the client takes its cursor from it.
"""

import json
import logging
import sys
import threading
import time

import socketio

url, transport, start = sys.argv[1:]
cursor = json.loads(start)
telling = threading.Lock()


def tell(kind, value):
    with telling:
        print(json.dumps({"kind": kind, "value": value}), flush=True)


class PacketsRead(logging.Handler):
    def emit(self, record):
        global cursor
        if not record.msg.startswith("Received packet") or record.args[0] != "MESSAGE":
            return
        _, _, event = record.args[1].partition("2")
        if event.startswith('["recive_message"'):
            cursor = json.loads(event)[2]
            tell("read", cursor["seq"])


logger = logging.Logger("packets read", logging.INFO)
logger.addHandler(PacketsRead())


def visit():
    client = socketio.Client(reconnection=False, engineio_logger=logger)
    client.on("recive_message", lambda _message, position: tell("message", position["seq"]))
    client.connect(url, auth={"channel": "messages", "cursor": cursor}, transports=[transport], wait_timeout=30)
    tell("connected", client.get_sid())
    client.eio.wait()


while True:
    try:
        visit()
    except socketio.exceptions.ConnectionError:
        # The server is not there yet.
        time.sleep(0.05)
