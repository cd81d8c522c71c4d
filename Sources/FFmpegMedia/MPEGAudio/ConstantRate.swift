/// Calculates byte offsets in MPEG audio of constant bit rate, in which the offset of each frame follows from its number. Frames differ in size only
/// by their padding of one byte (four in layer 1), which keeps the average size constant.
struct ConstantRate: Equatable {
    let run: FrameRun
    /// The code of the bit rate, which all headers have in common.
    private let code: UInt8
    /// The average size of the frames, in bytes.
    let meanSize: Double
    /// The largest difference between a frame's offset and the calculated one, in bytes.
    let deviation: Int64

    /// The number of frames that show whether the bit rate is constant and whether the encoder pads its frames.
    static let leastFrames = 16
    /// The number of bytes that contain `leastFrames` frames of any constant bit rate, and the start of the next one.
    static let window: Int64 = 17 * 2881 + 16

    /// Makes the constant bit rate of the frames at the start of `bytes`; nil if the first frames do not have one.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let header = MPEGAudioHeader(bytes), let run = FrameRun(bytes, isADTS: false), let start = bytes.baseAddress else { return nil }
        self.run = run
        code = bytes[2] >> 4
        var at = 0, count = 0, hasPadding = false
        while count < ConstantRate.leastFrames {
            guard at + FrameRun.headerSize <= bytes.count, start[at + 2] >> 4 == code else { return nil }
            let size = run.size(at: start + at)
            guard size > 0 else { return nil }
            hasPadding = hasPadding || start[at + 2] & 2 != 0
            at += size
            count += 1
        }
        // Some encoders never pad their frames, so that the bit rate is a little lower than the stated one.
        let unit = header.layer == 1 ? 4.0 : 1
        let unpadded = (header.meanFrameSize / unit).rounded(.down) * unit
        meanSize = hasPadding ? header.meanFrameSize : unpadded
        deviation = Int64(unit)
    }

    /// Returns the distance, in bytes, between the starts of a frame and of the frame that is `frames` frames after it.
    func distance(of frames: Int64) -> Int64 { Int64(bounded: (Double(frames) * meanSize).rounded()) }

    /// Returns the number of frames between two frames whose starts are `bytes` bytes apart; nil if no whole number of frames has this distance,
    /// within `deviation`.
    func frames(in bytes: Int64) -> Int64? {
        let frames = Int64(bounded: (Double(bytes) / meanSize).rounded())
        return abs(distance(of: frames) - bytes) <= deviation ? frames : nil
    }

    /// Returns the index in `bytes` of the first frame that begins in `range` and is followed directly by frames of the same bit rate, at least
    /// `leastFrames` with itself.
    func firstFrame(in bytes: UnsafeBufferPointer<UInt8>, from range: Range<Int>) -> Int? { range.first { isFrame($0, of: bytes) } }

    private func isFrame(_ index: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        var at = index, count = 0
        while count < ConstantRate.leastFrames {
            guard at + FrameRun.headerSize <= bytes.count, start[at + 2] >> 4 == code else { return false }
            let size = run.size(at: start + at)
            guard size > 0 else { return false }
            at += size
            count += 1
        }
        return true
    }
}
