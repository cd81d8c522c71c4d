/// An element's identifier and size in EBML, the base of Matroska (RFC 8794, sections 4 to 6).
struct EBMLHead: Equatable {
    let id: UInt32
    /// In bytes; nil if unknown, perhaps up to the end of the parent.
    let size: Int64?
    /// Of the head itself, in bytes.
    let length: Int64

    /// In bytes.
    static let maximumLength = 12

    /// Nil also if incomplete.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let id = EBMLHead.number(bytes, maximum: 4), let size = EBMLHead.number(bytes.dropFirst(id.length), maximum: 8) else { return nil }
        self.id = UInt32(id.value | 1 << (7 * UInt64(id.length)))
        let all: UInt64 = 1 << (7 * UInt64(size.length)) - 1
        self.size = size.value == all ? nil : Int64(size.value)
        length = Int64(id.length + size.length)
    }

    /// The zero bits at its start count the bytes after the first, and do not belong to the value. Nil beyond `maximum` bytes.
    private static func number(_ bytes: ArraySlice<UInt8>, maximum: Int) -> (value: UInt64, length: Int)? {
        guard let first = bytes.first, first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard length <= maximum, bytes.count >= length else { return nil }
        let value = bytes.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
        return (value ^ 1 << (7 * UInt64(length)), length)
    }
}
