/// An order to the feeder for the audio of `item` from `position` on, in media frames. In forward playback, the audio of the following items is
/// joined to the audio of `item`. In reverse playback, no other item is joined: the audio of the order ends with the audio of `item`.
struct FeedOrder: Sendable {
    /// The write end to which the feeder appends the audio; it identifies the order.
    let writeEnd: Tape.WriteEnd
    let item: ItemID
    let position: Int64
    /// The tolerances of the seek, in frames: the landing may be at most `before` frames before `position`, and at most `after` frames after it.
    var before: Int64 = 0
    var after: Int64 = 0
    /// Whether the landing may be an estimated position. An order without a seek allows an estimate, because the audio begins at the item's start, or
    /// at a position that may be estimated already.
    var allowsEstimate = true
    let delivery: Delivery
    /// The joint of the ordered audio with earlier audio of the same item, which the engine has received and keeps. The audio of a joined order
    /// begins with `.join`. Nil if the ordered audio is not joined; it then begins with `.start`.
    var joint: Joint?
    /// The relation of ordered audio to the audio that the engine keeps before it.
    enum Joint {
        /// The ordered audio begins at the end position of the kept audio.
        case samePass
        /// The kept audio ends with the end of a loop, and the ordered audio begins at the start of the loop.
        case turn
    }
}

/// The format in which the feeder delivers audio, and the direction of playback.
struct Delivery {
    let format: AudioFormat
    let isReverse: Bool
}
