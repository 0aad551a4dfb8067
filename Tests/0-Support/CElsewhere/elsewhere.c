#define _GNU_SOURCE
#include "elsewhere.h"

#include <dlfcn.h>
#include <netinet/in.h>

typedef int (*function)(int, struct sockaddr *, socklen_t *);

int getpeername(int socket, struct sockaddr *address, socklen_t *size) {
    function real = (function)dlsym(RTLD_NEXT, "getpeername");
    socklen_t space = size ? *size : 0;
    int code = real(socket, address, size);
    if (code != 0 || space < sizeof(struct sockaddr_in) || address->sa_family != AF_INET) return code;
    struct sockaddr_in own;
    socklen_t own_size = sizeof own;
    if (getsockname(socket, (struct sockaddr *)&own, &own_size) != 0 || own.sin_addr.s_addr != htonl(0x7F000002)) return code;
    /* Report the address 203.0.113.2: it is reserved for documentation, so no real machine has it. */
    ((struct sockaddr_in *)address)->sin_addr.s_addr = htonl(0xCB007102);
    return code;
}
