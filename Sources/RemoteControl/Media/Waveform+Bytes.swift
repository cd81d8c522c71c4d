/// The form in which a waveform is kept in a file: a header of numbers with 64 bits, and the cells with three numbers of 32 bits each, all in the byte
/// order of the machine.
extension Waveform {
    /// The number at the start, which changes with the form: "TAWAVE" and a version.
    private static let mark: Int64 = 0x5441_5741_5645_0001
    private static let headerSize = 6 * 8

    /// The waveform as bytes.
    var bytes: [UInt8] {
        let header = [Self.mark, Int64(sampleRate), frameCount, Int64(length), Int64(cells.count), Int64(lastCount)]
        return header.withUnsafeBytes { Array($0) } + cells.withUnsafeBytes { Array($0) } + [last].withUnsafeBytes { Array($0) }
    }

    /// Makes a waveform of its bytes; nil if they are not those of a waveform.
    init?(_ bytes: [UInt8]) {
        let size = MemoryLayout<Cell>.stride
        guard bytes.count >= Self.headerSize + size else { return nil }
        let header = bytes.withUnsafeBytes { bytes in (0..<6).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: Int64.self) } }
        let (frames, length, count, lastCount) = (header[2], header[3], header[4], header[5])
        guard header[0] == Self.mark, (1...768_000).contains(header[1]), (1...1 << 32).contains(length), length.nonzeroBitCount == 1,
            (0..<Int64(Self.capacity)).contains(count), (0..<length).contains(lastCount), frames == count * length + lastCount,
            bytes.count == Self.headerSize + (Int(count) + 1) * size
        else { return nil }
        let cells = bytes.withUnsafeBytes { bytes in
            (0...Int(count)).map { bytes.loadUnaligned(fromByteOffset: Self.headerSize + $0 * size, as: Cell.self) }
        }
        guard cells.allSatisfy({ $0.minimum.isFinite && $0.maximum.isFinite && $0.sum.isFinite }) else { return nil }
        self.init(
            sampleRate: Int(header[1]), frameCount: frames, length: Int(length), cells: cells.dropLast(), last: cells[Int(count)], Int(lastCount))
    }
}
