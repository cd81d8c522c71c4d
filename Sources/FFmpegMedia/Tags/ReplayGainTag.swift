import PlaybackEngine

/// Reads the loudness tags (ReplayGain) in an APEv2 tag at the end of an MP3 file, as written by the program mp3gain. FFmpeg's demuxer for MP3 does
/// not read an APEv2 tag at the end of the file.
///
/// The APEv2 tag is hostile data: the size of the file limits sizes and counts, and only short plain text under the four known names is accepted.
enum ReplayGainTag {
    private static let names: Set<String> = ["replaygain_track_gain", "replaygain_track_peak", "replaygain_album_gain", "replaygain_album_peak"]
    /// The size of an APEv2 tag's footer, in bytes. The header of an APEv2 tag has the same form as its footer.
    private static let footerSize: Int64 = 32
    /// The size of an ID3v1 tag, in bytes, which may follow the APEv2 tag at the end of an MP3 file.
    private static let id3Size: Int64 = 128
    private static let itemLimit = 256
    private static let valueLimit = 64

    /// Returns the loudness tags in the APEv2 tag of a local file, each name once; an empty array if there is no tag.
    static func entries(_ io: IOContext) -> [MetadataEntry] {
        guard !io.source.isRemote, io.source.isSeekable, let size = io.source.length else { return [] }
        for end in [size, size - id3Size] where end >= footerSize {
            if end < size, !io.peek(end..<size).starts(with: "TAG".utf8) { continue }
            let footer = io.peek((end - footerSize)..<end)
            guard footer.count == Int(footerSize), footer.starts(with: "APETAGEX".utf8), [1000, 2000].contains(number(footer, 8)) else { continue }
            // The stated length of an APEv2 tag includes the footer.
            let length = number(footer, 12)
            guard length >= footerSize, length <= end else { return [] }
            return items(io, (end - length)..<(end - footerSize), count: number(footer, 16))
        }
        return []
    }

    private static func items(_ io: IOContext, _ range: Range<Int64>, count: Int64) -> [MetadataEntry] {
        var found: [MetadataEntry] = [], at = range.lowerBound
        for _ in 0..<min(Int(count), itemLimit) {
            // An item of an APEv2 tag is a head of 8 bytes, a name of up to 255 bytes, a zero byte, and the value.
            let bytes = io.peek(at..<min(range.upperBound, at + 8 + 256 + Int64(valueLimit)))
            guard bytes.count > 8, let zero = bytes[8...].firstIndex(of: 0) else { break }
            let size = number(bytes, 0), flags = number(bytes, 4), value = zero + 1
            let name = String(decoding: bytes[8..<zero], as: UTF8.self).lowercased()
            // In the flags of an APEv2 item, bits 1 and 2 state the kind of the item's value; 0 means text.
            if names.contains(name), flags & 6 == 0, size <= valueLimit, value + Int(size) <= bytes.count, !found.contains(where: { $0.key == name })
            {
                let text = bytes[value..<(value + Int(size))]
                if text.allSatisfy({ (0x20...0x7E).contains($0) }) {
                    found.append(MetadataEntry(key: name, value: String(decoding: text, as: UTF8.self)))
                }
            }
            at += Int64(value) + size
            guard at < range.upperBound else { break }
        }
        return found
    }

    /// Returns a little-endian number of four bytes.
    private static func number(_ bytes: [UInt8], _ at: Int) -> Int64 { (0..<4).reduce(0) { $0 | Int64(bytes[at + $1]) << Int64(8 * $1) } }
}
