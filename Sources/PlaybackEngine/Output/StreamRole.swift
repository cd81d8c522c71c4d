/// The purpose of a stream's audio, for the policies of a sound server: PulseAudio's `media.role` (R-LNX-01). PipeWire accepts the same names of
/// stream roles (R-LNX-06).
public enum StreamRole: String, Sendable, Hashable, CaseIterable {
    case music, video, game, event, phone, animation, production, test
    case accessibility = "a11y"
}
