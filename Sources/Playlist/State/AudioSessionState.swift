/// The audio session as remotes see it. Names are AVFoundation's.
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
    /// The program's sound was taken away by somebody else, or may go on (R-INT-01).
    public enum Interruption: Sendable, Hashable {
        case began(reason: InterruptionReason)
        /// `shouldResume`: it is fine to go on (R-INT-03).
        case ended(shouldResume: Bool)
    }

    /// One connector that sound goes to (R-ROUTE-05).
    public struct Port: Sendable, Hashable {
        /// AVFoundation's word for its kind: `Headphones`, `Speaker`, `LineOut`, …
        public var portType: String
        /// What a person calls it.
        public var portName: String
        /// Its stable name.
        public var uid: String
        /// A connector.
        ///
        /// - Parameters:
        ///   - portType: AVFoundation's word for its kind.
        ///   - portName: what a person calls it.
        ///   - uid: its stable name.
        public init(portType: String, portName: String, uid: String) { self.portType = portType; self.portName = portName; self.uid = uid }
    }

    /// Sound goes elsewhere, or the same way for another reason (R-ROUTE-01).
    public struct RouteChange: Sendable, Hashable {
        public var reason: RouteChangeReason
        /// Where sound goes now; empty where nobody hears it.
        public var outputs: [Port]
        /// Where it went before.
        public var previousOutputs: [Port]
        /// A change of the route.
        ///
        /// - Parameters:
        ///   - reason: the reason.
        ///   - outputs: where sound goes now.
        ///   - previousOutputs: where it went before.
        public init(reason: RouteChangeReason, outputs: [Port], previousOutputs: [Port]) {
            self.reason = reason; self.outputs = outputs; self.previousOutputs = previousOutputs
        }
    }
}
