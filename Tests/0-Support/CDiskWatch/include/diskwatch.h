#pragma once

/* From now on, calls `seen` with `context` and the descriptor before each fsync of the calling thread; NULL ends this. A power cut may
 * lose data that was not synced, so tests check in `seen` that nothing already relies on the data about to be synced. */
void woodshed_disk_watch(void (*seen)(void *context, int fd), void *context);
