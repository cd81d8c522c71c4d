/// The head of an element of EBML (RFC 8794, sections 4 to 6), the format on which Matroska is based: the element's identifier and its size.
struct EBMLHead: Equatable {
    let id: UInt32
    /// The size of the EBML element's content, in bytes; nil if the content extends to the end of the element's parent.
    let size: Int64?
    /// The size of the EBML element's head itself, in bytes.
    let length: Int64

    /// The size of the longest head of an EBML element, in bytes.
    static let maximumLength = 12

    /// Reads the head of an EBML element at the start of `bytes`; nil if the bytes are not a head, or if the head is incomplete.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let id = EBMLHead.number(bytes, maximum: 4), let size = EBMLHead.number(bytes.dropFirst(id.length), maximum: 8) else { return nil }
        self.id = UInt32(id.value | 1 << (7 * UInt64(id.length)))
        let all: UInt64 = 1 << (7 * UInt64(size.length)) - 1
        self.size = size.value == all ? nil : Int64(size.value)
        length = Int64(id.length + size.length)
    }

    /// Reads a number of EBML, whose length the number's first bits state, and removes these bits. The count of zero bits at the start of an EBML
    /// number is the count of bytes after the first.
    private static func number(_ bytes: ArraySlice<UInt8>, maximum: Int) -> (value: UInt64, length: Int)? {
        guard let first = bytes.first, first != 0 else { return nil }
        let length = first.leadingZeroBitCount + 1
        guard length <= maximum, bytes.count >= length else { return nil }
        let value = bytes.prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
        return (value ^ 1 << (7 * UInt64(length)), length)
    }
}
