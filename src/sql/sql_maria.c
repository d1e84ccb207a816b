#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql_mysql.h"

/*
 * libmariadb connects: names, addresses, passwords and their plugins, TLS. Then the socket is taken
 * from it and sql_maria_wire speaks; a connection by TLS stays with its non-blocking calls.
 */
enum { TIMEOUT_S = 10, DEPRECATE_EOF = 1 << 24, STACK_BYTES = 0 /* libmariadb's own, 60 KiB */ };

static inline struct sql_maria *maria_of(struct sql *sql)
{
    return (struct sql_maria *)sql;
}

/* ---- errors of connecting -------------------------------------------------------------------- */

static const char *advice_of(unsigned number)
{
    switch (number) {
    case 1045: /* ER_ACCESS_DENIED_ERROR */
        return "give the right user and password in the URL, in MYSQL_PWD or in ~/.my.cnf";
    case 1044: /* ER_DBACCESS_DENIED_ERROR */
        return "GRANT ALL ON database.* TO the user, or name another database";
    case 1049: /* ER_BAD_DB_ERROR */
        return "name another database in the URL, or make it: CREATE DATABASE";
    case 1040: /* ER_CON_COUNT_ERROR */
    case 1203: /* ER_TOO_MANY_USER_CONNECTIONS */
    case 1226:
        return "use fewer connections, or raise max_connections on the server";
    case 1130: /* ER_HOST_NOT_PRIVILEGED */
        return "the server lets nobody in from this host: CREATE USER user@'%'";
    case CR_CONNECTION_ERROR: /* 2002: by socket, and libmariadb's for TCP too */
    case CR_CONN_HOST_ERROR:
        return "is the server running there, and does it listen on this port or socket?";
    case CR_UNKNOWN_HOST:
        return "is the name of the host right?";
    case CR_SSL_CONNECTION_ERROR:
        return "see sslmode and sslrootcert in the URL, and ssl-cert in the server's settings";
    case CR_AUTH_PLUGIN_CANNOT_LOAD:
        return "install the client plugin of this kind of password (MARIADB_PLUGIN_DIR says where)";
    default:
        return NULL;
    }
}

int sql_mysql_error(struct error *err, const struct sql_url *url, MYSQL *mysql)
{
    char words[MYSQL_ERRMSG_SIZE];

    if (mysql_errno(mysql) == 0) {
        return sql_url_error(err, url, "the server offers no TLS",
                             "sslmode=disable in the URL, or ssl-cert and ssl-key in the server's "
                             "settings");
    }

    snprintf(words, sizeof(words), "%.*s", (int)strcspn(mysql_error(mysql), "\n"),
             mysql_error(mysql));
    return sql_url_error(err, url, words[0] ? words : "libmariadb gives no reason",
                         advice_of(mysql_errno(mysql)));
}

/* ---- connecting ------------------------------------------------------------------------------ */

static void library_begin(void)
{
    mysql_server_init(0, NULL, NULL);
}

static int64_t timeout_s(const struct sql_url *url)
{
    char text[16];
    int seconds = sql_url_option(url, "connect_timeout", text, sizeof(text)) ? atoi(text) : 0;

    return seconds ? seconds : TIMEOUT_S;
}

/* Only if it is demanded: libmariadb prefers nothing, and what it encrypts costs a thread. */
bool sql_mysql_by_tls(const struct sql_url *url)
{
    char text[32];

    return sql_url_option(url, "sslmode", text, sizeof(text)) &&
           (strcmp(text, "require") == 0 || strncmp(text, "verify", 6) == 0);
}

static void set_tls(MYSQL *mysql, const struct sql_url *url)
{
    char text[256];
    my_bool on = 1, off = 0;

    if (sql_url_option(url, "sslrootcert", text, sizeof(text))) {
        mysql_optionsv(mysql, MYSQL_OPT_SSL_CA, text);
    }
    if (sql_url_option(url, "sslcert", text, sizeof(text))) {
        mysql_optionsv(mysql, MYSQL_OPT_SSL_CERT, text);
    }
    if (sql_url_option(url, "sslkey", text, sizeof(text))) {
        mysql_optionsv(mysql, MYSQL_OPT_SSL_KEY, text);
    }
    if (!sql_mysql_by_tls(url)) {
        mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &off);
        mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &off);
        return;
    }
    sql_url_option(url, "sslmode", text, sizeof(text));
    if (strcmp(text, "require") == 0) {
        mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &on);
        mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &off);
    } else {
        mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &on);
        mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &on);
    }
}

/* ~/.my.cnf is asked for what the URL and the environment do not say. */
static void set_home(MYSQL *mysql, const struct sql_url *url)
{
    const char *home = getenv("HOME");
    char file[400];

    if (url->password[0] || getenv("MYSQL_PWD") || home == NULL) {
        return;
    }
    snprintf(file, sizeof(file), "%s/.my.cnf", home);
    if (access(file, R_OK) == 0) {
        mysql_optionsv(mysql, MYSQL_READ_DEFAULT_FILE, file);
        mysql_optionsv(mysql, MYSQL_READ_DEFAULT_GROUP, "client");
    }
}

MYSQL *sql_mysql_open(const struct sql_url *url, struct sql_mysql_place *ret)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned protocol = MYSQL_PROTOCOL_TCP, seconds = (unsigned)timeout_s(url);
    MYSQL *mysql;

    pthread_once(&once, library_begin);
    mysql = mysql_init(NULL);
    if (mysql == NULL) {
        return NULL;
    }
    *ret = (struct sql_mysql_place){
        .host = url->host[0] && url->host[0] != '/' ? url->host : NULL,
        .user = url->user[0] ? url->user : NULL,
        .password = url->password[0] ? url->password : NULL,
        .database = url->database[0] ? url->database : NULL,
        .socket = url->host[0] == '/' ? url->host : NULL,
        .port = url->port[0] ? (unsigned)atoi(url->port) : 0,
        .flags = CLIENT_FOUND_ROWS | CLIENT_MULTI_RESULTS,
    };
    mysql_optionsv(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_optionsv(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    if (ret->host && ret->port) { /* else libmariadb takes a socket for localhost */
        mysql_optionsv(mysql, MYSQL_OPT_PROTOCOL, &protocol);
    }
    set_tls(mysql, url);
    set_home(mysql, url);
    return mysql;
}

void sql_mysql_forget(struct sql_maria *maria)
{
    if (maria->url) {
        explicit_bzero(maria->url, sizeof(*maria->url));
        mem_free(maria->url);
        maria->url = NULL;
    }
}

/* The library is given something else to say goodbye to. Negative: errno. */
static int take_socket(MYSQL *mysql)
{
    int own = (int)mysql_get_socket(mysql), fd = fcntl(own, F_DUPFD_CLOEXEC, 3), nothing;

    if (fd < 0) {
        return -errno;
    }
    nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, own) < 0) {
        close(fd);
        fd = -errno;
    }
    if (nothing >= 0) {
        close(nothing);
    }
    return fd;
}

/* A call that waits must come to its end before anything else may be asked of the library. */
static void maria_connecting_free(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    MYSQL *ret, *mysql = maria->library;

    for (int i = 0; mysql && maria->waits && i < 16; i++) {
        maria->waits = mysql_real_connect_cont(&ret, mysql, MYSQL_WAIT_TIMEOUT) != 0;
    }
    if (mysql && !maria->waits) {
        mysql_close(mysql);
    }
    sql_mysql_forget(maria);
    sql_maria_free(sql);
}

static void maria_stand(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    MYSQL *mysql = maria->library;
    struct error err = {0};
    int fd;

    maria->deprecate_eof = mysql->client_flag & mysql->server_capabilities & DEPRECATE_EOF;
    maria->no_backslashes = mysql->server_status & SERVER_STATUS_NO_BACKSLASH_ESCAPES;
    fd = take_socket(mysql);
    if (fd < 0) {
        sql_url_error(&err, maria->url, strerror(-fd), "ulimit -n: how many files may be open");
        sql_session_fail(sql, &err);
        return;
    }
    mysql_close(mysql);
    maria->library = NULL;
    sql_mysql_forget(maria);
    sql_session_stand(sql, fd, &sql_maria_speech);
}

uint32_t sql_mysql_events(int status)
{
    return (uint32_t)((status & MYSQL_WAIT_READ ? POLLIN : 0) |
                      (status & MYSQL_WAIT_WRITE ? POLLOUT : 0) |
                      (status & MYSQL_WAIT_EXCEPT ? POLLPRI : 0));
}

int sql_mysql_status(uint32_t revents)
{
    return (revents & (POLLIN | POLLHUP | POLLERR) ? MYSQL_WAIT_READ : 0) |
           (revents & (POLLOUT | POLLHUP | POLLERR) ? MYSQL_WAIT_WRITE : 0) |
           (revents & POLLPRI ? MYSQL_WAIT_EXCEPT : 0);
}

static void maria_connecting_step(struct sql *sql, int status, MYSQL *done)
{
    struct sql_maria *maria = maria_of(sql);
    struct error err = {0};

    maria->waits = status != 0;
    if (status) {
        sql_session_wait(sql, (int)mysql_get_socket(maria->library), sql_mysql_events(status));
    } else if (done) {
        maria_stand(sql);
    } else {
        sql_mysql_error(&err, maria->url, maria->library);
        sql_mysql_forget(maria);
        sql_session_fail(sql, &err);
    }
}

static void maria_connecting(struct sql *sql)
{
    MYSQL *done = NULL;
    int status =
        mysql_real_connect_cont(&done, maria_of(sql)->library, sql_mysql_status(sql->in.revents));

    maria_connecting_step(sql, status, done);
}

static const struct sql_speech connecting_speech = {
    .ready = maria_connecting,
    .free = maria_connecting_free,
};

static int maria_connect_by_thread(struct sql **ret, struct sql_maria *maria,
                                   const struct sql_mysql_place *place, struct error *err)
{
    int code = sql_mysql_thread_start(&maria->sql, maria->library, place);

    if (code) {
        loop_disarm(maria->sql.loop, &maria->sql.timer);
        maria_connecting_free(&maria->sql);
        error_set(err, EXIT_FAILED, code, "no thread for a connection by TLS: %s", strerror(-code));
        return error_hint(err, "ulimit -u and -n, or sslmode=disable in the URL");
    }
    maria->library = NULL; /* the thread's */
    *ret = &maria->sql;
    return 0;
}

static int maria_connect(struct sql **ret, struct loop *loop, const struct sql_url *url,
                         const struct sql_options *options,
                         void (*connected)(void *context, struct sql *, const struct error *err),
                         void *context, struct error *err)
{
    struct sql_maria *maria = mem_zalloc(sizeof(*maria));
    struct sql_mysql_place place;
    MYSQL *done = NULL;
    int status;

    if (!loop_polls(loop)) {
        mem_free(maria);
        return error_set(err, EXIT_USAGE, -EINVAL, "a real server needs real time");
    }
    if (maria) {
        maria->url = mem_zalloc(sizeof(*maria->url));
        maria->statements =
            mem_array(options->prepared ? options->statements : 0, sizeof(*maria->statements));
        sql_session_init(&maria->sql, loop, options, connected, context);
        maria->sql.speech = &connecting_speech;
    }
    if (maria && maria->url && maria->statements) {
        *maria->url = *url;
        maria->library = sql_mysql_open(maria->url, &place);
    }
    if (maria == NULL || maria->library == NULL) {
        if (maria) {
            maria_connecting_free(&maria->sql);
        }
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a connection");
    }
    loop_arm(loop, &maria->sql.timer, loop->now_ns + timeout_s(url) * 1000000000);
    if (sql_mysql_by_tls(url)) {
        return maria_connect_by_thread(ret, maria, &place, err);
    }
    mysql_optionsv(maria->library, MYSQL_OPT_NONBLOCK, STACK_BYTES);
    status = mysql_real_connect_start(&done, maria->library, place.host, place.user, place.password,
                                      place.database, place.port, place.socket, place.flags);
    if (status == 0 && done == NULL) {
        int code = sql_mysql_error(err, url, maria->library);

        loop_disarm(loop, &maria->sql.timer);
        maria_connecting_free(&maria->sql);
        return code;
    }
    *ret = &maria->sql;
    maria_connecting_step(&maria->sql, status, done);
    return 0;
}

static uint64_t maria_memory_bytes(const struct sql *sql)
{
    uint64_t statements = sql->prepared ? sql->statements : 0;

    return sizeof(struct sql_maria) + statements * sizeof(struct maria_statement) +
           sql_session_memory_bytes(sql);
}

static const struct sql_ops maria_ops = {
    .name = "maria",
    .connect = maria_connect,
    .begin = sql_session_begin,
    .close = sql_session_close,
    .memory_bytes = maria_memory_bytes,
};

const struct sql_ops *sql_maria_driver(const struct sql_plain_ops **ret_plain, struct error *err)
{
    if (ret_plain) {
        *ret_plain = &sql_maria_plain_ops;
    }
    return &maria_ops;
}
