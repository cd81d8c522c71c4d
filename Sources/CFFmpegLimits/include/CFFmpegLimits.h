// Limits on the work and the memory that tags and chapters cost FFmpeg.
//
// FFmpeg's dictionary is a list: each new tag is compared with all before it, a repeated tag is copied with its whole value so far, and nothing checks the
// interrupt meanwhile. FFmpeg searches its list of chapters in the same way, and has no option that limits either. libavformat calls functions of libavutil
// through the dynamic linker, which takes the program's own definitions first. This target defines those functions.
//
// The limits apply on a thread between CFFmpegLimits_begin and CFFmpegLimits_end. Otherwise each call is passed on to FFmpeg's own function.
#ifndef TONEARM_CFFMPEGLIMITS_H
#define TONEARM_CFFMPEGLIMITS_H

// The most tags of one dictionary: more are left out.
#define CFFmpegLimits_tags 1024
// Tags of a dictionary that are always accepted, whatever the others have cost.
#define CFFmpegLimits_freeTags 64
// The most chapters of a medium, and the most programs.
#define CFFmpegLimits_chapters 16384

// Applies the limits on this thread, with a new budget.
void CFFmpegLimits_begin(void);
// Ends the limits on this thread.
void CFFmpegLimits_end(void);
// Whether a medium has had more chapters or programs than the limit since the last CFFmpegLimits_begin on this thread.
int CFFmpegLimits_isExceeded(void);
// The bytes that may still be compared or copied after the last CFFmpegLimits_begin on this thread.
long long CFFmpegLimits_room(void);

#endif
