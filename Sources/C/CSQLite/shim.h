// The header of SQLite, and functions for what Swift cannot import from it.
#ifndef TONEARM_CSQLITE_SHIM_H
#define TONEARM_CSQLITE_SHIM_H
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import. As a destructor it makes SQLite copy the bound value.
static inline sqlite3_destructor_type CSQLite_transient(void) { return SQLITE_TRANSIENT; }

// Turns defensive mode on: SQLite then refuses statements that could damage the database file. sqlite3_db_config has variable arguments, which Swift
// does not import. Returns SQLite's result code.
static inline int CSQLite_setDefensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
#endif
