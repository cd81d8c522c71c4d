/// Examines the sample descriptions of an MP4 track ("stsd", ISO 14496-12, 8.5.2; QuickTime File Format, "Sound Sample Description"), because FFmpeg
/// could find a table in them that `MovieScreen` has not counted.
///
/// FFmpeg searches a sample description for boxes of every kind, and obeys a table that it finds. It reads the next description at the offset at
/// which the search has stopped. No real file has a table in a sample description. So a description is refused (`isSafe` is false) if it contains the
/// name of a table, if it extends beyond its box, or if FFmpeg would read its fields beyond its end.
struct SampleDescriptions {
    private(set) var isSound: Bool
    private(set) var isSafe = true
    /// The minimum number of samples that FFmpeg combines in one index entry of a chunk. An entry has one packet if packets have 160 samples or more;
    /// otherwise it has as many whole packets as fit into 1,024 samples, which are more than 860 samples.
    private(set) var samplesPerEntry: Int64 = 860
    /// Whether there is only one description, of AAC or ALAC without encryption, so that FFmpeg delivers the packets as they are in the file.
    private(set) var isPlain = false

    /// The maximum size of the sample descriptions together, in bytes. In real files they have some hundreds of bytes.
    static let limit: Int64 = 1 << 20
    private static let tables: [[UInt8]] = [
        "stsz", "stz2", "stts", "stsc", "stco", "co64", "ctts", "stss", "stps", "elst", "trun", "keys", "cmov", "stsd", "trak", "moov", "moof",
    ].map { Array($0.utf8) }

    /// The kind of an MP4 track, which determines the fields of its sample descriptions.
    enum Kind { case sound, picture, other }

    /// Reads the sample descriptions in the content of the box "stsd".
    init(_ bytes: [UInt8], kind: Kind) {
        isSound = kind == .sound
        guard bytes.count >= 8 else {
            isSafe = false
            return
        }
        let count = SampleDescriptions.number(bytes, 4, 4)
        var at = 8
        for _ in 0..<min(count, 1024) {
            guard bytes.count - at >= 8 else {
                isSafe = false
                return
            }
            let size = SampleDescriptions.number(bytes, at, 4)
            guard size >= 8, size <= bytes.count - at else {
                isSafe = false
                return
            }
            let entry = Array(bytes[at..<(at + size)])
            // The fields are checked only if there are several descriptions: only then FFmpeg can read a next description at a wrong offset.
            if count > 1, size >= 0x7FFFF || SampleDescriptions.fieldBytes(entry, kind) > size { isSafe = false }
            if isSound { read(entry) }
            at += size
        }
        if SampleDescriptions.hasTable(bytes) { isSafe = false }
        isPlain = isSound && isSafe && count == 1 && SampleDescriptions.isPlain(bytes)
    }

    /// Returns whether the only description in the content of "stsd" is of ALAC, or of AAC, without encryption.
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        guard !contains(bytes, "sinf") else { return false }
        switch number(bytes, 12, 4) {
        // The format "alac".
        case 0x616C_6163: return true
        // The format "mp4a".
        case 0x6D70_3461: return isAAC(bytes)
        default: return false
        }
    }

    /// Returns whether the box "esds" (ISO/IEC 14496-1, 7.2.6.6) in the content of "stsd" states the object type of AAC (0x40).
    private static func isAAC(_ bytes: [UInt8]) -> Bool {
        guard let name = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: "esds".utf8) }) else { return false }
        var at = name + 8
        func next() -> Int {
            defer { at += 1 }
            return at < bytes.count ? Int(bytes[at]) : 0
        }
        func skipSize() {
            for _ in 0..<4 where next() & 0x80 == 0 { break }
        }
        // The tag of the elementary stream's descriptor, its size, the number of the stream, and flags that announce optional fields.
        guard next() == 3 else { return false }
        skipSize()
        at += 2
        guard next() & 0xE0 == 0 else { return false }
        // The tag of the decoder's configuration, its size, and the object type.
        guard next() == 4 else { return false }
        skipSize()
        return next() == 0x40
    }

    private static func contains(_ bytes: [UInt8], _ name: StaticString) -> Bool {
        let name = name.withUTF8Buffer { Array($0) }
        return bytes.indices.dropLast(3).contains { bytes[$0] == name[0] && bytes[$0...].starts(with: name) }
    }

    /// Reads the number of samples in a packet from the description of an audio track, and lowers `samplesPerEntry` if necessary.
    private mutating func read(_ entry: [UInt8]) {
        guard entry.count >= 36 else { return }
        let version = SampleDescriptions.number(entry, 16, 2), fields = version == 1 ? 36 : 68
        var packet = 0
        if version == 1 || version == 2, entry.count >= fields + 4 { packet = SampleDescriptions.number(entry, fields, 4) }
        // The codec GSM 6.10 has packets of 160 samples.
        if entry[4..<8].elementsEqual("agsm".utf8) { packet = 160 }
        if packet >= 160 { samplesPerEntry = min(samplesPerEntry, Int64(packet)) }
    }

    /// Returns the number of bytes of a sample description that FFmpeg reads before it searches for boxes.
    private static func fieldBytes(_ entry: [UInt8], _ kind: Kind) -> Int {
        switch kind {
        case .other: return 16
        case .sound:
            guard entry.count >= 36 else { return 36 }
            return switch number(entry, 16, 2) {
            case 1: 52
            case 2: 72
            default: 36
            }
        case .picture:
            // The description of video with 1, 2, 4 or 8 bits for each pixel may contain a colour table: the numbers of the first and the last
            // colour, and 8 bytes for each colour.
            guard entry.count >= 86, [1, 2, 4, 8].contains(entry[83] & 0x1F), number(entry, 84, 2) == 0 else { return 86 }
            guard entry.count >= 94 else { return 94 }
            return 94 + 8 * max(0, min(256, number(entry, 92, 2) - number(entry, 86, 4) + 1))
        }
    }

    private static func hasTable(_ bytes: [UInt8]) -> Bool {
        let starts = Set(tables.map { $0[0] })
        for at in bytes.indices.dropLast(3) where starts.contains(bytes[at]) {
            if tables.contains(where: { $0.elementsEqual(bytes[at..<(at + 4)]) }) { return true }
        }
        return false
    }

    /// Returns the big-endian number of `count` bytes from index `at` on. The caller guarantees that these bytes exist.
    private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int { bytes[at..<(at + count)].reduce(0) { $0 << 8 | Int($1) } }
}
