#pragma once
#include <sqlite3.h>

/* Variadic, so Swift cannot call it. Afterwards, closing the connection leaves the log as it is. */
static inline int woodshed_sqlite3_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Means that a reader found the journal of a killed writer. Defined here because Swift does not see the macro. */
static const int woodshed_sqlite3_readonly_rollback = SQLITE_READONLY_ROLLBACK;

/* Means that a file is shorter than the data written to it. */
static const int woodshed_sqlite3_short_read = SQLITE_IOERR_SHORT_READ;
