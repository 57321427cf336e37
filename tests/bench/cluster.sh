#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Starts a cluster of ClickHouse on this machine's own addresses: two shards with two replicas each, and one ZooKeeper, of
# Debian's packages clickhouse-server and zookeeper. Fills it with batches while servers are killed, and holds its sums
# against those of a file.
#
#   cluster.sh [KILLS [HOSTS [BATCHES]]]     (20, 4 for each kill, 4 of each host); FLEET is the program that fills stores, DTPROF is dtprof
#
# Prints each kill; the last line is "same" or the difference.
set -u

kills=${1:-20} hosts=${2:-4} batches=${3:-4}
fleet=$(realpath "${FLEET:-build/tests/bench/fleet}") dtprof=$(realpath "${DTPROF:-build/dtprof}")
for program in clickhouse-server java; do
	command -v $program >/dev/null || { echo "cluster: there is no $program" >&2; exit 77; }
done
folder=$(mktemp -d) || exit 1
cd "$folder" || exit 1
trap 'kill -9 $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
base=$((20000 + RANDOM % 10000))

mkdir zookeeper
cat >zoo.cfg <<END
dataDir=$folder/zookeeper
clientPort=$base
clientPortAddress=127.0.0.1
admin.enableServer=false
END
java -cp "$(printf '%s:' /usr/share/java/*.jar)" -Dlog4j.rootLogger=ERROR org.apache.zookeeper.server.quorum.QuorumPeerMain zoo.cfg >zookeeper.log 2>&1 &

cat >users.xml <<END
<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users></yandex>
END
replica() { echo "<replica><host>127.0.0.1</host><port>$((base + 20 + $1))</port></replica>"; }
for server in 1 2 3 4; do
	mkdir -p server$server/data
	cat >server$server/config.xml <<END
<yandex><logger><level>error</level><log>$folder/server$server/log</log><errorlog>$folder/server$server/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>$((base + 10 + server))</http_port><tcp_port>$((base + 20 + server))</tcp_port>
<interserver_http_port>$((base + 30 + server))</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
<path>$folder/server$server/data/</path><tmp_path>$folder/server$server/tmp/</tmp_path><mark_cache_size>10000000</mark_cache_size>
<users_config>../users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<zookeeper><node><host>127.0.0.1</host><port>$base</port></node></zookeeper>
<macros><shard>$(((server + 1) / 2))</shard><replica>$server</replica></macros>
<remote_servers><fleet>
<shard><internal_replication>true</internal_replication>$(replica 1)$(replica 2)</shard>
<shard><internal_replication>true</internal_replication>$(replica 3)$(replica 4)</shard>
</fleet></remote_servers></yandex>
END
done
pids=()
start() {
	clickhouse-server --config-file="$folder/server$1/config.xml" >/dev/null 2>&1 &
	pids[$1]=$!
}
await_port() { for _ in $(seq 300); do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; sleep 0.2; done; return 1; }
await() { await_port $((base + 10 + $1)); }
await_port "$base" || { cat zookeeper.log; exit 1; }
for server in 1 2 3 4; do start $server; done
for server in 1 2 3 4; do await $server || { cat server$server/errors; exit 1; }; done
url() { echo "clickhouse://127.0.0.1:$((base + 10 + $1))/dtprof"; }
for server in 1 2 3 4; do "$dtprof" store init -q --cluster fleet --store "$(url $server)" || exit 1; done

# Each round adds batches of new hosts through one server, after those of the last round, which may be there in part; a kill hits
# any of the four.
for kill in $(seq "$kills"); do
	through=$((RANDOM % 4 + 1)) victim=$((RANDOM % 4 + 1)) delay=0.$((RANDOM % 9000 + 1000))
	"$fleet" "$(url $through)" $((2 * hosts)) "$batches" 30 300 $(((kill - 1) * hosts)) >fill.log 2>&1 &
	filler=$!
	sleep "$delay"
	kill -9 "${pids[$victim]}" 2>/dev/null
	wait "${pids[$victim]}" 2>/dev/null
	wait $filler
	echo "kill $kill: server $victim after $delay s, filled through $through: $(tail -1 fill.log)"
	start $victim
	await $victim
done
for _ in 1 2 3 4 5 6; do
	"$fleet" "$(url 1)" $(((kills + 1) * hosts)) "$batches" 30 && break
	sleep 5
done
"$fleet" "$folder/file.db" $(((kills + 1) * hosts)) "$batches" 30
for keys in typeoff,host type,sym day,host build,event cgroup,image; do
	"$dtprof" store report -q -s $keys --csv --store "$folder/file.db" >expected.$keys
	for server in 1 2 3 4; do
		# a replica that was killed has to fetch what it lacks
		for _ in $(seq 60); do
			"$dtprof" store report -q -s $keys --csv --store "$(url $server)" >shown.$keys
			cmp -s expected.$keys shown.$keys && break
			sleep 1
		done
		cmp -s expected.$keys shown.$keys || { diff expected.$keys shown.$keys | head -5; echo "server $server differs by $keys"; exit 1; }
	done
done
echo same
