"""A client of the specified protocol without extensions: its handlers take exactly one argument."""

import json
import sys
import threading

import socketio

url, transport = sys.argv[1:]
client = socketio.Client(reconnection=False)
output_lock = threading.Lock()


def report(kind, value):
    # Handlers run in separate threads. The lock prevents interleaved lines.
    with output_lock:
        print(json.dumps({"kind": kind, "value": value}), flush=True)


@client.on("recive_message")
def on_message(message):
    report("message", message)


@client.on("online-users")
def on_online_users(socket_ids):
    report("online", socket_ids)


client.connect(url, transports=[transport])
report("connected", client.get_sid())

# Sends each line of stdin as a message and disconnects at the end of stdin.
for line in sys.stdin:
    sent = {"username": "python", "message": line.strip(), "createdTime": 1}
    report("ack", client.call("send_message", sent, timeout=30))
client.disconnect()
