// Limits on the work and the memory that the tags and chapters of a medium cost FFmpeg.
//
// FFmpeg's dictionary of tags is a list: each new tag is compared with all tags before it, and a repeated tag is copied with its whole value so far.
// While FFmpeg compares and copies tags, it does not check whether the caller has interrupted it. FFmpeg searches its list of chapters in the same
// way, and has no option that limits tags or chapters. libavformat calls functions of libavutil through the dynamic linker, which takes the program's
// own definitions first. CFFmpegLimits defines libavutil's functions for dictionaries and lists.
//
// The limits of tags and chapters apply on a thread between CFFmpegLimits_begin and CFFmpegLimits_end. On other threads, and at other times, each
// call is passed on to FFmpeg's own function.
#ifndef TONEARM_CFFMPEGLIMITS_H
#define TONEARM_CFFMPEGLIMITS_H

// The maximum number of tags in one FFmpeg dictionary; further tags are discarded.
#define CFFmpegLimits_tags 1024
// The number of tags in an FFmpeg dictionary that are always accepted, whatever other tags have cost.
#define CFFmpegLimits_freeTags 64
// The maximum number of chapters that FFmpeg keeps of a medium, and of programs.
#define CFFmpegLimits_chapters 16384

// Applies the limits of tags and chapters on the calling thread from now on, with a new budget of bytes.
void CFFmpegLimits_begin(void);
// Ends the limits of tags and chapters on the calling thread.
void CFFmpegLimits_end(void);
// Whether a medium has had more chapters or programs than the limit since the last CFFmpegLimits_begin on the calling thread.
int CFFmpegLimits_isExceeded(void);
// The number of bytes of tags that FFmpeg may still compare or copy after the last CFFmpegLimits_begin on the calling thread.
long long CFFmpegLimits_room(void);

#endif
