/* The yardstick of bench_test.go: what a plain C program needs to write and
   to read the table of events, one row at a time.

   usage: bench write FILE EVENTS DDL | bench read FILE EVENTS

   The events are those of benchEvent in bench_test.go. */
#include "sqlite3-binding.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

static void check(int rc) {
  if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    exit(2);
  }
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, 0, 0, 0)); }

enum { PROCESSES = 16, WIDTH = PROCESSES + 1, TYPES = 6, SEND = 5, RECEIVE = 6, PAYLOAD = 56 };

static void write_events(long long n, const char *ddl) {
  sqlite3_stmt *s;
  char payload[PAYLOAD + 1] = "\"round\":10000000,\"value\":\"abcdefghijkl\",\"hops\":123,\"x\":1";
  run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN");
  run(ddl);
  check(sqlite3_prepare_v2(db, "INSERT INTO event VALUES(?,?,?,?,?,?,?,?)", -1, &s, 0));
  for (long long q = 1; q <= n; q++) {
    int receive = q % 2 == 0 && q > 64;
    long long distance = receive ? q * 7 % 31 * 2 + 1 : 0, sent = q - distance, v = q;
    long long from = sent % PROCESSES + 1, to = sent * 5 % PROCESSES + 1;
    long long process = receive ? to : from, peer = receive ? from : to;
    for (int i = 15; i > 8; i--, v /= 10) payload[i] = '0' + v % 10;
    sqlite3_bind_int64(s, 1, q);
    sqlite3_bind_int64(s, 2, q * 137000000LL);
    sqlite3_bind_int64(s, 3, ((((sent - 1) % TYPES + 1) * WIDTH + process) * WIDTH + peer) * 32 + (receive ? RECEIVE : SEND));
    sqlite3_bind_int64(s, 4, (sent + 1) / 2);
    sqlite3_bind_int64(s, 5, distance);
    sqlite3_bind_int64(s, 6, q / 3 + 1);
    sqlite3_bind_int64(s, 7, 0);
    sqlite3_bind_text(s, 8, payload, PAYLOAD, SQLITE_STATIC);
    check(sqlite3_step(s));
    sqlite3_reset(s);
  }
  sqlite3_finalize(s);
  run("COMMIT");
}

static void read_events(long long n) {
  sqlite3_stmt *s;
  long long rows = 0;
  unsigned long long sum = 0;
  int rc;
  check(sqlite3_prepare_v2(db, "SELECT id, time, who, message, cause, lamport, term, payload FROM event WHERE id BETWEEN 1 AND ? ORDER BY id",
                           -1, &s, 0));
  sqlite3_bind_int64(s, 1, n);
  while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
    char payload[256];
    for (int i = 0; i < 7; i++) sum += (unsigned long long)sqlite3_column_int64(s, i);
    const unsigned char *text = sqlite3_column_text(s, 7);
    int length = sqlite3_column_bytes(s, 7);
    memcpy(payload, text, length);
    sum += payload[length / 2];
    rows++;
  }
  check(rc);
  sqlite3_finalize(s);
  if (rows != n) exit(3);
  printf("%llu\n", sum);
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  check(sqlite3_open(argv[2], &db));
  if (strcmp(argv[1], "write") == 0)
    write_events(atoll(argv[3]), argv[4]);
  else
    read_events(atoll(argv[3]));
  return sqlite3_close(db);
}
