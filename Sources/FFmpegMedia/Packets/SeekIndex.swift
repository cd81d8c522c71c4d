import CFFmpeg

/// An index of packets of known position, recorded while the medium is read, for seeks in media without an exact index of their own.
///
/// The size of the seek index is limited: when the index is full, every second entry is removed and the distance between entries doubles.
struct SeekIndex {
    /// A description of a packet by which the packet is recognised again, and the packet's position.
    struct Entry: Equatable {
        /// The position of the indexed packet's first sample on the timeline.
        var position: Int64
        /// The indexed packet's byte offset in the container; −1 if it is unknown.
        var byte: Int64
        /// The indexed packet's decoding timestamp in the stream's time base, for containers that seek by time.
        var timestamp: Int64
        /// The size of the indexed packet, in bytes.
        var size: Int32
        /// A hash of the indexed packet's bytes, by which the packet is recognised.
        var digest: UInt32
    }

    private(set) var entries: [Entry] = []
    /// The minimum distance between two entries of the seek index, in frames.
    private(set) var distance: Int64
    private let capacity: Int

    /// - Parameter distance: The initial distance between two entries of the seek index, in frames.
    init(distance: Int64, capacity: Int = 8192) {
        self.distance = max(1, distance)
        self.capacity = max(4, capacity)
    }

    /// Adds a packet to the seek index, unless the index has an entry at less than the minimum distance.
    mutating func add(_ packet: UnsafePointer<AVPacket>, at position: Int64) {
        guard let number = place(for: position) else { return }
        insert(SeekIndex.entry(for: packet, at: position), at: number)
    }

    /// Adds an entry, unless the index has one at less than the minimum distance.
    mutating func add(_ entry: Entry) {
        if let number = place(for: entry.position) { insert(entry, at: number) }
    }

    /// Returns the index in `entries` at which an entry at `position` belongs; nil if the index has an entry at less than the minimum distance.
    private func place(for position: Int64) -> Int? {
        let number = firstIndex(after: position)
        if number > 0, position - entries[number - 1].position < distance { return nil }
        if number < entries.count, entries[number].position - position < distance { return nil }
        return number
    }

    private mutating func insert(_ entry: Entry, at number: Int) {
        entries.insert(entry, at: number)
        guard entries.count > capacity else { return }
        distance *= 2
        var kept: [Entry] = []
        kept.reserveCapacity(capacity / 2 + 1)
        for (index, entry) in entries.enumerated() where index % 2 == 0 { kept.append(entry) }
        entries = kept
    }

    /// Returns the last entry of the seek index at or before `position`.
    func last(atOrBefore position: Int64) -> Entry? {
        let number = firstIndex(after: position)
        return number > 0 ? entries[number - 1] : nil
    }

    /// Returns whether `packet` is the packet that the seek index has recorded as `entry`.
    static func matches(_ entry: Entry, _ packet: UnsafePointer<AVPacket>) -> Bool {
        let other = SeekIndex.entry(for: packet, at: entry.position)
        return other.byte == entry.byte && other.size == entry.size && other.digest == entry.digest
    }

    /// Returns an index entry that describes `packet` at `position`.
    static func entry(for packet: UnsafePointer<AVPacket>, at position: Int64) -> Entry {
        let size = packet.pointee.size
        let digest = SeekIndex.digest(UnsafeBufferPointer(start: packet.pointee.data, count: packet.pointee.data == nil ? 0 : Int(max(0, size))))
        let stamps = [packet.pointee.dts, packet.pointee.pts, 0]
        let timestamp = stamps.first { $0 != CFFmpeg_noTimestamp() } ?? 0
        return Entry(position: position, byte: packet.pointee.pos, timestamp: timestamp, size: size, digest: digest)
    }

    /// Returns the hash of a packet's bytes: FNV-1a of the first and last 64 bytes, which is enough to distinguish neighbouring packets.
    static func digest(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var digest: UInt32 = 2_166_136_261
        for byte in bytes.prefix(64) { digest = (digest ^ UInt32(byte)) &* 16_777_619 }
        for byte in bytes.suffix(64) { digest = (digest ^ UInt32(byte)) &* 16_777_619 }
        return digest
    }

    /// Returns the number of the first entry of the seek index after `position`.
    private func firstIndex(after position: Int64) -> Int {
        // Packets are usually read in order, so that a new entry belongs at the end of the seek index.
        if let last = entries.last, last.position <= position { return entries.count }
        return entries.partitioningIndex { $0.position > position }
    }
}
