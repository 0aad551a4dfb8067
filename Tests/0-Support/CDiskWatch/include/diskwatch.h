#pragma once

/* Has `seen` called, until it is NULL, with every descriptor whose content a thread of this process brings to the disk, before it
 * is there: what was not brought there may be gone after a power cut, and what comes later must not rely on it. */
void woodshed_disk_watch(void (*seen)(void *context, int fd), void *context);
