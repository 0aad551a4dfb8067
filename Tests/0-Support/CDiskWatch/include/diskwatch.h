#pragma once

/* Calls `seen`, unless it is NULL, before each fsync of the calling thread, with the descriptor. Data that was not synced may be lost
 * in a power cut, so later writes must not rely on it. */
void woodshed_disk_watch(void (*seen)(void *context, int fd), void *context);
