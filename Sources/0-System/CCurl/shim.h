#pragma once
#include <curl/curl.h>

/* libcurl's setters and getters are variadic, which Swift does not import. */

typedef size_t (*woodshed_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*woodshed_curl_timer_callback)(CURLM *multi, long milliseconds, void *context);
typedef int (*woodshed_curl_open_socket_callback)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*woodshed_curl_before_request_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

static inline CURLcode woodshed_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode woodshed_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode woodshed_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode woodshed_curl_set_data_callback(CURL *easy, CURLoption option, woodshed_curl_data_callback value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode woodshed_curl_set_open_socket(CURL *easy, woodshed_curl_open_socket_callback value) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode woodshed_curl_set_before_request(CURL *easy, woodshed_curl_before_request_callback value) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode woodshed_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode woodshed_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode woodshed_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLMcode woodshed_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode woodshed_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode woodshed_curl_multi_set_socket_callback(CURLM *multi, curl_socket_callback value) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode woodshed_curl_multi_set_timer_callback(CURLM *multi, woodshed_curl_timer_callback value) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}
