#pragma once
#include <microhttpd.h>

/* MHD_start_daemon and the functions that query a daemon or a connection are variadic, which Swift does not import. */

typedef void *(*woodshed_mhd_line_callback)(void *context, const char *target, struct MHD_Connection *connection);

/* A daemon without a thread: the caller must run it. */
static inline struct MHD_Daemon *woodshed_mhd_start(
    unsigned int flags, int listening, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection, woodshed_mhd_line_callback line, void *context,
    const struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context,
                          MHD_OPTION_LISTEN_SOCKET, listening,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_NOTIFY_CONNECTION, connection, context,
                          MHD_OPTION_URI_LOG_CALLBACK, line, context,
                          MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
                          MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}
/* The epoll descriptor that is readable when there is something to do. */
static inline int woodshed_mhd_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}
static inline int woodshed_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
/* The context that the start notification stored with the connection. */
static inline void *woodshed_mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}
