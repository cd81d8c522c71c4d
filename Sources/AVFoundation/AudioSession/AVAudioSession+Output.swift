import PlaybackEngine

/// The audio session's handling of changes of the players' outputs. The players themselves report these changes, so no `SystemEvents` source is
/// needed.
extension AVAudioSession {
    /// Handles a change of a player's output (R-LNX-27…31).
    func outputChanged(to output: OutputDescription, isAudible: Bool, by cause: OutputChangeCause) {
        // An inaudible output counts as an audio route only if the user chose it. If an inaudible output was not chosen, the route is empty.
        let route = isAudible || cause == .chosen ? AVAudioSessionRouteDescription(output) : AVAudioSessionRouteDescription()
        guard route != facts.route else { return }
        switch cause {
        case .opened: report([.currentRoute]) { $0.route = route }
        case .chosen: receive(.outputChanged(route, by: .movedByUser))
        case _ where !isAudible: receive(.onlyNullOutputLeft)
        case .found: receive(.outputChanged(route, by: .added))
        case .moved: receive(.outputChanged(route, by: .movedByUser))
        case .removed: receive(.outputChanged(route, by: .removed))
        // The connection to the output was lost, so the state of its device is unknown. Playback continues on another output, so the reason of the
        // route change is not `oldDeviceUnavailable`.
        case .lost: handle(.routeChanged(.unknown, route))
        }
    }
}

extension AVAudioSessionRouteDescription {
    /// Makes an audio route with one output port.
    init(_ output: OutputDescription) {
        let port =
            output.connector.map { AVAudioSession.Port(pulsePortType: $0.portType, driver: $0.driver, bus: $0.bus) } ?? AVAudioSession.Port.virtual
        self.init(outputs: [AVAudioSessionPortDescription(portType: port, portName: output.name, uid: output.id)])
    }
}

extension SystemSignal {
    init(_ signal: StreamSignal) {
        switch signal {
        case .event(let name): self = .streamEvent(name)
        case .suspended(let isSuspended): self = .sinkSuspended(isSuspended)
        }
    }
}
