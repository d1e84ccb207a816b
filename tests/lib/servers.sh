#!/bin/sh
# Private database servers for tests: as a command, or `. "$ROOT/tests/lib/servers.sh"`.
#
#   server_start KIND NAME [OPTION...]   KIND: postgresql, mysql. Options are the server's own:
#                         name=value (postgresql.conf, my.cnf), or `tls`. Up when it returns.
#   server_stop NAME      in order      server_kill NAME   SIGKILL, as a power cut for the program
#   server_again NAME     start it on its data and port after a stop or a kill
#   server_get NAME WHAT  url, root_url, tcp_url, tls_url, host (folder of the socket), socket,
#                         port, pid, dir, log, kind, ca
#   server_sql NAME SQL   run a text as the administrator; rows are lines, columns parted by |
#   server_cpu NAME       CPU that the server has used so far, in ticks of 10 ms
#   servers_place         choose the folder and export SERVERS (`place` prints it)
#   servers_end           end what this directory holds, and remove the data
#
# Users: bench with the password `secret` (database bench, its own); and the administrator, who
# needs no password by the socket. A server lives in $SERVERS/NAME (default: under $TMPDIR, or /tmp
# where the server's user cannot go). It never is the system's own. An empty data directory is kept
# under $BUILD/servers, so that a start takes under a second. Commits survive server_kill; they are
# not forced to the drive (fsync is off) unless an option says so.
# Skips the test (exit 77) where a server is not installed.

ROOT=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
SERVERS_FORM=4 # of the templates: they are made anew when it changes
SERVER_WAIT_S=${SERVER_WAIT_S:-60}

servers_die() {
    echo "servers: $*" >&2
    exit 1
}

servers_skip() {
    printf '1..0 # SKIP %s\n' "$1"
    exit 77
}

# the account that runs a server: ours, but PostgreSQL refuses root
servers_user() {
    [ "$(id -u)" = 0 ] || return 0
    for servers_name in postgres mysql nobody; do
        if id "$servers_name" >/dev/null 2>&1; then
            echo "$servers_name"
            return
        fi
    done
}

servers_exec() { # becomes the command, so that $! is its process
    servers_account=$(servers_user)
    TMPDIR=/tmp # the test's own may be none that the account can write to
    if [ -z "$servers_account" ]; then
        exec "$@"
    fi
    exec setpriv --reuid="$servers_account" --regid="$(id -g "$servers_account")" --clear-groups \
        "$@"
}

servers_as() {
    (servers_exec "$@")
}

# a folder that the account may reach; the path of a socket may not be long
servers_place() {
    if [ -z "${SERVERS-}" ]; then
        SERVERS=${TMPDIR:-/tmp}/db
        mkdir -p "$SERVERS" 2>/dev/null
        if [ "${#SERVERS}" -gt 75 ] || ! servers_as test -x "$SERVERS"; then
            SERVERS=$(mktemp -d /tmp/rawtps-db-XXXXXX) || servers_die 'no place for servers'
            chmod 755 "$SERVERS"
        fi
        export SERVERS
    fi
    mkdir -p "$SERVERS"
}

servers_bin() {
    for servers_dir in '' /usr/lib/postgresql/*/bin/ /usr/local/pgsql/bin/ /usr/sbin/ \
        /usr/libexec/; do
        servers_found=$(command -v "$servers_dir$1" 2>/dev/null) && echo "$servers_found" && return
    done
    return 1
}

servers_need() {
    servers_bin "$1" >/dev/null || servers_skip "$1 is not installed"
}

servers_mine() { # give a tree to the account
    servers_account=$(servers_user)
    [ -z "$servers_account" ] || chown -R "$servers_account" "$1"
}

server_get() {
    cat "$SERVERS/$1/is/$2"
}

servers_set() {
    printf '%s\n' "$3" >"$SERVERS/$1/is/$2"
}

servers_free_port() {
    while :; do
        servers_port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))
        # 0A: listening; the second field is address:port in hexadecimal
        servers_hex=$(printf ':%04X ' "$servers_port")
        cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q "$servers_hex" || break
    done
    echo "$servers_port"
}

servers_addresses() {
    if grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; then
        echo '127.0.0.1,::1'
    else
        echo 127.0.0.1
    fi
}

servers_certificate() { # in the current directory
    openssl req -new -x509 -days 3650 -nodes -newkey rsa:2048 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1 -keyout key.pem -out cert.pem \
        >/dev/null 2>&1
}

# ---- PostgreSQL --------------------------------------------------------------------------------

postgresql_template() { # DIR
    mkdir -p "$1" && servers_mine "$1"
    servers_as "$(servers_bin initdb)" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C \
        -N >"$1/log" 2>&1 || return 1
    cat >"$1/data/pg_hba.conf" <<'END'
local all postgres trust
local all all scram-sha-256
host all postgres 0.0.0.0/0 reject
host all postgres ::/0 reject
host all all 0.0.0.0/0 scram-sha-256
host all all ::/0 scram-sha-256
END
    cat >>"$1/data/postgresql.conf" <<'END'
fsync = off
full_page_writes = off
shared_buffers = 64MB
max_connections = 1100
max_wal_size = 512MB
logging_collector = off
log_checkpoints = off
password_encryption = 'scram-sha-256'
timezone = 'UTC'
END
    printf '%s\n' "CREATE ROLE bench LOGIN PASSWORD 'secret'" 'CREATE DATABASE bench OWNER bench' |
        while read -r servers_line; do
            echo "$servers_line" | servers_as "$(servers_bin postgres)" --single -D "$1/data" \
                postgres >>"$1/log" 2>&1 || return 1
        done
}

postgresql_options() { # NAME OPTION...
    servers_conf=$SERVERS/$1/data/postgresql.auto.conf
    servers_name=$1
    shift
    {
        echo "port = $(server_get "$servers_name" port)"
        echo "listen_addresses = '$(servers_addresses)'"
        echo "unix_socket_directories = '$SERVERS/$servers_name'"
        for servers_option in "$@"; do
            case $servers_option in
            tls)
                echo "ssl = on"
                echo "ssl_cert_file = '$SERVERS/$servers_name/cert.pem'"
                echo "ssl_key_file = '$SERVERS/$servers_name/key.pem'"
                ;;
            *=*) echo "${servers_option%%=*} = '${servers_option#*=}'" ;;
            esac
        done
    } >"$servers_conf"
}

postgresql_run() { # NAME
    servers_exec "$(servers_bin postgres)" -D "$SERVERS/$1/data" >>"$SERVERS/$1/log" 2>&1 \
        </dev/null &
}

postgresql_ready='ready to accept connections'
postgresql_failed='FATAL:|PANIC:'

# ---- MariaDB -----------------------------------------------------------------------------------

mysql_server() {
    servers_bin mariadbd || servers_bin mysqld
}

mysql_template() { # DIR
    mkdir -p "$1/data" && servers_mine "$1"
    TMPDIR=/tmp servers_as "$(servers_bin mariadb-install-db)" --no-defaults --datadir="$1/data" \
        --auth-root-authentication-method=normal --skip-test-db --skip-name-resolve \
        --innodb-log-file-size=16M >"$1/log" 2>&1 || return 1
    {
        echo "FLUSH PRIVILEGES;"
        echo "CREATE DATABASE bench;"
        for servers_host in % localhost; do
            echo "CREATE USER bench@'$servers_host' IDENTIFIED BY 'secret';"
            echo "GRANT ALL ON *.* TO bench@'$servers_host';"
        done
    } | TMPDIR=/tmp servers_as "$(mysql_server)" --no-defaults --bootstrap --datadir="$1/data" \
        --innodb-log-file-size=16M >>"$1/log" 2>&1
}

mysql_options() { # NAME OPTION...
    servers_name=$1
    servers_at=$SERVERS/$1
    shift
    {
        echo '[mysqld]'
        echo "datadir = $servers_at/data"
        echo "socket = $servers_at/socket"
        echo "tmpdir = $servers_at"
        echo "pid-file = $servers_at/server.pid"
        echo "port = $(server_get "$servers_name" port)"
        echo "bind-address = $(servers_addresses)"
        cat <<'END'
skip-name-resolve
innodb_buffer_pool_size = 64M
innodb_log_file_size = 16M
innodb_flush_log_at_trx_commit = 2
innodb_doublewrite = 0
innodb_buffer_pool_dump_at_shutdown = 0
innodb_buffer_pool_load_at_startup = 0
max_connections = 1100
table_open_cache = 400
local_infile = 1
thread_cache_size = 64
END
        for servers_option in "$@"; do
            case $servers_option in
            tls)
                echo "ssl-cert = $servers_at/cert.pem"
                echo "ssl-key = $servers_at/key.pem"
                ;;
            *=*) echo "${servers_option%%=*} = ${servers_option#*=}" ;;
            esac
        done
    } >"$servers_at/my.cnf"
}

mysql_run() { # NAME
    servers_exec "$(mysql_server)" --defaults-file="$SERVERS/$1/my.cnf" >>"$SERVERS/$1/log" 2>&1 \
        </dev/null &
}

mysql_ready='ready for connections'
mysql_failed='\[ERROR\] Abort|\[ERROR\] Can.t start server'

# ---- both --------------------------------------------------------------------------------------

servers_template() { # KIND; sets servers_from
    servers_from=$BUILD/servers/$1-$SERVERS_FORM
    [ -f "$servers_from/done" ] && return
    mkdir -p "$BUILD/servers"
    (
        flock 9
        [ -f "$servers_from/done" ] && exit 0
        # made where the account may go, then moved
        servers_new=$(mktemp -d /tmp/rawtps-template-XXXXXX) && chmod 755 "$servers_new"
        "$1_template" "$servers_new/new" || {
            cat "$servers_new/new/log" >&2
            rm -rf "$servers_new"
            exit 1
        }
        (cd "$servers_new/new" && servers_certificate)
        rm -rf "$servers_from" && mv "$servers_new/new" "$servers_from" &&
            touch "$servers_from/done"
        rmdir "$servers_new"
    ) 9>"$BUILD/servers/lock" || servers_die "no template for $1"
}

servers_urls() { # NAME KIND
    servers_port=$(server_get "$1" port)
    case $2 in
    postgresql)
        servers_host=$SERVERS/$1
        servers_root=postgres
        ;;
    mysql)
        servers_host=$SERVERS/$1/socket
        servers_root=root
        ;;
    esac
    servers_set "$1" host "$SERVERS/$1"
    servers_set "$1" socket "$SERVERS/$1/socket"
    servers_coded=$(printf %s "$servers_host" | sed 's|/|%2F|g')
    servers_set "$1" root_url "$2://$servers_root@$servers_coded:$servers_port/bench"
    servers_set "$1" url "$2://bench:secret@$servers_coded:$servers_port/bench"
    servers_set "$1" tcp_url "$2://bench:secret@127.0.0.1:$servers_port/bench?sslmode=disable"
    servers_set "$1" tls_url "$2://bench:secret@127.0.0.1:$servers_port/bench?sslmode=require"
    servers_set "$1" ca "$SERVERS/$1/cert.pem"
}

servers_up() { # NAME: run it and wait; 1 if it ended
    servers_kind=$(server_get "$1" kind)
    servers_log=$SERVERS/$1/log
    : >"$servers_log"
    "${servers_kind}_run" "$1"
    servers_pid=$!
    servers_set "$1" pid "$servers_pid"
    eval "servers_ready=\$${servers_kind}_ready"
    servers_left=$((SERVER_WAIT_S * 50))
    until grep -q "$servers_ready" "$servers_log"; do
        servers_left=$((servers_left - 1))
        if ! kill -0 "$servers_pid" 2>/dev/null || [ "$servers_left" -le 0 ]; then
            return 1
        fi
        sleep 0.02
    done
}

server_start() {
    servers_place
    servers_kind=$1 servers_which=$2
    case $servers_kind in
    postgresql) servers_need postgres && servers_need initdb ;;
    mysql) mysql_server >/dev/null || servers_skip 'mariadbd is not installed'
        servers_need mariadb-install-db ;;
    *) servers_die "what is a $1?" ;;
    esac
    [ -z "$(servers_user)" ] || command -v setpriv >/dev/null || servers_skip 'no setpriv'
    shift 2
    servers_template "$servers_kind"
    rm -rf "${SERVERS:?}/$servers_which"
    cp -a "$servers_from" "$SERVERS/$servers_which" || servers_die 'cannot copy the template'
    mkdir "$SERVERS/$servers_which/is"
    chmod 600 "$SERVERS/$servers_which/key.pem" 2>/dev/null
    servers_mine "$SERVERS/$servers_which"
    servers_set "$servers_which" kind "$servers_kind"
    servers_set "$servers_which" dir "$SERVERS/$servers_which"
    servers_set "$servers_which" log "$SERVERS/$servers_which/log"
    for servers_try in 1 2 3 4 5; do
        servers_set "$servers_which" port "$(servers_free_port)"
        "${servers_kind}_options" "$servers_which" "$@"
        servers_urls "$servers_which" "$servers_kind"
        servers_up "$servers_which" && return 0
        # somebody took the port in the meantime
        grep -q 'in use' "$SERVERS/$servers_which/log" || break
    done
    cat "$SERVERS/$servers_which/log" >&2
    servers_die "$servers_kind did not start"
}

server_again() {
    servers_place
    servers_up "$1" || {
        cat "$SERVERS/$1/log" >&2
        servers_die "$1 did not start again"
    }
}

servers_gone() { # PID
    servers_left=1500
    while kill -0 "$1" 2>/dev/null; do
        # our own child that nobody has waited for
        case $(cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null) in Z | '') break ;; esac
        servers_left=$((servers_left - 1))
        [ "$servers_left" -gt 0 ] || return 1
        sleep 0.02
    done
    wait "$1" 2>/dev/null
    return 0
}

server_stop() {
    servers_pid=$(server_get "$1" pid)
    servers_signal=TERM
    [ "$(server_get "$1" kind)" = mysql ] || servers_signal=INT # fast: connections are ended
    kill -"$servers_signal" "$servers_pid" 2>/dev/null
    servers_gone "$servers_pid" || server_kill "$1"
}

server_kill() {
    servers_pid=$(server_get "$1" pid)
    servers_children=$(cat "/proc/$servers_pid/task/$servers_pid/children" 2>/dev/null)
    kill -KILL "$servers_pid" 2>/dev/null
    # PostgreSQL's other processes hold its shared memory: they are part of the same server
    for servers_child in $servers_children; do
        kill -KILL "$servers_child" 2>/dev/null
    done
    servers_gone "$servers_pid"
    for servers_child in $servers_children; do
        servers_gone "$servers_child"
    done
    # they name a process that may be a zombie yet, which PostgreSQL takes for a running server
    rm -f "$SERVERS/$1/data/postmaster.pid" "$SERVERS/$1"/.s.PGSQL.*
}

server_sql() {
    case $(server_get "$1" kind) in
    postgresql)
        psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$SERVERS/$1" -p "$(server_get "$1" port)" \
            -U postgres -d bench -c "$2"
        ;;
    mysql)
        mariadb --no-defaults -N -B -S "$SERVERS/$1/socket" -u root bench -e "$2" | tr '\t' '|'
        ;;
    esac
}

server_cpu() {
    servers_pid=$(server_get "$1" pid)
    servers_children=$(cat "/proc/$servers_pid/task/$servers_pid/children" 2>/dev/null)
    servers_sum=0
    for servers_child in "$servers_pid" $servers_children; do
        # behind the name: utime and stime, and those of children that have ended
        servers_sum=$((servers_sum + $(sed 's/.*) //' "/proc/$servers_child/stat" 2>/dev/null |
            awk '{ n = $12 + $13 + $14 + $15 } END { print n + 0 }')))
    done
    echo "$servers_sum"
}

servers_end() {
    [ -n "${SERVERS-}" ] || return 0
    for servers_each in "$SERVERS"/*/is/pid; do
        [ -f "$servers_each" ] || continue
        servers_each=${servers_each%/is/pid}
        server_kill "${servers_each##*/}" 2>/dev/null
    done
    rm -rf "${SERVERS:?}"
}

case ${0##*/} in
servers.sh)
    servers_word=${1-}
    case $servers_word in
    start | stop | kill | again | get | sql | cpu)
        shift
        [ -n "${SERVERS-}" ] || servers_die 'as a command it needs $SERVERS, the folder of servers'
        [ "$servers_word" = start ] || servers_place
        "server_$servers_word" "$@"
        ;;
    end) servers_end ;;
    place) servers_place && echo "$SERVERS" ;;
    *) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    ;;
esac
