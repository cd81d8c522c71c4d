import PlaybackEngine

/// Recognises MPEG audio that FFmpeg's detection does not recognise with certainty: files of a few frames, and files with unknown bytes before the
/// first frame.
///
/// A single frame header is found in any noise. The size in a header states where the next header must be, and the sample rate and the layer of both
/// must be equal. In noise, only one of 150,000 headers is followed by such a second header.
enum MPEGAudioRun {
    /// The number of bytes that are searched for frames; FFmpeg's detection searches as many.
    private static let searched: Int64 = 1 << 20

    /// Returns whether the medium is MPEG audio: two consecutive frames begin at the byte offset `start` (after zeros), or three anywhere in the
    /// first mebibyte after it. The last of these frames may be incomplete. The byte offset of `source` does not change.
    static func isFound(in source: HeadSource, at start: Int64) throws(PlaybackError) -> Bool {
        let before = source.offset
        let bytes = try source.bytes(start..<(start + searched))
        try source.seek(to: before)
        return bytes.withUnsafeBufferPointer { isFound(in: $0) }
    }

    /// Returns whether `bytes`, the first bytes of a medium after its tags, are MPEG audio.
    static func isFound(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.firstIndex(where: { $0 != 0 }) else { return false }
        return has(2, in: bytes, at: first) || (first..<bytes.count).contains { bytes[$0] == 0xFF && has(3, in: bytes, at: $0) }
    }

    /// Returns whether `count` consecutive frames of the same kind begin at the index `start` of `bytes`.
    private static func has(_ count: Int, in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        var at = start, kind: MPEGAudioHeader?
        for _ in 0..<count {
            guard at < bytes.count, let header = MPEGAudioHeader(UnsafeBufferPointer(rebasing: bytes[at...])), header.frameSize > 4 else {
                return false
            }
            if let kind, kind.layer != header.layer || kind.sampleRate != header.sampleRate { return false }
            kind = header
            at += header.frameSize
        }
        return true
    }
}
