// Limits on the work and the memory that the tags and chapters of a medium cost FFmpeg.
//
// FFmpeg's dictionary of tags is a list: each new tag is compared with all tags before it. If a tag is repeated, its whole value so far is copied
// each time. FFmpeg does not check during this work whether the caller has interrupted it. It searches its list of chapters in the same way, and has
// no option that limits tags or chapters.
//
// libavformat calls the functions of libavutil through the dynamic linker, which prefers the program's own definitions. So CFFmpegLimits defines
// libavutil's functions for dictionaries and lists.
//
// The limits apply on a thread between CFFmpegLimits_begin and CFFmpegLimits_end. On other threads, and at other times, each call is passed on to
// FFmpeg's own function.
#ifndef TONEARM_CFFMPEGLIMITS_H
#define TONEARM_CFFMPEGLIMITS_H

// The maximum number of tags in one FFmpeg dictionary; further tags are discarded.
#define CFFmpegLimits_tags 1024
// The number of tags up to which the search in a dictionary costs nothing of the budget.
#define CFFmpegLimits_freeTags 64
// The maximum number of chapters that FFmpeg may keep of a medium, and the maximum number of programs.
#define CFFmpegLimits_chapters 16384

// Applies the limits on the calling thread from now on, with a new budget for the work on tags.
void CFFmpegLimits_begin(void);
// Ends the limits on the calling thread.
void CFFmpegLimits_end(void);
// Returns whether the medium has had more chapters or programs than the limit since CFFmpegLimits_begin on the calling thread; 0 after
// CFFmpegLimits_end.
int CFFmpegLimits_isExceeded(void);
// Returns the budget that is left on the calling thread: the number of bytes of tags that FFmpeg may still compare or copy.
long long CFFmpegLimits_room(void);

#endif
