import CFFmpeg

/// Packets whose place is known, gathered while reading and kept for seeks in media that have no exact index of their own.
///
/// Bounded: when it is full, every second entry goes and the distance between entries doubles.
struct SeekIndex {
    /// A packet that can be recognised again, and its place.
    struct Entry: Equatable {
        /// The position of its first sample on the timeline.
        var position: Int64
        /// Where its container keeps it, or −1.
        var byte: Int64
        /// Its decoding timestamp in the stream's time base, for containers that are positioned by time.
        var timestamp: Int64
        var size: Int32
        var digest: UInt32
    }

    private(set) var entries: [Entry] = []
    private var distance: Int64
    private let capacity: Int

    /// `distance`: positions between two entries, at first.
    init(distance: Int64, capacity: Int = 8192) {
        self.distance = max(1, distance)
        self.capacity = max(4, capacity)
    }

    /// Notes a packet, unless one near it is known already.
    mutating func add(_ packet: UnsafePointer<AVPacket>, at position: Int64) {
        let place = firstIndex(after: position)
        if place > 0, position - entries[place - 1].position < distance { return }
        if place < entries.count, entries[place].position - position < distance { return }
        entries.insert(SeekIndex.entry(for: packet, at: position), at: place)
        guard entries.count > capacity else { return }
        distance *= 2
        var kept: [Entry] = []
        kept.reserveCapacity(capacity / 2 + 1)
        for (number, entry) in entries.enumerated() where number % 2 == 0 { kept.append(entry) }
        entries = kept
    }

    /// The last entry at or before a position.
    func last(atOrBefore position: Int64) -> Entry? {
        let place = firstIndex(after: position)
        return place > 0 ? entries[place - 1] : nil
    }

    /// Whether `packet` is the one that `entry` noted.
    static func matches(_ entry: Entry, _ packet: UnsafePointer<AVPacket>) -> Bool {
        let other = SeekIndex.entry(for: packet, at: entry.position)
        return other.byte == entry.byte && other.size == entry.size && other.digest == entry.digest
    }

    /// What is noted of a packet.
    static func entry(for packet: UnsafePointer<AVPacket>, at position: Int64) -> Entry {
        let size = packet.pointee.size
        // FNV-1a over the head and the tail: enough to tell neighbours apart.
        var digest: UInt32 = 2_166_136_261
        if let data = packet.pointee.data, size > 0 {
            let bytes = UnsafeBufferPointer(start: data, count: Int(size))
            for byte in bytes.prefix(64) { digest = (digest ^ UInt32(byte)) &* 16_777_619 }
            for byte in bytes.suffix(64) { digest = (digest ^ UInt32(byte)) &* 16_777_619 }
        }
        let stamps = [packet.pointee.dts, packet.pointee.pts, 0]
        let timestamp = stamps.first { $0 != CFFmpeg_noTimestamp() } ?? 0
        return Entry(position: position, byte: packet.pointee.pos, timestamp: timestamp, size: size, digest: digest)
    }

    /// The number of the first entry behind `position`.
    private func firstIndex(after position: Int64) -> Int {
        var low = 0, high = entries.count
        // Reading goes forward: the answer is mostly the end.
        if let last = entries.last, last.position <= position { return high }
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
