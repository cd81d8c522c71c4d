import PlaybackEngine

/// Finds what would take memory without being in the file: frames of ID3v2 tags that are compressed (ID3v2.4 structure, 4.1.2), 2 MB of which unfold to
/// 2 GB. Those behind the first megabyte are hidden from FFmpeg; what is not compressed stays.
///
/// The tags are walked as FFmpeg walks them: at the start of a file, one behind the other, and in the chunks of WAV, AIFF, DSDIFF and DSF.
struct TagScreen {
    private let source: HeadSource
    private let interrupt: Interrupt
    /// What is to read otherwise.
    private(set) var patches: [Int64: UInt8] = [:]
    private var room = Metadata.totalLimit
    private var frames = 0

    /// Frames that are looked at; more is no tag.
    private static let frameLimit = 16_384
    private static let chunkLimit = 4096
    /// A frame whose name begins so is passed over.
    private static let unknown = UInt8(ascii: "X")

    /// Looks through the medium that `source` is at the start of; the place is another afterwards.
    init(_ source: HeadSource, interrupt: Interrupt) throws(PlaybackError) {
        self.source = source
        self.interrupt = interrupt
        let head = try source.bytes(0..<28)
        var end: Int64 = 0
        while let next = try walkTag(at: end) { end = next }
        guard source.isSeekable else { return }
        let behind = end == 0 ? head : try source.bytes(end..<(end + 28))
        switch String(decoding: behind.prefix(4), as: UTF8.self) {
        case "RIFF", "RF64", "BW64": try walkChunks(from: end + 12, sizeBytes: 4, isLittleEndian: true)
        case "FORM": try walkChunks(from: end + 12, sizeBytes: 4, isLittleEndian: false)
        case "FRM8": try walkChunks(from: end + 16, sizeBytes: 8, isLittleEndian: false)
        case "DSD " where behind.count >= 28:
            let place = TagScreen.number(behind[20..<28].reversed())
            if place > 0, source.length.map({ place < $0 }) ?? false { _ = try walkTag(at: place) }
        default: break
        }
    }

    /// Walks the tag that begins at a byte, if one does; returns the byte behind it.
    private mutating func walkTag(at start: Int64) throws(PlaybackError) -> Int64? {
        let head = try source.bytes(start..<(start + 10))
        guard head.count == 10, head.starts(with: "ID3".utf8), head[3] != 0xFF, head[4] != 0xFF, head[6...].allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        let length = TagScreen.syncSafe(head[6..<10]), end = start + 10 + length
        let version = head[3], flags = head[5]
        guard version == 3 || version == 4 else { return end }
        var at = start + 10, left = length
        if flags & 0x40 != 0 {
            let extended = try TagScreen.syncSafe(source.bytes(at..<(at + 4))[...]) - (version == 4 ? 4 : 0)
            guard extended >= 0 else { return end }
            at += 4 + extended
            left -= 4 + extended
        }
        try walkFrames(at, left, version: version)
        return version == 4 && flags & 0x10 != 0 ? end + 10 : end
    }

    private mutating func walkFrames(_ start: Int64, _ length: Int64, version: UInt8) throws(PlaybackError) {
        var at = start, left = length
        while left >= 10 {
            if interrupt.isRaised { throw .cancelled }
            let head = try source.bytes(at..<(at + 14))
            guard head.count >= 10 else { return }
            frames += 1
            guard frames <= TagScreen.frameLimit else {
                // An empty name ends the tag.
                patches[at] = 0
                return
            }
            var size = TagScreen.number(head[4..<8])
            if version == 4, size > 0x7F {
                let shorter = TagScreen.unsynchronised(size)
                if size >= left {
                    size = shorter
                } else if try isName(at: at + 10 + shorter) {
                    size = shorter
                } else if try !isName(at: at + 10 + size) {
                    return
                }
            }
            left -= 10 + size
            guard size <= 1 << 28, left >= 0 else { return }
            let flags = head[9]
            if size > 0, flags & 0x0C == 0x08 {
                let unfolded = flags & 1 != 0 && head.count >= 14 ? TagScreen.number(head[10..<14]) : size
                if unfolded <= Int64(room) { room -= Int(unfolded) } else { patches[at] = TagScreen.unknown }
            }
            if head[0] == 0, size > 0 { return }
            at += 10 + size
        }
    }

    /// Whether a frame's name stands at a byte, or padding.
    private func isName(at offset: Int64) throws(PlaybackError) -> Bool {
        let name = try source.bytes(offset..<(offset + 4))
        guard name.count == 4 else { return false }
        return name.allSatisfy { $0 == 0 } || name.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// Walks the chunks of a file of chunks, and the tags in them.
    private mutating func walkChunks(from start: Int64, sizeBytes: Int64, isLittleEndian: Bool) throws(PlaybackError) {
        var at = start
        for _ in 0..<TagScreen.chunkLimit {
            if interrupt.isRaised { throw .cancelled }
            let head = try source.bytes(at..<(at + 4 + sizeBytes))
            guard head.count == Int(4 + sizeBytes) else { return }
            let name = String(decoding: head[..<4], as: UTF8.self)
            // Behind the sound of a server's medium FFmpeg does not look either, unless it must.
            if source.isRemote, ["data", "SSND", "DSD "].contains(name) { return }
            let digits = isLittleEndian ? Array(head[4...].reversed()) : Array(head[4...])
            let size = TagScreen.number(digits[...]), inside = at + 4 + sizeBytes
            if name == "ID3 " || name == "id3 " { _ = try walkTag(at: inside) }
            let (next, overflow) = inside.addingReportingOverflow(size)
            guard size >= 0, !overflow, next < Int64.max - 64, source.length.map({ next < $0 }) ?? false else { return }
            at = next + size % 2
        }
    }

    /// Big-endian.
    private static func number(_ bytes: some Sequence<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
    /// Seven bits of each byte.
    private static func syncSafe(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 7 | Int64($1 & 0x7F) } }
    /// A number that was read with eight bits of each byte, of which seven count.
    private static func unsynchronised(_ size: Int64) -> Int64 {
        size & 0x7F | (size & 0x7F00) >> 1 | (size & 0x7F_0000) >> 2 | (size & 0x7F00_0000) >> 3
    }
}
