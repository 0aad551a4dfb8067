#pragma once
#include <sqlite3.h>

/* Variadic, so out of Swift's reach: from now on the log stays as it is when the connection is closed. */
static inline int woodshed_sqlite3_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Computed by macros that Swift does not see: a reader met the journal of a writer that was killed. */
static const int woodshed_sqlite3_readonly_rollback = SQLITE_READONLY_ROLLBACK;

/* A file is shorter than what was written into it. */
static const int woodshed_sqlite3_short_read = SQLITE_IOERR_SHORT_READ;
