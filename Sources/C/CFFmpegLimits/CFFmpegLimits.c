#define _GNU_SOURCE
#include "CFFmpegLimits.h"

#include <dlfcn.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/mem.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The number of bytes in keys and values of tags that FFmpeg may compare and copy between CFFmpegLimits_begin and CFFmpegLimits_end (the budget).
// FFmpeg needs a quarter of a second for that many bytes.
#define LIMIT (128LL << 20)
// The maximum length of a tag's value that costs nothing of the budget, in bytes. A longer value costs its whole length. Metadata.swift ignores
// values of more than 64 KiB anyway.
#define LONG_VALUE (64LL << 10)

static _Thread_local int isLimited, isExceeded;
static _Thread_local long long room;

void CFFmpegLimits_begin(void) {
    isLimited = 1;
    isExceeded = 0;
    room = LIMIT;
}

void CFFmpegLimits_end(void) { isLimited = 0; }

int CFFmpegLimits_isExceeded(void) { return isLimited && isExceeded; }

long long CFFmpegLimits_room(void) { return room; }

// Returns libavutil's own function with the name `name`.
static void *original(const char *name, _Atomic(void *) *kept) {
    void *found = atomic_load_explicit(kept, memory_order_relaxed);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        // If FFmpeg is linked statically into the program, its own functions cannot be found. CFFmpegLimits does not support this.
        if (!found) abort();
        atomic_store_explicit(kept, found, memory_order_relaxed);
    }
    return found;
}

// Takes `cost` bytes from the budget; a cost that exceeds the budget empties it. Returns whether bytes are left.
static int spend(long long cost) {
    room = cost <= room ? room - cost : 0;
    return room > 0;
}

// Returns the maximum number of bytes that FFmpeg compares to find the key in a dictionary.
static long long searchCost(const AVDictionary *dictionary, const char *key) {
    return (av_dict_count(dictionary) + 1LL) * ((long long)strlen(key) + 1);
}

static AVDictionaryEntry *get(const AVDictionary *dictionary, const char *key, const AVDictionaryEntry *previous, int flags) {
    static _Atomic(void *) kept;
    AVDictionaryEntry *(*function)(const AVDictionary *, const char *, const AVDictionaryEntry *, int) = original("av_dict_get", &kept);
    return function(dictionary, key, previous, flags);
}

// Replaces FFmpeg's search for a tag: if the budget is empty, a search in a long dictionary finds nothing. Searches with an empty key are free,
// because FFmpeg then walks through all tags and compares none.
AVDictionaryEntry *av_dict_get(const AVDictionary *dictionary, const char *key, const AVDictionaryEntry *previous, int flags) {
    if (isLimited && key && *key && av_dict_count(dictionary) > CFFmpegLimits_freeTags && !spend(searchCost(dictionary, key))) return NULL;
    return get(dictionary, key, previous, flags);
}

// Returns whether a tag may be added to the dictionary within the limits, and takes its cost from the budget.
static int isWelcome(const AVDictionary *dictionary, const char *key, const char *value, int flags) {
    int count = av_dict_count(dictionary);
    long long length = (long long)strlen(value);
    if (count >= CFFmpegLimits_tags) return 0;
    if (count > CFFmpegLimits_freeTags && !spend(searchCost(dictionary, key))) return 0;
    if (flags & AV_DICT_APPEND) {
        const AVDictionaryEntry *before = get(dictionary, key, NULL, flags);
        if (before) return room > 0 && spend((long long)strlen(before->value) + length);
    }
    return length <= LONG_VALUE || spend(length);
}

// Replaces FFmpeg's function that adds a tag: a tag beyond the limits is discarded, as if it were not in the medium.
int av_dict_set(AVDictionary **dictionary, const char *key, const char *value, int flags) {
    static _Atomic(void *) kept;
    int (*function)(AVDictionary **, const char *, const char *, int) = original("av_dict_set", &kept);
    if (isLimited && key && value && !isWelcome(*dictionary, key, value, flags)) {
        if (flags & AV_DICT_DONT_STRDUP_KEY) av_free((void *)key);
        if (flags & AV_DICT_DONT_STRDUP_VAL) av_free((void *)value);
        return 0;
    }
    return function(dictionary, key, value, flags);
}

// Replaces FFmpeg's copy of a dictionary, because FFmpeg's function would call its own av_dict_set, which has no limits.
int av_dict_copy(AVDictionary **target, const AVDictionary *source, int flags) {
    const AVDictionaryEntry *entry = NULL;
    while ((entry = get(source, "", entry, AV_DICT_IGNORE_SUFFIX))) {
        int code = av_dict_set(target, entry->key, entry->value, flags);
        if (code < 0) return code;
    }
    return 0;
}

// Replaces FFmpeg's function that adds an element to a list, which the allowed demuxers use only for chapters and programs. If the list has
// CFFmpegLimits_chapters elements, the function fails, and CFFmpegLimits_isExceeded returns 1.
int av_dynarray_add_nofree(void *list, int *count, void *element) {
    static _Atomic(void *) kept;
    int (*function)(void *, int *, void *) = original("av_dynarray_add_nofree", &kept);
    if (isLimited && *count >= CFFmpegLimits_chapters) {
        isExceeded = 1;
        return AVERROR(ENOMEM);
    }
    return function(list, count, element);
}
