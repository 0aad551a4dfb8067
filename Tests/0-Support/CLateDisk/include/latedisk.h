/* What a program that loads this writes comes late, and it may be killed between any two steps of that; nothing here is to be called.
 *
 * WOODSHED_LATE_DISK=seed,longest,kill: each step takes up to so many milliseconds more, by the seed, and with the step of that number the
 * program is killed, before or after it; with 0 it is not. */
