// A limit to the work and the memory that tags and chapters cost FFmpeg.
//
// FFmpeg's dictionary is a list: each new tag is compared with all before it, a tag that is there twice is copied with all that it has so far, and nothing
// looks at the interrupt meanwhile. Its list of chapters is searched in the same way. FFmpeg has no option that limits them. libavformat calls these
// functions of libavutil through the dynamic linker, which takes the program's own definitions first: this target defines them.
//
// The limits hold on a thread between CFFmpegLimits_begin and CFFmpegLimits_end. Elsewhere each call goes on to FFmpeg's own function.
#ifndef TONEARM_CFFMPEGLIMITS_H
#define TONEARM_CFFMPEGLIMITS_H

// Tags of one dictionary: more are left out.
#define CFFmpegLimits_tags 1024
// Tags of a dictionary that are taken whatever the others have cost.
#define CFFmpegLimits_freeTags 64
// Chapters of a medium, and programs.
#define CFFmpegLimits_chapters 16384

// Begins to limit what FFmpeg does on this thread, anew.
void CFFmpegLimits_begin(void);
// Limits nothing more on this thread.
void CFFmpegLimits_end(void);
// Whether a medium has had more chapters than the limit since the last beginning on this thread.
int CFFmpegLimits_isExceeded(void);
// What is left since the last beginning on this thread, bytes that may be compared or copied.
long long CFFmpegLimits_room(void);

#endif
