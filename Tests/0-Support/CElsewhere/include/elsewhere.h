#pragma once

#include <sys/socket.h>

/* Loaded before a program's libraries, this makes it take whoever connects to 127.0.0.2 for somebody on another machine: a test's browser
 * has no other machine to come from. */
int getpeername(int socket, struct sockaddr *address, socklen_t *size);
