enum FLACFrameRun {
    /// Its offset in the examined bytes, and its samples.
    struct Frame {
        var offset: Int
        var range: Range<Int64>
    }

    /// Everything that looks like an intact header, as noise sometimes does.
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

    /// From the offset `start` of the medium: only the longest sequence in which each frame begins where the one before ends, to exclude noise.
    /// Linear, even with a header at every sixth byte.
    static func points(in bytes: [UInt8], at start: Int64, _ info: FLACStreamInfo) -> [ByteSearch.Point] {
        let frames = bytes.withUnsafeBufferPointer { candidates(in: $0, info) }
        // `ends`: the last frame that ends at a position. `before` and `counts`: the frame before in its sequence, and its length so far.
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
