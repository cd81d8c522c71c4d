// Reads the fields of tags with all their values by TagLib, whose interface is C++. One source serves TagLib 1.13 (Debian 12) and 2.0 (Debian 13).
//
// The bytes come from the caller, and are hostile. So the bytes that are read, the sizes of texts and the number of fields are limited, and
// exceptions end the reading. TagLib writes nothing, neither files nor messages.
#ifndef TONEARM_CTAGLIB_H
#define TONEARM_CTAGLIB_H

#ifdef __cplusplus
extern "C" {
#endif

// The kinds of tags, and what the byte offset of a tag is.
typedef enum {
    // The tag must be small and have text frames only: TagLib expands compressed frames without a limit, and calls itself for each chapter inside
    // another one.
    CTagLib_id3v2,
    // The offset is that of the tag's footer.
    CTagLib_ape,
    // A block of Vorbis comments, which ends with the medium.
    CTagLib_comments,
    // The comments of an Ogg stream with Vorbis, Opus, FLAC or Speex. The offset is 0.
    CTagLib_ogg,
    // The items of an MP4 file, which must be small: TagLib keeps an object for each box, and calls itself for each box inside another one. The
    // offset is 0.
    CTagLib_mp4,
} CTagLib_Kind;

// A medium and the receiver of its fields.
typedef struct {
    void *context;
    // The number of bytes of the medium. TagLib sees none after them.
    long long length;
    // Copies at most `count` bytes from the byte offset `offset` on, and returns their number: 0 if there are none.
    long (*read)(void *context, long long offset, unsigned char *buffer, long count);
    // Receives a value of a field. Both texts are valid during the call, and UTF-8; comments and items of APEv2 may have another encoding. The
    // values of a field come in their order. The name is that of the format: the identifier of a frame ("TIT2", and "TXXX:" with the description),
    // of an item ("©nam", "----:com.apple.iTunes:MOOD") or of a comment.
    void (*field)(void *context, const char *name, const char *value);
} CTagLib_Medium;

// Reads the tag of a kind at a byte offset. A malformed tag ends early.
void CTagLib_read(CTagLib_Kind kind, long long offset, const CTagLib_Medium *medium);

// Returns the name of a genre of ID3v1, in UTF-8; empty if there is none.
const char *CTagLib_genre(unsigned char number);

#ifdef __cplusplus
}
#endif

#endif
