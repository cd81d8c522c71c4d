/// Finds the pages in a part of an Ogg stream. `RemoteSearch` needs them for the byte offset at which a seek in a remote medium begins to read
/// (`PacketTimeline.landByTimestamp`).
enum OggPageRun {
    /// Returns the starts of the Ogg pages in bytes that begin at the offset `start` of the medium, each with the position at which the page before
    /// it ends. A page before which no packet ends is not among them.
    ///
    /// - Parameter position: The position at which a page at the start begins; nil if it is unknown.
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
