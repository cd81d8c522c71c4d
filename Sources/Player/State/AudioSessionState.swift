public import AVFoundation

/// An event of the audio session, as remotes see it. The properties have the names that AVFoundation uses.
public enum AudioSessionState {
    /// The start or end of an interruption by other audio (R-INT-01).
    public enum Interruption: Sendable, Hashable {
        case began(reason: AVAudioSession.InterruptionReason)
        /// The end of an interruption. `shouldResume` states whether playback may resume (R-INT-03).
        case ended(shouldResume: Bool)

        /// The interruption that a notification's `userInfo` describes; nil if the type of the interruption is unknown.
        init?(_ userInfo: [AnyHashable: Any]) {
            switch (userInfo[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap(AVAudioSession.InterruptionType.init) {
            case .began:
                let reason = (userInfo[AVAudioSessionInterruptionReasonKey] as? UInt).flatMap(AVAudioSession.InterruptionReason.init)
                self = .began(reason: reason ?? .default)
            case .ended:
                let options = AVAudioSession.InterruptionOptions(rawValue: userInfo[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0)
                self = .ended(shouldResume: options.contains(.shouldResume))
            case nil: return nil
            }
        }
    }

    /// A port: a connector of the audio route (R-ROUTE-05).
    public struct Port: Sendable, Hashable {
        /// AVFoundation's name of the connector's kind: `Headphones`, `Speaker`, `LineOut`, …
        public var portType: String
        /// The connector's name that is shown to users.
        public var portName: String
        /// The connector's stable id.
        public var uid: String
        public init(portType: String, portName: String, uid: String) { self.portType = portType; self.portName = portName; self.uid = uid }
    }

    /// A change of the audio route (the connectors that play), or a new reason for the same route (R-ROUTE-01).
    public struct RouteChange: Sendable, Hashable {
        public var reason: AVAudioSession.RouteChangeReason
        /// The connectors of the new audio route; empty if nothing can be heard.
        public var outputs: [Port]
        /// The connectors of the former audio route.
        public var previousOutputs: [Port]
        public init(reason: AVAudioSession.RouteChangeReason, outputs: [Port], previousOutputs: [Port]) {
            self.reason = reason; self.outputs = outputs; self.previousOutputs = previousOutputs
        }
    }
}

extension AVAudioSessionRouteDescription {
    var remotePorts: [AudioSessionState.Port] {
        outputs.map { AudioSessionState.Port(portType: $0.portType.rawValue, portName: $0.portName, uid: $0.uid) }
    }
}
