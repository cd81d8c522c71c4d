import PlaybackEngine

/// A table of numbers of equal width in a medium, of which only one part (the window) is in memory.
struct TableWindow {
    /// The byte range of the table's entries in the medium.
    private let range: Range<Int64>
    /// The width of an entry: 4, 8, 16, 32 or 64 bits.
    private let bits: Int64
    /// The size of the window, in bytes. It is a multiple of every width.
    private let size: Int64
    /// The offset of the window's first byte from the start of the table.
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    /// The sizes of windows, in bytes. In a local medium a window has the sizes of 4,096 samples, which last some 95 s. In a remote medium each
    /// window may cost a request far from the audio, so a window lasts 9 minutes.
    static let localSize: Int64 = 16 << 10, remoteSize: Int64 = 96 << 10

    init(_ range: Range<Int64>, bits: Int64, isRemote: Bool) {
        self.range = range
        self.bits = bits
        size = isRemote ? TableWindow.remoteSize : TableWindow.localSize
    }

    /// Returns the entry with the number `number`, counted from 0, which the table must have. If the entry is not in the window, another window is
    /// read.
    ///
    /// Throws the errors of the byte source, and `corruptMedia` if the medium does not have the entry any more.
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
        // Two entries of 4 bits share a byte; the first one has the higher bits.
        if bits == 4 { value = number % 2 == 0 ? value >> 4 : value & 0xF }
        return Int64(bitPattern: value)
    }
}
