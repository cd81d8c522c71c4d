/// Finds the pages in a part of an Ogg stream, for seeks in remote media (`PacketTimeline.landByTimestamp`).
enum OggPageRun {
    /// Each with the position at which its audio begins: the granule position before it, omitted if unknown or not greater. Empty if there are
    /// several streams.
    /// - Parameters:
    ///   - start: The offset of `bytes` in the medium.
    ///   - position: Of a page at the start of `bytes`; nil if unknown.
    static func points(in bytes: [UInt8], at start: Int64, _ position: Int64? = nil) -> [ByteSearch.Point] {
        var points: [ByteSearch.Point] = [], at = 0, position = position, serial: UInt32?
        while at < bytes.count {
            guard let page = OggPage(bytes[at...]) else {
                guard let distance = OggPage.distance(in: bytes[at...]) else { break }
                (at, position) = (at + distance, nil)
                continue
            }
            // Several streams have unrelated positions.
            guard serial == nil || serial == page.serial else { return [] }
            serial = page.serial
            if let position, points.last.map({ $0.position < position }) ?? true {
                points.append(ByteSearch.Point(position: position, byte: start + Int64(at)))
            }
            if let granule = page.granule { position = granule }
            at += page.size
        }
        return points
    }
}
