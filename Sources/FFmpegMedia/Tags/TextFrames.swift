/// The text frames of an ID3v2 tag, as a small tag for TagLib. Long, compressed and encrypted frames are left out, and all frames that are no text,
/// such as pictures.
struct TextFrames {
    private let version: UInt8
    private let flags: UInt8
    /// The head of each frame, and the byte range of its content in the medium.
    private var frames: [(head: [UInt8], content: Range<Int64>)] = []
    private var left = TextFrames.totalLimit

    /// The largest size of a frame, of all frames together, and their largest number. Each zero byte may separate two values.
    private static let sizeLimit: Int64 = 64 << 10, totalLimit: Int64 = 128 << 10, countLimit = 1024
    /// The frames of ID3v2.3 to which TagLib gives the names of other frames of ID3v2.4, and FFmpeg does not.
    private static let renamed = ["TORY"]

    /// - Parameters:
    ///   - version: The minor version: 4 of ID3v2.4. The names of FFmpeg and TagLib for frames of ID3v2.2 differ, so these are left to FFmpeg.
    ///   - flags: The flags of the tag's header.
    init(version: UInt8, flags: UInt8) {
        self.version = version
        self.flags = flags
    }

    var isEmpty: Bool { frames.isEmpty }

    /// Adds a frame if it is a text within the limits.
    /// - Parameters:
    ///   - head: The frame's header: its name, its size and its flags.
    ///   - size: The size of the content, whatever the header says: some programs write it wrongly.
    mutating func add(_ head: ArraySlice<UInt8>, size: Int64, at start: Int64) {
        guard version > 2, head.first == UInt8(ascii: "T"), let kind = head.last, frames.count < TextFrames.countLimit else { return }
        guard size > 0, size <= TextFrames.sizeLimit, size <= left else { return }
        // TagLib reads no frame after one whose name has other characters, or whose length indicator is all of it.
        guard head.prefix(4).allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }), kind & 1 == 0 || size > 4 else { return }
        // Of the flags that change the content, only those against false synchronisation are allowed (ID3v2.4 structure, section 4.1.2).
        guard kind == 0 || version == 4 && kind & ~3 == 0, !TextFrames.renamed.contains(where: { head.starts(with: $0.utf8) }) else { return }
        left -= size
        let name = Array(head.prefix(4)), flags = Array(head.suffix(2))
        frames.append((name + bytes(of: size, isSafe: version == 4) + flags, start..<(start + size)))
    }

    /// Returns the tag. `read` returns the bytes of a range, or fewer; then the frame is left out.
    func tag(_ read: (Range<Int64>) -> [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        for frame in frames {
            let bytes = read(frame.content)
            if bytes.count == frame.content.count { content += frame.head + bytes }
        }
        // Of the header's flags, the one for false synchronisation stays: the tag has neither an extended header nor a footer.
        let head: [UInt8] = Array("ID3".utf8) + [version, 0, flags & 0x80]
        return head + bytes(of: Int64(content.count), isSafe: true) + content
    }

    /// Returns a number in four bytes, of which only seven bits each are used if it is safe from false synchronisation.
    private func bytes(of number: Int64, isSafe: Bool) -> [UInt8] {
        (0..<4).map { isSafe ? UInt8(number >> (21 - 7 * Int64($0)) & 0x7F) : UInt8(number >> (24 - 8 * Int64($0)) & 0xFF) }
    }
}
