/// What a stream's sound is for, as a sound server's policies see it: PulseAudio's `media.role` (R-LNX-01). PipeWire takes the same words (R-LNX-06).
public enum StreamRole: String, Sendable, Hashable, CaseIterable {
    case music, video, game, event, phone, animation, production, test
    case accessibility = "a11y"
}
