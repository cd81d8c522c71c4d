/// The header of a FLAC frame, which states the frame's position (RFC 9639, section 9.1).
struct FLACFrameHeader {
    let blockSize: Int
    /// The number of the frame's first sample if the block size varies; otherwise the number of the frame.
    let number: UInt64
    let hasFixedBlockSize: Bool
    /// The size of the header in bytes, without the checksum.
    private let size: Int

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 6, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8 else { return nil }
        hasFixedBlockSize = bytes[1] & 1 == 0
        var at = 4
        // The number is encoded like a character in UTF-8, but in up to 7 bytes.
        let lead = bytes[at]
        let ones = (~lead).leadingZeroBitCount
        guard ones != 1, ones < 8 else { return nil }
        let following = max(0, ones - 1)
        guard bytes.count > at + following + 2 else { return nil }
        var value = ones == 0 ? UInt64(lead) : UInt64(lead) & ((1 << UInt64(7 - ones)) - 1)
        for index in 0..<following {
            let byte = bytes[at + 1 + index]
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt64(byte & 0x3F)
        }
        number = value
        at += 1 + following
        switch bytes[2] >> 4 {
        case 1: blockSize = 192
        case let code where (2...5).contains(code): blockSize = 576 << Int(code - 2)
        case 6: blockSize = Int(bytes[at]) + 1
        case 7: blockSize = (Int(bytes[at]) << 8 | Int(bytes[at + 1])) + 1
        case let code where code >= 8: blockSize = 256 << Int(code - 8)
        default: return nil
        }
        // The block size and the sample rate follow if the third byte has no code for them.
        let blockSizeBytes = [6: 1, 7: 2][bytes[2] >> 4] ?? 0, rateBytes = [12: 1, 13: 2, 14: 2][bytes[2] & 0x0F] ?? 0
        size = at + blockSizeBytes + rateBytes
    }

    /// Whether the header has no reserved codes, and its checksum is right. `bytes` are the bytes from which the header was read.
    func isIntact(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count > size, bytes[2] & 0x0F != 0x0F, bytes[3] >> 4 <= 10, bytes[3] & 1 == 0 else { return false }
        var checksum: UInt8 = 0
        for byte in bytes[..<size] {
            checksum ^= byte
            for _ in 0..<8 { checksum = checksum & 0x80 != 0 ? checksum << 1 ^ 7 : checksum << 1 }
        }
        return checksum == bytes[size]
    }
}

extension FLACFrameHeader {
    /// Whether `bytes`, the end of a file, begin with a complete frame, by its checksum, and nothing but a tag follows (RFC 9639, section 9.3).
    static func hasWholeFrame(_ bytes: ArraySlice<UInt8>) -> Bool {
        var checksum: UInt16 = 0
        for index in bytes.indices {
            checksum ^= UInt16(bytes[index]) << 8
            for _ in 0..<8 { checksum = checksum & 0x8000 != 0 ? checksum << 1 ^ 0x8005 : checksum << 1 }
            // The checksum over a frame and its own checksum is 0.
            guard checksum == 0 else { continue }
            let rest = bytes[(index + 1)...]
            if rest.isEmpty || ["TAG", "ID3", "APETAGEX"].contains(where: { rest.starts(with: $0.utf8) }) { return true }
        }
        return false
    }
}

enum FLACFrameRun {
    /// A frame: its offset in the examined bytes, and the range of its samples' numbers.
    struct Frame {
        var offset: Int
        var range: Range<Int64>
    }

    /// Returns a frame for each intact header in `bytes`, including bytes of audio that look like a header by chance.
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

    /// Returns the positions of the frames in `bytes`, which begin at the offset `start` of the medium. To exclude bytes that look like a header by
    /// chance, returns only the longest sequence in which each frame begins where the preceding one ends. The run time is linear, even with a header
    /// at every sixth byte.
    static func points(in bytes: [UInt8], at start: Int64, _ info: FLACStreamInfo) -> [ByteSearch.Point] {
        let frames = bytes.withUnsafeBufferPointer { candidates(in: $0, info) }
        // `ends` has the last frame that ends at a position. For each frame, `before` has the preceding frame of its sequence, and `counts` the
        // number of frames up to it.
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
