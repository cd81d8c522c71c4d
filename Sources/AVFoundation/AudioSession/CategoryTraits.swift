import PlaybackEngine

/// The properties of a category (R-SES-01…06), as a value.
struct CategoryTraits: Hashable {
    enum Direction: Hashable { case output, input, both }
    /// Whether the silent switch and the lock of the screen silence the audio.
    var isSilencedByLock: Bool
    /// Whether the audio stops that of other programs, unless the options allow mixing.
    var stopsOthers: Bool
    var direction: Direction

    init(_ category: AVAudioSession.Category) {
        switch category {
        case .ambient: self.init(isSilencedByLock: true, stopsOthers: false, direction: .output)
        case .playback: self.init(isSilencedByLock: false, stopsOthers: true, direction: .output)
        case .record: self.init(isSilencedByLock: false, stopsOthers: true, direction: .input)
        case .playAndRecord, .multiRoute: self.init(isSilencedByLock: false, stopsOthers: true, direction: .both)
        default: self.init(isSilencedByLock: true, stopsOthers: true, direction: .output)
        }
    }

    private init(isSilencedByLock: Bool, stopsOthers: Bool, direction: Direction) {
        self.isSilencedByLock = isSilencedByLock
        self.stopsOthers = stopsOthers
        self.direction = direction
    }
}

/// Category, mode, policy and options, as a value.
struct SessionSettings: Hashable {
    var category = AVAudioSession.Category.soloAmbient
    var mode = AVAudioSession.Mode.default
    var options: AVAudioSession.CategoryOptions = []
    var policy = AVAudioSession.RouteSharingPolicy.default

    var traits: CategoryTraits { CategoryTraits(category) }

    /// Whether the audio mixes: it neither interrupts other audio nor is interrupted (R-SES-13). Ducking others and interrupting spoken
    /// audio include mixing.
    var isMixable: Bool { !traits.stopsOthers || !options.isDisjoint(with: [.mixWithOthers, .duckOthers]) }

    /// The role for the sound server (R-LNX-20…24). It is `event`, at which the server lowers other programs, only while the session is
    /// active (R-SES-14).
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

    /// Throws `badParam` if the values contradict each other (R-SES-10, R-SES-15, R-SES-16).
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
