import AVFoundation

// Conversions between AVFoundation's values and the values of the audio session's state.

extension AudioSessionState.Category {
    /// Converts a category of the audio session. A category that a playing session cannot have becomes the default, `soloAmbient`.
    init(_ category: AVAudioSession.Category) {
        self = Self.allCases.first { AVAudioSession.Category($0) == category } ?? .soloAmbient
    }
}

extension AVAudioSession.Category {
    init(_ category: AudioSessionState.Category) {
        switch category {
        case .ambient: self = .ambient
        case .soloAmbient: self = .soloAmbient
        case .playback: self = .playback
        }
    }
}

extension AudioSessionState.Mode {
    /// Converts a mode of the audio session. A mode that a playing session cannot have becomes `default`.
    init(_ mode: AVAudioSession.Mode) { self = Self.allCases.first { AVAudioSession.Mode($0) == mode } ?? .default }
}

extension AVAudioSession.Mode {
    init(_ mode: AudioSessionState.Mode) {
        switch mode {
        case .default: self = .default
        case .measurement: self = .measurement
        case .moviePlayback: self = .moviePlayback
        case .spokenAudio: self = .spokenAudio
        case .voicePrompt: self = .voicePrompt
        }
    }
}

extension AudioSessionState.Option {
    /// All options of the audio session. An option that contains another option precedes it: `interruptSpokenAudioAndMixWithOthers` contains
    /// `mixWithOthers`.
    private static let longestFirst: [Self] = [
        .interruptSpokenAudioAndMixWithOthers, .mixWithOthers, .duckOthers, .allowBluetoothA2DP, .allowAirPlay,
    ]

    static func options(of set: AVAudioSession.CategoryOptions) -> [Self] {
        var rest = set
        return longestFirst.filter { option in
            let part = AVAudioSession.CategoryOptions([option])
            guard rest.isSuperset(of: part) else { return false }
            rest.subtract(part)
            return true
        }
    }
}

extension AVAudioSession.CategoryOptions {
    init(_ options: [AudioSessionState.Option]) {
        self = options.reduce(into: []) { set, option in
            switch option {
            case .mixWithOthers: set.formUnion(.mixWithOthers)
            case .duckOthers: set.formUnion(.duckOthers)
            case .interruptSpokenAudioAndMixWithOthers: set.formUnion(.interruptSpokenAudioAndMixWithOthers)
            case .allowBluetoothA2DP: set.formUnion(.allowBluetoothA2DP)
            case .allowAirPlay: set.formUnion(.allowAirPlay)
            }
        }
    }
}

extension AudioSessionState.Interruption {
    /// The interruption that a notification's `userInfo` describes; nil if the type of the interruption is unknown.
    init?(_ userInfo: [AnyHashable: Any]) {
        switch (userInfo[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(AVAudioSession.InterruptionType.init) {
        case .began:
            let reason = (userInfo[AVAudioSessionInterruptionReasonKey] as? UInt).flatMap(AVAudioSession.InterruptionReason.init) ?? .default
            self = .began(reason: AudioSessionState.InterruptionReason(reason))
        case .ended:
            let options = AVAudioSession.InterruptionOptions(rawValue: userInfo[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0)
            self = .ended(shouldResume: options.contains(.shouldResume))
        case nil: return nil
        }
    }
}

extension AudioSessionState.InterruptionReason {
    init(_ reason: AVAudioSession.InterruptionReason) {
        switch reason {
        case .default: self = .default
        case .appWasSuspended: self = .appWasSuspended
        case .builtInMicMuted: self = .builtInMicMuted
        case .routeDisconnected: self = .routeDisconnected
        }
    }
}

extension AudioSessionState.RouteChangeReason {
    init(_ reason: AVAudioSession.RouteChangeReason) {
        switch reason {
        case .unknown: self = .unknown
        case .newDeviceAvailable: self = .newDeviceAvailable
        case .oldDeviceUnavailable: self = .oldDeviceUnavailable
        case .categoryChange: self = .categoryChange
        case .override: self = .override
        case .wakeFromSleep: self = .wakeFromSleep
        case .noSuitableRouteForCategory: self = .noSuitableRouteForCategory
        case .routeConfigurationChange: self = .routeConfigurationChange
        }
    }
}

extension AVAudioSessionRouteDescription {
    var remotePorts: [AudioSessionState.Port] {
        outputs.map { AudioSessionState.Port(portType: $0.portType.rawValue, portName: $0.portName, uid: $0.uid) }
    }
}
