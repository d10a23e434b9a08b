"""A client that knows the specification and nothing else: its handlers take exactly one argument."""

import json
import sys
import threading

import socketio

url, transport = sys.argv[1:]
client = socketio.Client(reconnection=False)
telling = threading.Lock()


def tell(kind, value):
    # Handlers run in threads of their own: two lines at once would be one.
    with telling:
        print(json.dumps({"kind": kind, "value": value}), flush=True)


@client.on("recive_message")
def on_message(message):
    tell("message", message)


@client.on("online-users")
def on_online_users(socket_ids):
    tell("online", socket_ids)


client.connect(url, transports=[transport])
tell("connected", client.get_sid())

# Each line of the input is a message to send; the end of the input is the end of the visit.
for line in sys.stdin:
    sent = {"username": "python", "message": line.strip(), "createdTime": 1}
    tell("ack", client.call("send_message", sent, timeout=30))
client.disconnect()
