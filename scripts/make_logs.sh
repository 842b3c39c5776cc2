#!/usr/bin/env bash
# Makes logs of many programs on this machine, one DIR/NAME.log each, to measure the encodings on.
# A program that is missing is named and skipped. Nothing outside of DIR and a temporary folder
# is written; servers listen on loopback only and are stopped at the end.
#
#     scripts/make_logs.sh DIR
set -uo pipefail

dir=$(mkdir -p "${1:?usage: make_logs.sh DIR}" && cd "$1" && pwd)
work=$(mktemp -d)
servers=()
finish() {
    for pid in "${servers[@]:-}"; do [ -n "$pid" ] && kill "$pid" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

# log NAME PROGRAM... : runs the function make_NAME where every program is there.
log() {
    local name=$1 program
    shift
    for program in "$@"; do
        if ! command -v "$program" >/dev/null; then
            echo "skipped $name: no $program"
            return
        fi
    done
    if (cd "$work" && "make_$name") >"$dir/$name.log" 2>&1; then :; fi
    if [ ! -s "$dir/$name.log" ]; then
        rm -f "$dir/$name.log"
        echo "skipped $name: it wrote nothing"
        return
    fi
    # What is longer says nothing new.
    head -c 1000000 "$dir/$name.log" >"$work/cut" && mv "$work/cut" "$dir/$name.log"
    echo "made $name: $(wc -l <"$dir/$name.log") lines"
}

small_crate() {
    [ -d crate ] && return
    mkdir -p crate/src && cd crate
    printf '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nserde = { version = "1", features = ["derive"] }\nserde_json = "1"\nregex = "1"\n' >Cargo.toml
    {
        echo 'pub fn double(x: u64) -> u64 { x * 2 }'
        echo '#[cfg(test)] mod tests {'
        for n in $(seq 1 150); do echo "#[test] fn doubles_case_$n() { assert_eq!(super::double($n), $((n * 2))); }"; done
        echo '#[test] fn is_wrong() { assert_eq!(super::double(2), 5); }'
        echo '}'
    } >src/lib.rs
    cd ..
}
make_cargo_build() { small_crate; cd crate && CARGO_TARGET_DIR=$work/target cargo build -j1 --color never; }
make_cargo_verbose() { small_crate; cd crate && CARGO_TARGET_DIR=$work/target2 cargo build -j1 -v --color never; }
make_cargo_test() { small_crate; cd crate && CARGO_TARGET_DIR=$work/target cargo test -j1 --color never -- --test-threads 1; }

make_pip() { python3 -m pip install --no-cache-dir --progress-bar off --target pip flask requests rich pytest; }
make_pip_verbose() { python3 -m pip install -vv --dry-run --no-cache-dir --progress-bar off --target pip2 flask; }
make_npm() { mkdir -p npm && cd npm && npm init -y >/dev/null && npm install --loglevel silly --no-fund --no-audit express chalk eslint; }
make_dpkg() { tail -n 4000 /var/log/dpkg.log; }
make_apt() { apt-get install --simulate --reinstall $(dpkg-query -W -f '${Package}\n' | head -150); }

postgres_bin() { for bin in /usr/lib/postgresql/*/bin; do echo "$bin"; done | tail -1; }
make_postgres() {
    local bin=$(postgres_bin) as=()
    [ "$(id -u)" = 0 ] && as=(setpriv --reuid postgres --regid postgres --clear-groups)
    mkdir pg && chmod 711 "$work" && { [ "$(id -u)" != 0 ] || chown postgres pg; }
    "${as[@]}" "$bin/initdb" -A trust -U postgres -D pg/data >/dev/null
    "${as[@]}" "$bin/pg_ctl" -D pg/data -w -l pg/log -o "-p 54399 -c listen_addresses=127.0.0.1 -c unix_socket_directories=$work/pg -c log_statement=all -c log_duration=on -c log_connections=on -c log_line_prefix='%m [%p] '" start >/dev/null
    "$bin/createdb" -h 127.0.0.1 -p 54399 -U postgres bench
    "$bin/pgbench" -h 127.0.0.1 -p 54399 -U postgres -i bench >/dev/null 2>&1
    "$bin/pgbench" -h 127.0.0.1 -p 54399 -U postgres -c 3 -t 60 bench >/dev/null 2>&1
    "$bin/psql" -h 127.0.0.1 -p 54399 -U postgres -c 'select 1/0' bench >/dev/null 2>&1
    "${as[@]}" "$bin/pg_ctl" -D pg/data -w stop >/dev/null
    cat pg/log
}
make_redis() {
    redis-server --port 63999 --loglevel debug --save '1 10' --dir "$work" >redis.txt 2>&1 &
    local pid=$! n
    sleep 1
    for n in $(seq 1 120); do redis-cli -p 63999 set "key:$n" "value $n"; done >/dev/null
    sleep 6
    kill "$pid"; wait "$pid"; cat redis.txt
}
make_redis_monitor() {
    redis-server --port 63998 --save '' --dir "$work" >/dev/null 2>&1 &
    local pid=$!
    sleep 1
    redis-cli -p 63998 monitor >monitor.txt &
    local reader=$!
    sleep 1
    redis-benchmark -p 63998 -n 150 -c 3 -r 1000 -t set,get,incr,lpush,hset -q >/dev/null 2>&1
    sleep 1
    kill "$reader" "$pid"; wait "$reader" "$pid"; cat monitor.txt
}
make_nats() {
    timeout 6 nats-server -a 127.0.0.1 -p 42999 -DV &
    sleep 1
    local n
    for n in $(seq 1 60); do
        exec 9<>/dev/tcp/127.0.0.1/42999 || continue
        printf 'CONNECT {"verbose":false,"name":"c%d"}\r\nSUB news.%d 1\r\nPUB news.%d 5\r\nhello\r\nPING\r\n' "$n" "$n" "$n" >&9
        sleep 0.02
        exec 9>&-
    done
    wait
}
make_mosquitto() {
    timeout 6 mosquitto -v -p 18899 &
    sleep 1
    local n
    for n in $(seq 1 80); do mosquitto_pub -p 18899 -i "probe-$n" -t "room/$((n % 7))/heat" -m "$n" -q 1; done
    wait
}
make_rabbitmq() { cat /var/log/rabbitmq/*.log | tail -n 3000; }
make_access() {
    mkdir -p www/a && for n in $(seq 1 30); do echo "$n" >"www/a/page$n.html"; done
    timeout 20 python3 -m http.server -b 127.0.0.1 -d www 18080 >access.txt 2>&1 &
    sleep 1
    local n
    for n in $(seq 1 300); do curl -s -o /dev/null "http://127.0.0.1:18080/a/page$((n * 7 % 34)).html?user=$n"; done
    kill %1; wait; cat access.txt
}
tests_in_python() {
    [ -f test_small.py ] && return
    {
        echo 'import unittest'
        for c in Parser Router Cache; do
            echo "class Test$c(unittest.TestCase):"
            for n in $(seq 1 60); do echo "    def test_case_$n(self): self.assertEqual($n % 59 == 0, False)"; done
        done
    } >test_small.py
}
make_unittest() { tests_in_python; python3 -m unittest -v test_small; }
make_pytest() { tests_in_python; [ -d pip/pytest ] || python3 -m pip install -q --target pip pytest; PYTHONPATH=pip python3 -m pytest -v --durations=20 test_small.py; }
make_node_test() {
    { echo "const test = require('node:test'); const assert = require('node:assert');"
      for n in $(seq 1 120); do echo "test('adds case $n', () => assert.equal($n % 61 === 0, false));"; done; } >small.test.js
    node --test --test-reporter=tap small.test.js
}
small_repository() {
    [ -d repo ] && return
    git init -q repo && cd repo
    local n
    for n in $(seq 1 80); do
        mkdir -p "src/part$((n % 9))" && seq "$n" $((n * 3)) >"src/part$((n % 9))/file$((n % 23)).txt"
        git add -A && git -c user.name='Ada Lovelace' -c user.email=ada@example.org commit -qm "part $((n % 9)): Write file $((n % 23)) anew"
    done
    cd ..
}
make_git_log() { small_repository; git -C repo log --stat; }
make_git_oneline() { small_repository; git -C repo log --format='%h %ad %an %s' --date=iso; }
make_strace() { strace -f -tt sh -c 'ls -l /usr/lib; cat /etc/passwd | sort; id' 2>&1 >/dev/null; }
make_ls() { ls -lR /usr/include/linux /etc; }
make_find() { find /usr/share/doc -maxdepth 2 -ls | head -3000; }
make_ps() { ps aux; }
make_top() { COLUMNS=120 top -b -n 6 -d 0.3 -w 120; }
make_ss() { ss -tanp; ss -xap; }
make_ping() { ping -c 60 -i 0.2 127.0.0.1; }
make_dmesg() { dmesg; }
make_journal() { journalctl --no-pager -n 3000; }
make_gcc() { for n in 1 2 3 4 5 6; do echo "int f$n(int x) { return x + $n; }" >"f$n.c"; gcc -v -c "f$n.c"; done; }
make_make() {
    { echo 'all: $(patsubst %,o/%.o,$(shell seq 1 120))'; printf 'o/%%.o:\n\tcc -O2 -Wall -Iinclude -DPART=$* -c src/part$*.c -o $@\n'; } >Makefile
    make -n
}
make_curl() { python3 -m http.server -b 127.0.0.1 18081 >/dev/null 2>&1 & sleep 1; for n in 1 2 3 4 5 6 7 8; do curl -sv -o /dev/null "http://127.0.0.1:18081/?n=$n"; done; kill %1; }
make_tar() { tar -cvvf /dev/null /usr/share/zoneinfo/Europe /usr/lib/git-core 2>/dev/null || tar -cvvf /dev/null /usr/share/doc; }
make_rsync() { rsync -avi /usr/share/doc/ copy/ | head -2000; }
make_app() {
    python3 - <<'PY'
import logging, random, sys
random.seed(7)
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG,
    format='%(asctime)s.%(msecs)03d %(levelname)-7s [%(threadName)s] %(name)s: %(message)s', datefmt='%Y-%m-%d %H:%M:%S')
db, web, jobs = (logging.getLogger(f'shop.{n}') for n in ('db', 'web', 'jobs'))
for n in range(700):
    user = random.randint(1000, 1099)
    web.info('GET /api/orders/%d user=%d status=%d bytes=%d', 5000 + n, user, random.choice([200] * 9 + [404]), random.randint(200, 9000))
    db.debug('query took %.2f ms rows=%d table=%s', random.random() * 20, random.randint(0, 50), random.choice(['orders', 'users', 'items']))
    if n % 5 == 0: jobs.info('job %08x queued for user %d', random.getrandbits(32), user)
    if n % 90 == 0: jobs.error('job %08x failed: deadline exceeded after 3 tries', random.getrandbits(32))
PY
}

log cargo_build cargo
log cargo_verbose cargo
log cargo_test cargo
log pip python3
log pip_verbose python3
log npm npm
log dpkg dpkg
log apt apt-get
log postgres initdb pg_ctl pgbench
log redis redis-server redis-cli
log redis_monitor redis-server redis-benchmark
log nats nats-server
log mosquitto mosquitto mosquitto_pub
log rabbitmq rabbitmq-server
log access python3 curl
log unittest python3
log pytest python3
log node_test node
log git_log git
log git_oneline git
log strace strace
log ls ls
log find find
log ps ps
log top top
log ss ss
log ping ping
log dmesg dmesg
log journal journalctl
log gcc gcc
log make make
log curl curl python3
log tar tar
log rsync rsync
log app python3
