// The headers of libcurl, which carries out our HTTP requests. Its functions with a variable number of arguments, which Swift cannot import, have a function
// here for each type of argument.
#ifndef TONEARM_CCURL_SHIM_H
#define TONEARM_CCURL_SHIM_H
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode ccurl_set_context(CURL *easy, CURLoption option, void *value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode ccurl_set_data_function(CURL *easy, CURLoption option, ccurl_data_function value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_socket_function(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode ccurl_set_request_function(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }
static inline CURLSHcode ccurl_share(CURLSH *share, curl_lock_data data) { return curl_share_setopt(share, CURLSHOPT_SHARE, data); }
static inline CURLcode ccurl_get_number(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }
static inline CURLcode ccurl_get_seconds(CURL *easy, CURLINFO info, double *value) { return curl_easy_getinfo(easy, info, value); }
static inline CURLcode ccurl_get_context(CURL *easy, void **value) { return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value); }
static inline CURLcode ccurl_get_certificates(CURL *easy, struct curl_certinfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, value);
}
static inline CURLcode ccurl_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) { return curl_easy_getinfo(easy, info, value); }
/// Returns the result of a message of a multi handle, which is a member of a union.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }
#endif
