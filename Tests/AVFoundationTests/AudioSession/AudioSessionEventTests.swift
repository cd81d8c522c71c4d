import Dispatch
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVAudioSession: events") @MainActor struct AudioSessionEventTests {
    let rig = ScriptedRig()
    let log = Recorder()
    var session: AVAudioSession { rig.session }

    func player() -> AVPlayer { rig.playingPlayer() }
    func route(_ type: AVAudioSession.Port) -> AVAudioSessionRouteDescription {
        AVAudioSessionRouteDescription(outputs: [AVAudioSessionPortDescription(portType: type, portName: type.rawValue, uid: "sink.1")])
    }
    func observe() {
        log.observe(AVAudioSession.interruptionNotification, session, as: "interruption") { notification in
            "\(notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt ?? 9)"
                + "\((notification.userInfo?[AVAudioSessionInterruptionReasonKey] as? UInt).map { " because \($0)" } ?? "")"
                + "\((notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt).map { " options \($0)" } ?? "")"
        }
        log.observe(AVAudioSession.routeChangeNotification, session, as: "route") { notification in
            let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            return "\(notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt ?? 9) from \(previous?.outputs.first?.portName ?? "-")"
        }
    }

    // MARK: Interruptions

    @Test("the reason of an interruption is sent only with its beginning, with Apple's raw values (R-INT-04)")
    func reasons() {
        let numbers = [AVAudioSession.InterruptionReason.default, .appWasSuspended, .builtInMicMuted, .routeDisconnected].map(\.rawValue)
        #expect(numbers == [0, 1, 2, 4])
        observe()
        session.handle(.interruptionBegan(.builtInMicMuted))
        session.handle(.interruptionEnded(shouldResume: true))
        #expect(log.log == ["interruption1 because 2", "interruption0 options 1"])
    }

    // MARK: Routes

    @Test("route change reasons have Apple's raw values, and the notification has the reason and the previous route (R-ROUTE-01)")
    func routeReasons() {
        typealias Reason = AVAudioSession.RouteChangeReason
        let reasons: [Reason] = [
            .unknown, .newDeviceAvailable, .oldDeviceUnavailable, .categoryChange, .override, .wakeFromSleep, .noSuitableRouteForCategory,
            .routeConfigurationChange,
        ]
        #expect(reasons.map(\.rawValue) == [0, 1, 2, 3, 4, 6, 7, 8])
        observe()
        session.handle(.routeChanged(.newDeviceAvailable, route(.headphones)))
        session.handle(.routeChanged(.override, route(.lineOut)))
        session.routeQueue.sync {}
        #expect(log.log == ["route1 from -", "route4 from Headphones"])
    }

    @Test("route changes are posted off the main queue, interruptions on it (R-ROUTE-02, R-INT-01, section K 14)")
    func threads() {
        let key = DispatchSpecificKey<Bool>()
        session.routeQueue.setSpecific(key: key, value: true)
        log.observe(AVAudioSession.routeChangeNotification, session, as: "route") { _ in DispatchQueue.getSpecific(key: key) == true ? " off" : " on"
        }
        log.observe(AVAudioSession.interruptionNotification, session, as: "interruption") { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            return " on"
        }
        session.handle(.routeChanged(.newDeviceAvailable))
        session.routeQueue.sync {}
        session.handle(.interruptionBegan(.default))
        #expect(log.log == ["route off", "interruption on"])
    }

    @Test("by default a removed headphone causes an interruption with its reason, then a route change (R-ROUTE-03, R-ROUTE-04, R-RDC-04, R-RDC-06)")
    func disconnect() {
        let player = player()
        #expect(session.prefersInterruptionOnRouteDisconnect)
        session.handle(.routeChanged(.newDeviceAvailable, route(.headphones)))
        session.routeQueue.sync {}
        #expect(player.rate == 1, "a new device does not pause")
        log.observeTransport(player)
        observe()
        session.handle(.routeChanged(.oldDeviceUnavailable, route(.builtInSpeaker)))
        session.routeQueue.sync {}
        #expect(
            log.log == [
                "rate=0.0", "status=paused", "rateDidChange(AudioSessionInterrupted)", "interruption1 because 4", "route2 from Headphones",
            ])
        #expect(session.currentRoute == route(.builtInSpeaker))
    }

    @Test("if prefersInterruptionOnRouteDisconnect is false, the removal only pauses, without a reason (R-ROUTE-03, R-ROUTE-04, R-RDC-04)")
    func barePause() throws {
        let player = player()
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        log.observeTransport(player)
        observe()
        session.handle(.routeChanged(.oldDeviceUnavailable))
        session.routeQueue.sync {}
        #expect(log.log == ["rate=0.0", "status=paused", "rateDidChange(no reason)", "route2 from -"])
        #expect(session.isActive && !session.isInterrupted)
    }

    @Test("currentRoute has the ports with type, name, uid and channels, and is observable (R-ROUTE-05)")
    func ports() {
        log.observe(session, "outputs", \.currentRoute.outputs.count)
        let channel = AVAudioSessionChannelDescription(channelName: "Left", owningPortUID: "sink.1", channelNumber: 1)
        let port = AVAudioSessionPortDescription(portType: .usbAudio, portName: "DAC", uid: "sink.1", channels: [channel])
        session.handle(.routeChanged(.newDeviceAvailable, AVAudioSessionRouteDescription(outputs: [port])))
        #expect(log.log == ["outputs=1"] && session.currentRoute.inputs.isEmpty)
        #expect(session.currentRoute.outputs.first?.channels?.first?.channelName == "Left")
    }

    @Test("the port type is derived from the properties of a PulseAudio sink (R-LNX-07, R-LNX-38, R-ROUTE-05)")
    func pulsePorts() {
        func port(_ type: String?, _ driver: String = "module-alsa-card.c", _ bus: String? = "pci") -> AVAudioSession.Port {
            AVAudioSession.Port(pulsePortType: type, driver: driver, bus: bus)
        }
        #expect(port("Speaker") == .builtInSpeaker && port("Headphones") == .headphones && port("HDMI") == .HDMI && port("Line") == .lineOut)
        #expect(
            port("Headset", "module-bluez5-device.c", "bluetooth") == .bluetoothHFP
                && port(nil, "module-bluez5-device.c", "bluetooth") == .bluetoothA2DP)
        #expect(port("Analog", "module-alsa-card.c", "usb") == .usbAudio && port(nil, "module-raop-sink.c", nil) == .airPlay)
        #expect(port(nil, "module-null-sink.c", nil) == .virtual && port(nil) == .lineOut)
        #expect(AVAudioSession.Port.headphones.isWorn && AVAudioSession.Port.bluetoothA2DP.isWorn && !AVAudioSession.Port.builtInSpeaker.isWorn)
    }

    @Test("a Bluetooth device is A2DP or HFP by its profile, and a receiver of PipeWire is one of AirPlay by its name (R-LNX-38, R-ROUTE-05)")
    func profiles() {
        func bluetooth(_ type: String, _ profile: String?) -> AVAudioSession.Port {
            AVAudioSession.Port(pulsePortType: type, driver: "module-bluez5-device.c", bus: "bluetooth", profile: profile)
        }
        #expect(bluetooth("Headset", "a2dp_sink") == .bluetoothA2DP && bluetooth("Headset", "a2dp-sink") == .bluetoothA2DP)
        #expect(bluetooth("Headset", "headset_head_unit") == .bluetoothHFP && bluetooth("Headset", nil) == .bluetoothHFP)
        #expect(bluetooth("Headphones", "a2dp_sink") == .bluetoothA2DP && bluetooth("Headphones", nil) == .bluetoothA2DP)
        #expect(bluetooth("Speaker", "headset-head-unit") == .bluetoothHFP && bluetooth("Speaker", "a2dp-sink") == .bluetoothA2DP)
        let receiver = OutputDescription(
            kind: "pulse", id: "raop_sink.Kitchen.local.10.0.0.2.7000", name: "Kitchen",
            connector: OutputConnector(portType: nil, driver: "PipeWire", bus: nil))
        #expect(AVAudioSessionRouteDescription(receiver).outputs.map(\.portType) == [.airPlay])
    }

    // MARK: Hardware

    @Test("without an output the hardware is unknown, and a preferred rate or buffer is only a request (R-HW-01, R-HW-02, R-HINT-01)")
    func hardware() throws {
        #expect(session.outputVolume == 1 && !session.isOtherAudioPlaying && !session.secondaryAudioShouldBeSilencedHint)
        try session.setPreferredSampleRate(96_000)
        try session.setPreferredIOBufferDuration(0.005)
        try session.setActive(true)
        #expect(session.preferredSampleRate == 96_000 && session.preferredIOBufferDuration == 0.005)
        #expect(session.sampleRate == 0 && session.ioBufferDuration == 0)
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setPreferredSampleRate(-1) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setPreferredIOBufferDuration(.infinity) }
    }
}
