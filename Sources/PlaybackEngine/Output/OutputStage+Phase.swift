/// The phases of the device.
extension OutputStage {
    /// The phase of the device.
    enum Phase {
        /// No device is open.
        case closed
        /// A device is open and does not play.
        case stopped
        case running
        /// The device plays a fade-out. `until` is the number of the first frame after the fade-out. The ring does not publish frames from `until`
        /// on, so the device cannot take them.
        case fading(until: Int64)
        /// The device plays the frames that it has taken, and takes no other frames until the stage releases it (`release`).
        case held(Splice)
    }

    var isHeld: Bool { if case .held = phase { true } else { false } }
    /// The number of the first frame that a held device may receive as a replacement; nil if the device is not held.
    var heldStart: Int64? { if case .held(let splice) = phase { splice.start } else { nil } }
    /// The number of the frame before which a fade-out ends; nil if no fade-out is in progress.
    var fadeEnd: Int64? {
        switch phase {
        case .fading(let end): end
        case .held(let splice): splice.fadeEnd
        case .closed, .stopped, .running: nil
        }
    }
}
