/* Preloaded into a program, this delays its disk writes, and may kill the program between any two steps of a write. It has no functions
 * to call.
 * WOODSHED_LATE_DISK=seed,longest,kill: each step may take up to `longest` milliseconds more, depending on `seed`. The program is killed
 * before or after step number `kill`, or not at all if `kill` is 0. */
