public import AVFoundation

/// A value of AVFoundation that clients and the saved state know by its name in Swift.
public protocol Named: Equatable {
    /// The values that can occur in this program, with their names. Every other value gets the name of the first one.
    static var names: [(value: Self, name: String)] { get }
}

extension Named {
    public var name: String { (Self.names.first { $0.value == self } ?? Self.names[0]).name }

    public init?(name: String) {
        guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
        self = known.value
    }
}

extension AVPlayer.Status: Named {
    public static let names: [(value: Self, name: String)] = [(.unknown, "unknown"), (.readyToPlay, "readyToPlay"), (.failed, "failed")]
}

extension AVPlayerItem.Status: Named {
    public static let names: [(value: Self, name: String)] = [(.unknown, "unknown"), (.readyToPlay, "readyToPlay"), (.failed, "failed")]
}

extension AVPlayer.TimeControlStatus: Named {
    public static let names: [(value: Self, name: String)] = [
        (.paused, "paused"), (.waitingToPlayAtSpecifiedRate, "waitingToPlayAtSpecifiedRate"), (.playing, "playing"),
    ]
}

extension AVPlayer.WaitingReason: Named {
    /// The current item waits for its file, whose disk or share is away. Not in Apple's API.
    public static let mediaUnavailable = AVPlayer.WaitingReason(rawValue: "TonearmWaitingForUnavailableMediaReason")

    public static let names: [(value: Self, name: String)] = [
        (.toMinimizeStalls, "toMinimizeStalls"), (.evaluatingBufferingRate, "evaluatingBufferingRate"), (.noItemToPlay, "noItemToPlay"),
        (.mediaUnavailable, "mediaUnavailable"),
    ]
}

extension AVPlayer.ActionAtItemEnd: Named {
    public static let names: [(value: Self, name: String)] = [(.advance, "advance"), (.pause, "pause"), (.none, "none")]
}

extension AVAudioSession.Category: Named {
    public static let names: [(value: Self, name: String)] = [(.soloAmbient, "soloAmbient"), (.ambient, "ambient"), (.playback, "playback")]
}

extension AVAudioSession.InterruptionReason: Named {
    public static let names: [(value: Self, name: String)] = [
        (.default, "default"), (.appWasSuspended, "appWasSuspended"), (.builtInMicMuted, "builtInMicMuted"),
        (.routeDisconnected, "routeDisconnected"),
    ]
}

extension AVAudioSession.RouteChangeReason: Named {
    public static let names: [(value: Self, name: String)] = [
        (.unknown, "unknown"), (.newDeviceAvailable, "newDeviceAvailable"), (.oldDeviceUnavailable, "oldDeviceUnavailable"),
        (.categoryChange, "categoryChange"), (.override, "override"), (.wakeFromSleep, "wakeFromSleep"),
        (.noSuitableRouteForCategory, "noSuitableRouteForCategory"), (.routeConfigurationChange, "routeConfigurationChange"),
    ]
}
