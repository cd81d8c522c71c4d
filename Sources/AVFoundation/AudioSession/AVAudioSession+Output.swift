import PlaybackEngine

/// What a player's own output tells of the program's sound. No `SystemEvents` source is needed for it.
extension AVAudioSession {
    /// A player's sound goes to this output from now on (R-LNX-27…31).
    func outputChanged(to output: OutputDescription, isAudible: Bool, by cause: OutputChangeCause) {
        // What nobody hears is a route only where it was asked for.
        let route = isAudible || cause == .chosen ? AVAudioSessionRouteDescription(output) : AVAudioSessionRouteDescription()
        guard route != facts.route else { return }
        switch cause {
        case .opened: hub.change([.currentRoute]) { facts.route = route }
        case .chosen: receive(.outputChanged(route, by: .movedByUser))
        case _ where !isAudible: receive(.onlyNullOutputLeft)
        case .found: receive(.outputChanged(route, by: .added))
        case .moved: receive(.outputChanged(route, by: .movedByUser))
        case .removed: receive(.outputChanged(route, by: .removed))
        // The connection is gone, of the device nothing is known: the sound goes on.
        case .lost: handle(.routeChanged(.unknown, route))
        }
    }
}

extension AVAudioSessionRouteDescription {
    /// The one connector of an output.
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
