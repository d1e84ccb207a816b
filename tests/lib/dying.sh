# A server that dies while a command works with it; beside tap.sh and servers.sh.

# while_dying ARG...: rawtps with these, and server s killed after 3 s; then $code, $out, $err
while_dying() {
    "$RAWTPS" "$@" >out 2>err </dev/null &
    pid=$!
    sleep 3
    server_kill s
    code=0
    wait "$pid" || code=$?
    out=$(cat out) err=$(cat err)
}
