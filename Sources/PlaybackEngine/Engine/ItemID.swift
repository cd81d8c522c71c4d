/// The identity of an item in the engine, never used again.
public struct ItemID: Sendable, Hashable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
