#pragma once

#include <sys/socket.h>

/* Preloaded into a program, this makes connections to 127.0.0.2 appear to come from another machine, since a test's browser runs on the
 * same machine as the program. */
int getpeername(int socket, struct sockaddr *address, socklen_t *size);
