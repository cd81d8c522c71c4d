/// An order to the feeder for the audio of a new generation: the audio of `item` from `position` on, in media frames. In forward playback, the audio
/// of the following items is joined to the audio of `item`. In reverse playback, the audio of the order ends at the start of `item`.
struct FeedOrder: Sendable {
    var generation: Int
    var item: ItemID
    var position: Int64
    /// The tolerances of the seek, in frames: the landing may be at most `before` frames before `position`, and at most `after` frames after it.
    var before: Int64 = 0
    var after: Int64 = 0
    /// Whether the landing may rest on an estimate. Audio that is ordered without a seek may: the item's start, and audio that is ordered again at an
    /// estimated position.
    var allowsEstimate = true
    var format: AudioFormat
    var isReverse = false
    /// Whether the ordered audio continues, without a gap, the audio of the same item that the engine keeps. If so, the generation of the order
    /// begins with `.join`.
    var isJoined = false
    /// The generation of the audio whose positions determine `position`, if the order continues audio; nil for the target of a seek, which is the same
    /// after a correction of positions.
    var base: Int?
}
