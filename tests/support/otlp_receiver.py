#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# otlp_receiver.py FOLDER: a receiver of OpenTelemetry's profiles on this machine, at the port that it writes to FOLDER/port. Keeps
# each body that it accepts as FOLDER/body.N. FOLDER/plan has the statuses of the next answers (200 after them), and 299 stands for
# an answer of 200 that refuses a part.
import http.server
import os
import sys

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


class Receiver(http.server.BaseHTTPRequestHandler):
    kept = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        plan = open(path("plan")).read().split() if os.path.exists(path("plan")) else []
        status = int(plan.pop(0)) if plan else 200
        with open(path("plan"), "w") as file:
            file.write(" ".join(plan))
        right = self.path == "/v1development/profiles" and self.headers["Content-Type"] == "application/x-protobuf"
        status = status if right else 404
        answer = {200: b"", 299: b"\x0a\x0a\x08\x07\x12\x06a part"}.get(status, b"\x12\x09not today")
        if status == 200:
            with open(path(f"body.{Receiver.kept}"), "wb") as file:
                file.write(body)
            Receiver.kept += 1
        self.send_response(200 if status == 299 else status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
with open(path("new"), "w") as file:
    file.write(str(server.server_port))
os.rename(path("new"), path("port"))
server.serve_forever()
