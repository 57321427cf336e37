#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# curl 7.88.1 sends requests for localhost and 127.0.0.1, with the password in clear text, to the machine that http_proxy names.
#
# Guess: what is meant for this machine goes to it directly, as browsers have it: a proxy is for the others, and another machine's
#        "localhost" would be itself. So a password for http://localhost stays here.
# Seen:  the proxy gets "GET http://localhost:1/" and the header "Authorization: Basic ..." of the user, for each of the names of
#        this machine. Only no_proxy or an empty CURLOPT_PROXY keep it here.
#
# Installs Debian 12's curl in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=7.88.1-10+deb12u15
folder=$(mktemp -d)
trap 'kill "${proxy:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "curl=$version" "libcurl4=$version" libbrotli1 libnghttp2-14 libpsl5 librtmp1 libssh2-1 libldap-2.5-0 libidn2-0 \
	libssl3 libsasl2-2 libunistring2 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libcom-err2
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH
unset no_proxy NO_PROXY all_proxy ALL_PROXY

# a proxy that answers by itself, and keeps what it was asked
cat >proxy.py <<'PY'
import http.server
import os


class Proxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open('asked', 'a') as file:
            print(self.path, self.headers['Authorization'], file=file)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(('127.0.0.1', 0), Proxy)
with open('new', 'w') as file:
    file.write(str(server.server_port))
os.rename('new', 'port')
server.serve_forever()
PY
LD_LIBRARY_PATH='' python3 proxy.py &
proxy=$!
for _ in $(seq 100); do [ -e port ] || sleep 0.1; done

curl --version | head -1
export http_proxy=http://127.0.0.1:$(cat port)
touch asked
for host in localhost 127.0.0.1 '[::1]'; do
	curl -q -s -u user:secret "http://$host:1/" || true
done
cat asked
for host in localhost 127.0.0.1 '[::1]'; do
	grep -qxF "http://$host:1/ Basic dXNlcjpzZWNyZXQ=" asked || {
		echo "the proxy was not asked for $host: this finding is out of date"
		exit 1
	}
done
# no_proxy keeps it here, where port 1 has no server
! no_proxy=localhost curl -q -s "http://localhost:1/"
