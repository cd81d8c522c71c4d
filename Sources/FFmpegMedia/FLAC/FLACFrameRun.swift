/// Finds the frames in a part of a FLAC stream.
enum FLACFrameRun {
    /// A possible FLAC frame: the offset of its first byte in the examined bytes, and the positions of its samples.
    struct Frame {
        var offset: Int
        var range: Range<Int64>
    }

    /// Returns the possible FLAC frames in `bytes`: everything that looks like an intact frame header. Noise sometimes looks like one.
    static func candidates(in bytes: UnsafeBufferPointer<UInt8>, _ info: FLACStreamInfo) -> [Frame] {
        var frames: [Frame] = [], at = 0
        while at + 6 < bytes.count {
            if bytes[at] == 0xFF, bytes[at + 1] & 0xFE == 0xF8 {
                let rest = UnsafeBufferPointer(rebasing: bytes[at...])
                if let header = FLACFrameHeader(rest), header.isIntact(rest), let range = info.range(of: header) {
                    frames.append(Frame(offset: at, range: range))
                }
            }
            at += 1
        }
        return frames
    }

    /// Returns the starts of the FLAC frames in `bytes`, which begin at the offset `start` of the medium. To exclude noise, only the longest sequence
    /// of frames is returned in which each frame begins at the position at which the one before it ends. Work and memory are linear, even if hostile
    /// bytes have a frame header at every sixth byte.
    static func points(in bytes: [UInt8], at start: Int64, _ info: FLACStreamInfo) -> [ByteSearch.Point] {
        let frames = bytes.withUnsafeBufferPointer { candidates(in: $0, info) }
        // `ends` has, for each position at which a frame ends, the last such frame. For each frame, `before` has the frame before it in its sequence,
        // and `counts` the number of frames of the sequence up to it.
        var ends: [Int64: Int] = [:], before = [Int?](repeating: nil, count: frames.count), counts = [Int](repeating: 1, count: frames.count)
        for (index, frame) in frames.enumerated() {
            if let former = ends[frame.range.lowerBound] { (before[index], counts[index]) = (former, counts[former] + 1) }
            ends[frame.range.upperBound] = index
        }
        guard let longest = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[longest] > 1 else { return [] }
        var run: [ByteSearch.Point] = [], next: Int? = longest
        while let index = next {
            run.append(ByteSearch.Point(position: frames[index].range.lowerBound, byte: start + Int64(frames[index].offset)))
            next = before[index]
        }
        return run.reversed()
    }
}
