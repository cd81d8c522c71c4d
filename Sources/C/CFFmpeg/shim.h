// FFmpeg's headers, and a function for each of FFmpeg's macros that Swift cannot import.
#ifndef TONEARM_CFFMPEG_SHIM_H
#define TONEARM_CFFMPEG_SHIM_H
#include <libavcodec/avcodec.h>
#include <libavcodec/vorbis_parser.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// FFmpeg's error codes, such as AVERROR_EOF, are made by function-like macros, which Swift cannot import.
static inline int CFFmpeg_errorEndOfFile(void) { return AVERROR_EOF; }
static inline int CFFmpeg_errorInvalidData(void) { return AVERROR_INVALIDDATA; }
static inline int CFFmpeg_errorExit(void) { return AVERROR_EXIT; }
static inline int CFFmpeg_errorTryAgain(void) { return AVERROR(EAGAIN); }
static inline int CFFmpeg_errorDecoderNotFound(void) { return AVERROR_DECODER_NOT_FOUND; }
static inline int CFFmpeg_errorDemuxerNotFound(void) { return AVERROR_DEMUXER_NOT_FOUND; }
static inline int CFFmpeg_errorStreamNotFound(void) { return AVERROR_STREAM_NOT_FOUND; }
static inline int CFFmpeg_errorPatchWelcome(void) { return AVERROR_PATCHWELCOME; }
// FFmpeg's AV_NOPTS_VALUE uses the macro UINT64_C, which Swift's importer of C headers does not evaluate.
static inline int64_t CFFmpeg_noTimestamp(void) { return AV_NOPTS_VALUE; }
#endif
