import PlaybackEngine

/// The players report changes of their outputs, so no `SystemEvents` source is needed.
extension AVAudioSession {
    /// R-LNX-27…31.
    func outputChanged(to output: OutputDescription, isAudible: Bool, by cause: OutputChangeCause) {
        // An inaudible output is a route only if the user chose it.
        let route = isAudible || cause == .chosen ? AVAudioSessionRouteDescription(output) : AVAudioSessionRouteDescription()
        guard route != facts.route else { return }
        switch cause {
        case .opened: report([.currentRoute]) { $0.route = route }
        case .chosen: receive(.outputChanged(route, by: .movedByUser))
        case _ where !isAudible: receive(.onlyNullOutputLeft)
        case .found: receive(.outputChanged(route, by: .added))
        case .moved: receive(.outputChanged(route, by: .movedByUser))
        case .removed: receive(.outputChanged(route, by: .removed))
        // The state of the device is unknown, and playback continues on another output, so it is not `oldDeviceUnavailable`.
        case .lost: handle(.routeChanged(.unknown, route))
        }
    }
}

extension AVAudioSessionRouteDescription {
    /// With one output port.
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
