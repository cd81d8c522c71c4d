/// Finds the pages in a part of an Ogg stream. `RemoteSearch` needs them for the byte offset at which a seek in a remote medium begins to read
/// (`PacketTimeline.landByTimestamp`).
enum OggPageRun {
    /// Returns the starts of Ogg pages in `bytes`, each with the position at which its audio begins: the granule position of the last page before it
    /// that has one. A page is omitted if this position is unknown, or not greater than that of the preceding result. Returns an empty array if the
    /// pages belong to several streams.
    ///
    /// - Parameters:
    ///   - start: The offset in the medium at which `bytes` begin.
    ///   - position: The position at which a page at the start of `bytes` begins; nil if it is unknown.
    static func points(in bytes: [UInt8], at start: Int64, _ position: Int64? = nil) -> [ByteSearch.Point] {
        var points: [ByteSearch.Point] = [], at = 0, position = position, serial: UInt32?
        while at < bytes.count {
            guard let page = OggPage(bytes[at...]) else {
                guard let distance = OggPage.distance(in: bytes[at...]) else { break }
                (at, position) = (at + distance, nil)
                continue
            }
            // Pages of several streams have unrelated positions.
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
