/// Reads numbers; nil beyond the bytes. `big` begins with the most significant byte, `little` with the least.
struct PictureBytes {
    let bytes: UnsafeBufferPointer<UInt8>
    var count: Int { bytes.count }

    func begins(_ signature: [UInt8], at offset: Int = 0) -> Bool {
        bytes.count >= offset + signature.count && zip(bytes.dropFirst(offset), signature).allSatisfy { $0 == $1 }
    }
    func byte(_ at: Int) -> Int? { bytes.indices.contains(at) ? Int(bytes[at]) : nil }
    func big(_ at: Int, _ count: Int) -> Int? { number(at, count, (0..<count).map { $0 }) }
    func little(_ at: Int, _ count: Int) -> Int? { number(at, count, (0..<count).reversed()) }
    private func number(_ at: Int, _ count: Int, _ order: [Int]) -> Int? {
        guard at >= 0, at <= bytes.count - count else { return nil }
        return order.reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
    }

    subscript(_ range: Range<Int>) -> PictureBytes {
        PictureBytes(bytes: UnsafeBufferPointer(rebasing: bytes[range.clamped(to: bytes.indices)]))
    }
}
