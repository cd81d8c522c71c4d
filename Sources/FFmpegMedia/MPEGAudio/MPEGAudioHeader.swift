import PlaybackEngine

/// The header of four bytes at the start of each frame of MPEG audio (ISO 11172-3, 13818-3, and the unofficial version 2.5).
struct MPEGAudioHeader {
    let layer: Int
    let sampleRate: Int
    let channels: Int
    /// Whether the version of MPEG audio is MPEG-2 or 2.5. In layer 3, frames of MPEG-2 and 2.5 have half as many samples as those of MPEG-1.
    let isLowSampleRate: Bool
    /// The size of the whole MPEG audio frame, in bytes; 0 if the bit rate is "free format".
    let frameSize: Int
    /// The average size of frames with this bit rate, in bytes, including the padding that some have; 0 if the bit rate is "free format".
    let meanFrameSize: Double

    private static let rates = [44_100, 48_000, 32_000]
    private static let bitRates: [[Int]] = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Reads an MPEG audio header at the start of `bytes`; nil if the bytes are not such a header.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
        let version = Int(bytes[1] >> 3 & 3)
        let layerCode = Int(bytes[1] >> 1 & 3)
        let rateCode = Int(bytes[2] >> 2 & 3)
        let bitRateCode = Int(bytes[2] >> 4)
        guard version != 1, layerCode != 0, rateCode != 3, bitRateCode != 15 else { return nil }
        layer = 4 - layerCode
        isLowSampleRate = version != 3
        sampleRate = MPEGAudioHeader.rates[rateCode] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        channels = bytes[3] >> 6 == 3 ? 1 : 2
        let table = isLowSampleRate ? (layer == 1 ? 3 : 4) : layer - 1
        let bitRate = MPEGAudioHeader.bitRates[table][bitRateCode] * 1000
        let padding = Int(bytes[2] >> 1 & 1)
        let unit = layer == 1 ? 48 : layer == 3 && isLowSampleRate ? 72 : 144
        meanFrameSize = Double(unit * bitRate) / Double(sampleRate)
        if bitRate == 0 {
            frameSize = 0
        } else if layer == 1 {
            frameSize = (12 * bitRate / sampleRate + padding) * 4
        } else {
            frameSize = unit * bitRate / sampleRate + padding
        }
    }

    /// The number of samples of each channel in the MPEG audio frame.
    var samples: Int { layer == 1 ? 384 : layer == 3 && isLowSampleRate ? 576 : 1152 }
    /// The size of the frame's side information in layer 3, in bytes.
    var sideInformationSize: Int { isLowSampleRate ? (channels == 1 ? 9 : 17) : (channels == 1 ? 17 : 32) }
}

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
