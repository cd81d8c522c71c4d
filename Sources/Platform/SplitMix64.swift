/// Random numbers (Steele, Lea and Flood 2014), the same for the same seed, so that shuffle and dither are repeatable.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    /// The state, which is the seed at first.
    package var state: UInt64

    @inlinable package init(state: UInt64) { self.state = state }

    @inlinable package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
