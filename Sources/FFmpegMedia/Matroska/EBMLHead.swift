/// The head of an element of EBML, the format on which Matroska is based: the element's identifier and its size (RFC 8794, sections 4 to 6).
struct EBMLHead: Equatable {
    let id: UInt32
    /// The size of the element's content, in bytes; nil if the size is unknown, so that the content may extend to the end of the parent.
    let size: Int64?
    /// The size of the head itself, in bytes.
    let length: Int64

    /// The size of the longest head, in bytes.
    static let maximumLength = 12

    /// Reads the head of an element at the start of `bytes`; nil if the bytes are not a head, or if the head is incomplete.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let id = EBMLHead.number(bytes, maximum: 4), let size = EBMLHead.number(bytes.dropFirst(id.length), maximum: 8) else { return nil }
        self.id = UInt32(id.value | 1 << (7 * UInt64(id.length)))
        let all: UInt64 = 1 << (7 * UInt64(size.length)) - 1
        self.size = size.value == all ? nil : Int64(size.value)
        length = Int64(id.length + size.length)
    }

    /// Reads a number of EBML, and returns its value and its length in bytes. The number of zero bits at its start is the number of bytes after the
    /// first; these bits, and the one after them, do not belong to the value. Returns nil if the number has more than `maximum` bytes.
    private static func number(_ bytes: ArraySlice<UInt8>, maximum: Int) -> (value: UInt64, length: Int)? {
        guard let first = bytes.first, first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard length <= maximum, bytes.count >= length else { return nil }
        let value = bytes.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
        return (value ^ 1 << (7 * UInt64(length)), length)
    }
}
