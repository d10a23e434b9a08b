"""A client that keeps its cursor and reconnects with it whenever its connection closes.

Uses the installed python-socketio, which runs each event handler in its own thread. Handlers can therefore run in another
order than the packets arrived. The Engine.IO log has the packet order, so the client reads its cursor from that log.
"""

import json
import logging
import sys
import threading
import time

import socketio

url, transport, start = sys.argv[1:]
cursor = json.loads(start)
output_lock = threading.Lock()


def report(kind, value):
    with output_lock:
        print(json.dumps({"kind": kind, "value": value}), flush=True)


class PacketsRead(logging.Handler):
    def emit(self, record):
        global cursor
        if not record.msg.startswith("Received packet") or record.args[0] != "MESSAGE":
            return
        _, _, event = record.args[1].partition("2")
        if event.startswith('["recive_message"'):
            cursor = json.loads(event)[2]
            report("read", cursor["seq"])


logger = logging.Logger("packets read", logging.INFO)
logger.addHandler(PacketsRead())


def connect_and_wait():
    client = socketio.Client(reconnection=False, engineio_logger=logger)
    client.on("recive_message", lambda _message, position: report("message", position["seq"]))
    client.connect(url, auth={"channel": "messages", "cursor": cursor}, transports=[transport], wait_timeout=30)
    report("connected", client.get_sid())
    client.eio.wait()


while True:
    try:
        connect_and_wait()
    except socketio.exceptions.ConnectionError:
        # The server is not listening yet.
        time.sleep(0.05)
