import Platform
import PlaybackEngine

/// Takes the metadata of a radio station (Shoutcast, Icecast) out of the bytes of an HTTP response.
///
/// After each `interval` bytes of audio, such a response has a block of metadata: a byte with the length in units of 16 bytes, and as many bytes of
/// text, padded by NUL (the header fields `Icy-MetaData: 1` and `icy-metaint`). A length of 0 means that nothing has changed.
struct ICYFilter {
    /// A block of metadata, and the number of audio bytes that precede it in the same call of `filter`.
    struct Block {
        let offset: Int
        let entries: [MetadataEntry]
    }
    private let interval: Int64
    /// The number of audio bytes before the next block of metadata.
    private var audioLeft: Int64
    /// The number of bytes of the present block that have not arrived; 0 between blocks.
    private var blockLeft = 0
    private var block: [UInt8] = []

    /// The largest size of a block, in bytes.
    static let blockLimit = 255 * 16

    /// Makes the filter of a response; nil if the response has no metadata.
    init?(_ reply: HTTPReply) {
        guard let text = reply["icy-metaint"], let interval = Int64(text.trimmingSpaces) else { return nil }
        self.init(interval: interval)
    }

    /// Makes the filter of a response with a block of metadata after each `interval` bytes; nil if `interval` is not positive.
    init?(interval: Int64) {
        guard interval > 0 else { return nil }
        self.interval = interval
        audioLeft = interval
    }

    /// Removes the metadata from the next bytes of the response, which are in `buffer`. The audio bytes are then at the start of `buffer`, in order.
    ///
    /// - Returns: The number of audio bytes, and the blocks with a title that ended in `buffer`.
    mutating func filter(_ buffer: UnsafeMutableRawBufferPointer) -> (count: Int, blocks: [Block]) {
        var read = 0, kept = 0
        var blocks: [Block] = []
        while read < buffer.count {
            if blockLeft > 0 {
                let count = min(blockLeft, buffer.count - read)
                block += buffer[read..<(read + count)]
                blockLeft -= count
                read += count
                if blockLeft == 0 { end(&blocks, at: kept) }
            } else if audioLeft > 0 {
                let count = Int(min(audioLeft, Int64(buffer.count - read)))
                if kept != read, let base = buffer.baseAddress { (base + kept).copyMemory(from: base + read, byteCount: count) }
                audioLeft -= Int64(count)
                kept += count
                read += count
            } else {
                blockLeft = Int(buffer[read]) * 16
                audioLeft = interval
                read += 1
            }
        }
        return (kept, blocks)
    }

    private mutating func end(_ blocks: inout [Block], at offset: Int) {
        if let entries = StationMetadata.entries(block) { blocks.append(Block(offset: offset, entries: entries)) }
        block.removeAll(keepingCapacity: true)
    }
}

/// Reads the metadata that a radio station sends. The metadata are hostile text.
enum StationMetadata {
    /// The key of the title that is played now, as Apple and FFmpeg call it.
    static let titleKey = "StreamTitle"
    /// The keys that are used, as Apple writes them. On the wire their case differs.
    private static let keys = [titleKey, "StreamURL"]
    /// The maximum size of a fact about a station (`facts`), in bytes.
    static let factLimit = 256

    /// Reads a block of metadata: `StreamTitle='…';StreamUrl='…';`. A value may contain quotation marks and semicolons: it ends at `';` before the next
    /// key, or before the end.
    ///
    /// - Returns: The values that are not empty, by their keys in a fixed order; nil if the block has no title.
    static func entries(_ block: [UInt8]) -> [MetadataEntry]? {
        var rest = block[...]
        while let last = rest.last, last == 0 || last == 0x20 || last == 0x0A || last == 0x0D { rest.removeLast() }
        var values: [String: String] = [:]
        while let (key, value, next) = field(rest) {
            let known = keys.first { $0.utf8.elementsEqual(key) { $0 | 0x20 == $1 | 0x20 } }
            if let known, values[known] == nil { values[known] = text(value) }
            rest = next
        }
        guard values[titleKey] != nil else { return nil }
        return keys.compactMap { key in values[key].flatMap { $0.isEmpty ? nil : MetadataEntry(key: key, value: $0) } }
    }

    private typealias Bytes = ArraySlice<UInt8>

    /// Returns the first field of a block: its key, its value, and the bytes after it; nil if none begins here.
    private static func field(_ bytes: Bytes) -> (key: Bytes, value: Bytes, rest: Bytes)? {
        guard let start = valueStart(bytes) else { return nil }
        let key = bytes[..<(start - 2)]
        var at = start, lastQuote: Int?
        while at < bytes.endIndex {
            if bytes[at] == quote {
                lastQuote = at
                let isEnded = at + 1 < bytes.endIndex && bytes[at + 1] == semicolon
                if isEnded, at + 2 == bytes.endIndex || valueStart(bytes[(at + 2)...]) != nil { return (key, bytes[start..<at], bytes[(at + 2)...]) }
            }
            at += 1
        }
        // The end of the value is missing: the block was cut, or its sender omits the last semicolon.
        let end = lastQuote.map { $0 == bytes.endIndex - 1 ? $0 : bytes.endIndex } ?? bytes.endIndex
        return (key, bytes[start..<end], [])
    }

    /// Returns the index after `Key='` at the start of `bytes`; nil if no field begins here.
    private static func valueStart(_ bytes: Bytes) -> Int? {
        var at = bytes.startIndex
        while at < bytes.endIndex, at - bytes.startIndex < 32, isLetter(bytes[at]) { at += 1 }
        guard at > bytes.startIndex, at + 1 < bytes.endIndex, bytes[at] == 0x3D, bytes[at + 1] == quote else { return nil }
        return at + 2
    }

    private static let quote = UInt8(ascii: "'"), semicolon = UInt8(ascii: ";")

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    /// Decodes bytes as UTF-8, or as windows-1252 if they are not valid UTF-8, and resolves character references, with which many stations write
    /// letters beyond ASCII. Removes control characters, and spaces at both ends.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        let read = String(validating: bytes, as: UTF8.self) ?? Windows1252.text(bytes)
        let scalars = ListText.string(ListText.decoded(Array(read.utf8)[...])[...]).unicodeScalars
        var kept = scalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }[...]
        while kept.first == " " { kept.removeFirst() }
        while kept.last == " " { kept.removeLast() }
        return String(kept)
    }

    /// Returns the facts that the head of a response states about the station.
    static func facts(_ reply: HTTPReply) -> [MetadataEntry] {
        ["icy-name", "icy-genre", "icy-url", "icy-br"].compactMap { key in
            // The head of a response was read as Latin-1, so each scalar is one byte.
            guard let value = reply[key] else { return nil }
            let text = text(value.unicodeScalars.prefix(factLimit).map { UInt8(truncatingIfNeeded: $0.value) })
            return text.isEmpty ? nil : MetadataEntry(key: key, value: text)
        }
    }
}
