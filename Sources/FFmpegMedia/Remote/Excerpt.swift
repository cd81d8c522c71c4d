/// Bytes of a medium that are transferred out of order, only to be examined.
struct Excerpt: Equatable, Sendable {
    /// The offset of the first byte in the medium.
    let offset: Int64
    let bytes: [UInt8]

    /// The largest size of an excerpt, in bytes.
    static let largest = 32 << 10
    /// The function that gets each excerpt, on the thread that transfers the medium. It returns the ranges that are transferred from now on; nil if
    /// the present ones remain.
    typealias Receiver = @Sendable (Excerpt) -> [Range<Int64>]?
}
