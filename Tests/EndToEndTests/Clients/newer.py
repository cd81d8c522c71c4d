"""A proxy that makes the server look like a later version on a machine that has been up for long: every JSON object of a response has a member that
the contract does not list, some enumerations have a value that it does not list, and host times are 200 days later.

usage: newer.py ADDRESS       ADDRESS is the server's. The first line of the output is the proxy's address.
"""
import http.client
import http.server
import json
import sys
import urllib.parse

UPSTREAM = urllib.parse.urlsplit(sys.argv[1]).netloc
# The members with an enumeration that get a new value. The programs that use the clients do not look at them.
NEW_VALUES = {"repeatMode", "loudnessNormalization", "category", "kind", "reason", "actionAtItemEnd"}


def later(value):
    if isinstance(value, list):
        return [later(element) for element in value]
    if not isinstance(value, dict):
        return value
    members = {name: "laterValue" if name in NEW_VALUES else later(member) for name, member in value.items()}
    if "hostTime" in members:
        members["hostTime"] += 200 * 86_400
    return members | {"laterMember": {"text": "é", "list": [1, 2.5]}}


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        upstream = http.client.HTTPConnection(UPSTREAM)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection", "accept-encoding")}
        upstream.request(self.command, self.path, body or None, headers | {"Host": UPSTREAM})
        answer = upstream.getresponse()
        content = answer.read()
        if "json" in answer.headers.get("Content-Type", "") and content:
            content = json.dumps(later(json.loads(content)), ensure_ascii=False).encode()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.headers.items():
            if name.lower() not in ("content-length", "connection"):
                self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        upstream.close()

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = forward

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
