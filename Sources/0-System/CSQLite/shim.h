#pragma once
#include <sqlite3.h>

/* Makes closing the connection leave the write-ahead log as it is. Swift cannot call `sqlite3_db_config` itself, since it is variadic. */
static inline int woodshed_sqlite3_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Means that a reader found the journal of a killed writer. Defined here because Swift does not see the macro. */
static const int woodshed_sqlite3_readonly_rollback = SQLITE_READONLY_ROLLBACK;

/* Means that a file is shorter than the data written to it. */
static const int woodshed_sqlite3_short_read = SQLITE_IOERR_SHORT_READ;
