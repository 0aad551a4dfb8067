#pragma once
#include <sqlite3.h>

/* Variadic, so out of Swift's reach: from now on the log stays as it is when the connection is closed. */
static inline int woodshed_sqlite3_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
