/// The length that a Shorten file states: the size of the audio in the header of the original WAV file, which the Shorten file contains. FFmpeg's
/// demuxer and decoder do not report it.
enum ShortenHeader {
    /// Returns the number of frames that a Shorten file states, from its first bytes; nil if the file does not begin with a WAV header of 44 bytes.
    static func frames(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count > 5, bytes.starts(with: "ajkg".utf8), (1...3).contains(bytes[4]) else { return nil }
        var bits = Bits(bytes: bytes, at: 40)
        // Six numbers precede the commands: the type of the samples, channels, block size, prediction order, means, and bytes to skip.
        var numbers: [Int] = []
        for _ in 0..<6 {
            guard let width = bits.number(2), width < 32, let number = bits.number(width) else { return nil }
            numbers.append(number)
        }
        // The first command copies the header of the WAV file.
        guard numbers[5] == 0, bits.number(2) == 9, let size = bits.number(5), (44...1024).contains(size) else { return nil }
        var header: [UInt8] = []
        for _ in 0..<44 {
            guard let byte = bits.number(8), byte < 256 else { return nil }
            header.append(UInt8(byte))
        }
        func little(_ at: Int, _ count: Int) -> Int64 { (0..<count).reduce(0) { $0 | Int64(header[at + $1]) << Int64(8 * $1) } }
        guard header.starts(with: "RIFF".utf8), header[36..<40].elementsEqual("data".utf8), little(32, 2) > 0 else { return nil }
        return little(40, 4) / little(32, 2)
    }

    /// Reads the numbers of a Shorten file. Each number is stored as a count of zeros (its high bits), a one, and its low bits.
    private struct Bits {
        let bytes: UnsafeBufferPointer<UInt8>
        var at: Int

        mutating func bit() -> Int? {
            guard at < 8 * bytes.count else { return nil }
            defer { at += 1 }
            return Int(bytes[at / 8] >> UInt8(7 - at % 8) & 1)
        }

        /// Returns the next number, whose lowest `width` bits are stored as they are; nil at the end of the bytes.
        mutating func number(_ width: Int) -> Int? {
            var number = 0
            while let next = bit(), next == 0 { number += 1 }
            guard number < 1 << 16 else { return nil }
            for _ in 0..<width {
                guard let next = bit() else { return nil }
                number = number << 1 | next
            }
            return number
        }
    }
}
