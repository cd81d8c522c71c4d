import PlaybackEngine

/// The category, the mode, the policy and the options of a session, as a value.
struct SessionSettings: Hashable {
    var category = AVAudioSession.Category.soloAmbient
    var mode = AVAudioSession.Mode.default
    var options: AVAudioSession.CategoryOptions = []
    var policy = AVAudioSession.RouteSharingPolicy.default

    /// The role of the audio that the sound server is told (R-LNX-20…24). With the role `event`, the server lowers other programs; it is used only
    /// while the session is active (R-SES-14).
    func role(isActive: Bool) -> StreamRole {
        switch mode {
        case .voicePrompt: return .accessibility
        case .voiceChat, .videoChat, .gameChat: return .phone
        default: break
        }
        if isActive, options.contains(.duckOthers) { return .event }
        if mode == .moviePlayback { return .video }
        return category == .ambient ? .game : .music
    }

    /// Checks the settings: throws `badParam` if the values contradict each other (R-SES-10, R-SES-15, R-SES-16).
    func check() throws {
        guard AVAudioSession.Category.all.contains(category), mode.categories?.contains(category) == true,
            AVAudioSession.CategoryOptions.allowed(in: category).isSuperset(of: options)
        else { throw AVAudioSession.ErrorCode.badParam }
        if policy == .longFormAudio || policy == .longFormVideo {
            guard category == .playback, options.isEmpty, [.default, .moviePlayback, .spokenAudio].contains(mode) else {
                throw AVAudioSession.ErrorCode.badParam
            }
        }
    }
}
