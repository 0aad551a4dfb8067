#pragma once
#include <microhttpd.h>

/* MHD_start_daemon and MHD_get_daemon_info are variadic, which Swift does not import. */

static inline struct MHD_Daemon *woodshed_mhd_start(
    unsigned int flags, uint16_t port, MHD_AccessHandlerCallback handler, void *handler_context,
    MHD_RequestCompletedCallback completed, const struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, port, NULL, NULL, handler, handler_context,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, handler_context,
                          MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}
static inline uint16_t woodshed_mhd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}
