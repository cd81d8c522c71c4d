/// The audio session as remotes see it. The properties have the names that AVFoundation uses.
public struct AudioSessionState: Sendable, Hashable {
    public var category: Category
    public var mode: Mode
    public var options: [Option]
    public var isActive: Bool
    public var isInterrupted: Bool
    public init(category: Category, mode: Mode, options: [Option], isActive: Bool, isInterrupted: Bool) {
        self.category = category; self.mode = mode; self.options = options; self.isActive = isActive; self.isInterrupted = isInterrupted
    }
}

extension AudioSessionState {
    /// The start or end of an interruption by other audio (R-INT-01).
    public enum Interruption: Sendable, Hashable {
        case began(reason: InterruptionReason)
        /// The end of an interruption. `shouldResume` states whether playback may resume (R-INT-03).
        case ended(shouldResume: Bool)
    }

    /// A port: a connector of the audio route (R-ROUTE-05).
    public struct Port: Sendable, Hashable {
        /// AVFoundation's name of the connector's kind: `Headphones`, `Speaker`, `LineOut`, …
        public var portType: String
        /// The connector's name that is shown to users.
        public var portName: String
        /// The connector's stable id.
        public var uid: String
        /// Makes the description of a connector.
        ///
        /// - Parameters:
        ///   - portType: AVFoundation's name of the connector's kind.
        ///   - portName: The connector's name that is shown to users.
        ///   - uid: The connector's stable id.
        public init(portType: String, portName: String, uid: String) { self.portType = portType; self.portName = portName; self.uid = uid }
    }

    /// A change of the audio route (the connectors that play), or a new reason for the same route (R-ROUTE-01).
    public struct RouteChange: Sendable, Hashable {
        public var reason: RouteChangeReason
        /// The connectors of the new audio route; empty if nothing can be heard.
        public var outputs: [Port]
        /// The connectors of the former audio route.
        public var previousOutputs: [Port]
        /// Makes the description of a change of the audio route.
        ///
        /// - Parameters:
        ///   - reason: The reason of the change of the route.
        ///   - outputs: The connectors of the new audio route.
        ///   - previousOutputs: The connectors of the former audio route.
        public init(reason: RouteChangeReason, outputs: [Port], previousOutputs: [Port]) {
            self.reason = reason; self.outputs = outputs; self.previousOutputs = previousOutputs
        }
    }
}
