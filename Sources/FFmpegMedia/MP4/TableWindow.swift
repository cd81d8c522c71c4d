import PlaybackEngine

/// A table of numbers of equal width, of which one part is in memory.
struct TableWindow {
    /// In the medium.
    private let range: Range<Int64>
    /// 4, 8, 16, 32 or 64.
    private let bits: Int64
    /// In bytes; a multiple of every width.
    private let size: Int64
    /// From the start of the table.
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    /// In bytes: 4,096 samples (some 95 s), or 9 minutes in a remote medium, where a window may cost a request far from the audio.
    static let localSize: Int64 = 16 << 10, remoteSize: Int64 = 96 << 10

    init(_ range: Range<Int64>, bits: Int64, isRemote: Bool) {
        self.range = range
        self.bits = bits
        size = isRemote ? TableWindow.remoteSize : TableWindow.localSize
    }

    /// From 0; the table must have it. Reads another window if necessary. Throws `corruptMedia` if the medium does not have it any more.
    mutating func entry(_ number: Int64, _ io: IOContext) throws(PlaybackError) -> Int64 {
        let at = number * bits / 8, width = Int(max(1, bits / 8))
        if at < start || at + Int64(width) > start + Int64(bytes.count) {
            start = at / size * size
            bytes = try io.separateBytes((range.lowerBound + start)..<min(range.lowerBound + start + size, range.upperBound))
            guard at + Int64(width) <= start + Int64(bytes.count) else {
                bytes = []
                throw PlaybackError(.corruptMedia, "The tables of the medium have changed or are incomplete.")
            }
        }
        var value: UInt64 = 0
        let first = Int(at - start)
        for index in first..<(first + width) { value = value << 8 | UInt64(bytes[index]) }
        // The first has the higher bits.
        if bits == 4 { value = number % 2 == 0 ? value >> 4 : value & 0xF }
        return Int64(bitPattern: value)
    }
}
