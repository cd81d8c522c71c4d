import CFFmpeg

/// Detects frames that are cut off at the end of an incomplete file, by the size that the frame's own header states. FFmpeg's parsers return the rest
/// of such a frame as a packet.
enum StatedFrameSize {
    /// Returns whether the header of the frame in `bytes` states more bytes than there are. An incomplete header of LOAS or DTS counts as such too.
    static func isTruncated(_ bytes: UnsafeBufferPointer<UInt8>, codec: AVCodecID) -> Bool {
        switch codec {
        case AV_CODEC_ID_AAC: RawStreamEstimate.frame(bytes, isADTS: true).map { $0.size > bytes.count } ?? false
        case AV_CODEC_ID_AAC_LATM: audioSync(bytes).map { $0 > bytes.count } ?? false
        case AV_CODEC_ID_DTS: core(bytes).map { $0 > bytes.count } ?? false
        default: false
        }
    }

    /// Returns the size of a frame of LOAS, AudioSyncStream (ISO/IEC 14496-3, 1.7.2), in bytes; `Int.max` if its header is incomplete, nil if it is
    /// invalid.
    private static func audioSync(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count >= 3 else { return .max }
        guard bytes[0] == 0x56, bytes[1] & 0xE0 == 0xE0 else { return nil }
        return (Int(bytes[1] & 0x1F) << 8 | Int(bytes[2])) + 3
    }

    /// Returns the size, in bytes, of a core frame of DTS that is stored as big-endian words of 16 bits (ETSI TS 102 114, 5.3.1); `Int.max` if its
    /// header is incomplete, nil if the frame is stored in another way.
    private static func core(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count >= 8 else { return .max }
        guard bytes.prefix(4).elementsEqual([0x7F, 0xFE, 0x80, 0x01]) else { return nil }
        return (Int(bytes[5] & 3) << 12 | Int(bytes[6]) << 4 | Int(bytes[7]) >> 4) + 1
    }
}
