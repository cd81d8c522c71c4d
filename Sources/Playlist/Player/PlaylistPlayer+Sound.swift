import AVFoundation
import CoreMedia
public import PlaybackEngine

/// Where sound goes, and the session that it belongs to.
extension PlaylistPlayer {
    public func moveSound(to outputs: [any OutputProvider], origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .outputChanged) { () throws(PlayerRefusal) in player.setOutputs(outputs) }
    }

    public var audioSession: AudioSessionState {
        let session = player.session
        return AudioSessionState(
            category: session.category.remoteName, mode: session.mode.remoteName ?? "default",
            options: AVAudioSession.CategoryOptions.remoteNames(session.categoryOptions), isActive: session.isActive,
            isInterrupted: session.isInterrupted)
    }

    func apply(_ update: AudioSessionUpdate) throws(PlayerRefusal) {
        let session = player.session
        let category = update.category.flatMap(AVAudioSession.Category.init(remoteName:)) ?? session.category
        let isOther = category != session.category
        let mode = update.mode.flatMap(AVAudioSession.Mode.init(remoteName:)) ?? (isOther ? .default : session.mode)
        let options = update.options.map(AVAudioSession.CategoryOptions.init(remoteNames:)) ?? (isOther ? [] : session.categoryOptions)
        do {
            if isOther || mode != session.mode || options != session.categoryOptions {
                try session.setCategory(category, mode: mode, options: options)
            }
            if let isActive = update.isActive, isActive != session.isActive || session.isInterrupted {
                // Stopped first: to deactivate under a player that plays is an error, although it is carried out (R-SES-22).
                if !isActive { player.pause() }
                try session.setActive(isActive)
            }
        } catch {
            throw .sessionRefused((error as? AVAudioSession.ErrorCode)?.errorDescription ?? "The session cannot be changed in this way.")
        }
    }
}

extension AudioSessionState.Interruption {
    /// By what the notification has; nil where that is not known.
    init?(_ userInfo: [AnyHashable: Any]) {
        switch (userInfo[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(AVAudioSession.InterruptionType.init) {
        case .began:
            let reason = (userInfo[AVAudioSessionInterruptionReasonKey] as? UInt).flatMap(AVAudioSession.InterruptionReason.init) ?? .default
            self = .began(reason: reason.remoteName)
        case .ended:
            let options = AVAudioSession.InterruptionOptions(rawValue: userInfo[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0)
            self = .ended(shouldResume: options.contains(.shouldResume))
        case nil: return nil
        }
    }
}

extension AVAudioSession.InterruptionReason {
    var remoteName: String {
        switch self {
        case .default: "default"
        case .appWasSuspended: "appWasSuspended"
        case .builtInMicMuted: "builtInMicMuted"
        case .routeDisconnected: "routeDisconnected"
        }
    }
}

extension AVAudioSession.RouteChangeReason {
    var remoteName: String {
        switch self {
        case .unknown: "unknown"
        case .newDeviceAvailable: "newDeviceAvailable"
        case .oldDeviceUnavailable: "oldDeviceUnavailable"
        case .categoryChange: "categoryChange"
        case .override: "override"
        case .wakeFromSleep: "wakeFromSleep"
        case .noSuitableRouteForCategory: "noSuitableRouteForCategory"
        case .routeConfigurationChange: "routeConfigurationChange"
        }
    }
}

extension AVAudioSessionRouteDescription {
    var remotePorts: [AudioSessionState.Port] {
        outputs.map { AudioSessionState.Port(portType: $0.portType.rawValue, portName: $0.portName, uid: $0.uid) }
    }
}

extension AVAudioSession.Category {
    init?(remoteName: String) {
        guard let found = Self.remoteCategories.first(where: { $0.remoteName == remoteName }) else { return nil }
        self = found
    }
    private static let remoteCategories: [Self] = [.ambient, .soloAmbient, .playback]
}

extension AVAudioSession.Mode {
    private static let remoteNames: [(Self, String)] = [
        (.default, "default"), (.measurement, "measurement"), (.moviePlayback, "moviePlayback"), (.spokenAudio, "spokenAudio"),
        (.voicePrompt, "voicePrompt"),
    ]
    var remoteName: String? { Self.remoteNames.first { $0.0 == self }?.1 }
    init?(remoteName: String) {
        guard let found = Self.remoteNames.first(where: { $0.1 == remoteName }) else { return nil }
        self = found.0
    }
}

extension AVAudioSession.CategoryOptions {
    /// The longer ones first: one of them contains another.
    private static let remoteNames: [(Self, String)] = [
        (.interruptSpokenAudioAndMixWithOthers, "interruptSpokenAudioAndMixWithOthers"), (.mixWithOthers, "mixWithOthers"),
        (.duckOthers, "duckOthers"), (.allowBluetoothA2DP, "allowBluetoothA2DP"), (.allowAirPlay, "allowAirPlay"),
    ]
    static func remoteNames(_ options: Self) -> [String] {
        var rest = options
        return Self.remoteNames.compactMap { option, name in
            guard rest.isSuperset(of: option) else { return nil }
            rest.subtract(option)
            return name
        }
    }
    init(remoteNames names: [String]) {
        self = Self.remoteNames.reduce(into: []) { options, known in if names.contains(known.1) { options.formUnion(known.0) } }
    }
}
