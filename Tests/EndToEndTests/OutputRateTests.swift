import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// A real sound server whose device can take other sample rates.
    @Suite("The device follows the items", .serialized)
    struct OutputRateTests {
        /// The duration of each item: so long that its rates stay until they are seen. A seek to its last seconds leads to the next one.
        private static let seconds = 30
        private let folder: MediaFolder
        private let server: PrivatePulseServer

        init() throws {
            folder = try MediaFolder()
            for rate in [44_100, 88_200, 96_000] {
                let tone = Sound.sine(440, amplitude: 0x1p22, seconds: Double(Self.seconds), sampleRate: rate)
                try folder.wav("\(rate).wav", channels: [tone, tone], bits: 24, rate: rate)
            }
            // PulseAudio does not lower the rate of a device below the one with which it began.
            server = try PrivatePulseServer(.null(rate: 44_100, channels: 2), settings: ["flat-volumes = no", "avoid-resampling = yes"])
        }

        private func play(_ rates: [Int], on daemon: Daemon) throws {
            try daemon.client.command("PUT", "/queue", ["entries": rates.map { ["url": folder.url("\($0).wav")] }, "play": true])
        }

        private func playLastSeconds(on daemon: Daemon) throws {
            try daemon.client.command("POST", "/player/seek", ["time": Self.seconds - 2])
        }

        /// Waits until the path of the signal has these rates of the source, the output and the device.
        private func awaitRates(_ source: Int, _ output: Int, _ device: Int, of daemon: Daemon) throws {
            try eventually("the rates are \(source), \(output) and \(device)", within: 60) {
                let path = try daemon.client.state()["signalPath"] as? [String: Any]
                let found = ["source", "output", "device"].map { (path?[$0] as? [String: Any])?["sampleRate"] as? Int }
                return found == [source, output, device] ? true : nil
            }
        }

        @Test("auto: the device takes the rate of what is loaded, and an item that is joined is converted (R-LNX-45)")
        func automatic() throws {
            defer { server.stop() }
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            try play([96_000, 44_100], on: daemon)
            try awaitRates(96_000, 96_000, 96_000, of: daemon)
            try playLastSeconds(on: daemon)
            try awaitRates(44_100, 96_000, 96_000, of: daemon)
            try play([88_200], on: daemon)
            try awaitRates(88_200, 88_200, 88_200, of: daemon)
        }

        @Test("item: the device takes the rate of each item of a queue (R-LNX-46)")
        func item() throws {
            defer { server.stop() }
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse", "--output-rate", "item"], on: server)
            try play([96_000, 44_100, 88_200], on: daemon)
            for rate in [96_000, 44_100, 88_200] {
                try awaitRates(rate, rate, rate, of: daemon)
                try playLastSeconds(on: daemon)
            }
            try eventually("the queue has ended") { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
        }

        @Test("device: the device keeps its rate, from the first opening on (R-LNX-41)")
        func device() throws {
            defer { server.stop() }
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse", "--output-rate", "device"], on: server)
            try play([96_000], on: daemon)
            try awaitRates(96_000, 44_100, 44_100, of: daemon)
        }

        @Test("a remote changes the choice for the device during playback (R-LNX-47)")
        func change() throws {
            defer { server.stop() }
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse", "--output-rate", "device"], on: server)
            try daemon.client.command("PATCH", "/player", ["repeatMode": "one"])
            try play([96_000], on: daemon)
            try awaitRates(96_000, 44_100, 44_100, of: daemon)
            let device = "/outputs/pulse:\(PrivatePulseServer.sinkName)"
            try daemon.client.command("PATCH", device, ["outputRate": "auto"])
            try awaitRates(96_000, 96_000, 96_000, of: daemon)
            try eventually("it plays on") { try daemon.client.state()["timeControlStatus"] as? String == "playing" ? true : nil }
        }

        @Test("a device on which another program plays keeps its rate, and the item is converted (R-LNX-45)")
        func shared() throws {
            defer { server.stop() }
            let first = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            try first.client.command("PATCH", "/player", ["repeatMode": "one"])
            try play([44_100], on: first)
            try awaitRates(44_100, 44_100, 44_100, of: first)
            let second = try Daemon(serving: ["--media-root", folder.path, "--output", "pulse"], on: server)
            try second.client.command("PATCH", "/player", ["repeatMode": "one"])
            try play([96_000], on: second)
            try awaitRates(96_000, 44_100, 44_100, of: second)
        }
    }
}
