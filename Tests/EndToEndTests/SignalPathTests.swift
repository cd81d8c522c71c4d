import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Compares the verdict of the signal path with recordings of real devices.
    @Suite("The signal path, recorded", .serialized)
    struct SignalPathTests {
        /// A medium: the noise that was encoded, and its file.
        struct Medium {
            var name: String
            var noise: WideNoise
            var isTagged = false
        }

        /// What is done with the medium.
        enum Treatment: CaseIterable { case nothing, volume, muted, loudness, crossfade, speed }

        private typealias Device = RecordedSinks.Device
        private static let surround = "front-left,front-right,front-center,lfe,rear-left,rear-right"
        /// Four groups of devices. Each group is played on by one process of the program, one device after the other.
        private static let devices: [[Device]] = [
            [
                Device(name: "a1", rate: 44_100, depth: .s16le), Device(name: "a2", rate: 48_000, depth: .float32le),
                Device(name: "a3", rate: 48_000, depth: .s32le, channels: 6, map: surround),
            ],
            [
                Device(name: "b1", rate: 48_000, depth: .s16le), Device(name: "b2", rate: 44_100, depth: .s24le),
                Device(name: "b3", rate: 48_000, depth: .s32le, channels: 1),
            ],
            [
                Device(name: "c1", rate: 96_000, depth: .s32le), Device(name: "c2", rate: 44_100, depth: .s32le),
                Device(name: "c3", rate: 48_000, depth: .s24le),
            ],
            [
                Device(name: "d1", rate: 44_100, depth: .float32le), Device(name: "d2", rate: 3_000, depth: .s32le),
                // PulseAudio's default for six channels is not 5.1, so that it mixes.
                Device(name: "d3", rate: 48_000, depth: .s32le, channels: 6),
            ],
        ]

        private let folder: MediaFolder

        init() throws { folder = try MediaFolder() }

        // MARK: Media

        private func medium(_ rate: Int, _ bits: Int, _ channels: Int, seed: UInt64, as ending: String = "wav", _ arguments: [String] = []) throws
            -> Medium
        {
            let noise = WideNoise(bits: bits, channels: channels, frames: rate * 4 / 5, seed: seed)
            let name = "\(rate)-\(bits)-\(channels)-\(seed)"
            try folder.wav("\(name).wav", channels: noise.channels, bits: bits, rate: rate)
            let tags = ending == "flac" ? ["-metadata", "REPLAYGAIN_TRACK_GAIN=-6 dB"] : []
            if ending != "wav" { try folder.encode("\(name).wav", to: "\(name).\(ending)", arguments + tags) }
            return Medium(name: "\(name).\(ending)", noise: noise, isTagged: !tags.isEmpty)
        }

        private func media() throws -> [Medium] {
            [
                try medium(44_100, 16, 2, seed: 1), try medium(48_000, 16, 2, seed: 2), try medium(48_000, 24, 2, seed: 3),
                try medium(44_100, 24, 2, seed: 4), try medium(96_000, 24, 2, seed: 5), try medium(48_000, 16, 1, seed: 6),
                try medium(44_100, 16, 1, seed: 7), try medium(48_000, 24, 6, seed: 8), try medium(44_100, 8, 2, seed: 9),
                try medium(48_000, 32, 2, seed: 10),
                try medium(44_100, 16, 2, seed: 11, as: "flac"), try medium(48_000, 24, 2, seed: 12, as: "flac", ["-sample_fmt", "s32"]),
                try medium(44_100, 16, 2, seed: 13, as: "mp3", ["-b:a", "320k"]), try medium(48_000, 16, 2, seed: 14, as: "opus"),
                try medium(44_100, 16, 2, seed: 15, as: "ogg", ["-c:a", "libvorbis"]),
            ]
        }

        // MARK: Combinations

        private struct Combination {
            var medium: Medium
            var device: Device
            var treatment: Treatment
        }

        /// Returns for each group of devices 15 combinations. The last ones are not chosen by chance, so that each kind of step occurs.
        private func combinations(_ media: [Medium]) -> [[Combination]] {
            var random = SeededGenerator(seed: 2_411)
            var groups = Self.devices.map { devices in
                (0..<12).map { number in
                    // Half of the media have the rate of the device, and half of the treatments change nothing, so that many are bit-perfect.
                    let device = devices[number % devices.count]
                    let same = media.filter { $0.name.hasPrefix("\(device.rate)-") && $0.noise.channels.count <= device.channels }
                    let chosen = number % 2 == 0 && !same.isEmpty ? same : media
                    let treatments: [Treatment] = number % 4 < 2 ? [.nothing, .muted] : Treatment.allCases
                    return Combination(
                        medium: chosen.randomElement(using: &random)!, device: device, treatment: treatments.randomElement(using: &random)!)
                }
            }
            func add(_ group: Int, _ medium: Int, _ device: Int, _ treatment: Treatment) {
                groups[group].append(Combination(medium: media[medium], device: Self.devices[group][device], treatment: treatment))
            }
            add(0, 10, 0, .loudness)
            add(0, 7, 2, .nothing)
            add(0, 0, 0, .crossfade)
            add(1, 7, 0, .nothing)
            add(1, 2, 0, .nothing)
            add(1, 5, 0, .nothing)
            add(2, 9, 2, .nothing)
            add(2, 3, 1, .speed)
            add(2, 4, 0, .muted)
            add(3, 7, 2, .nothing)
            add(3, 0, 1, .nothing)
            add(3, 12, 0, .nothing)
            return groups
        }

        /// A process of the program, which plays one combination after the other.
        private final class Lane {
            let daemon: Daemon
            private let sinks: RecordedSinks
            private let folder: MediaFolder
            /// A poll could miss the short time in which a medium is played.
            private let events: EventListener
            private var current: Combination?
            private var start = 0
            private var former = 0

            init(_ sinks: RecordedSinks, _ folder: MediaFolder) throws {
                daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "null"], on: sinks.server)
                (self.sinks, self.folder) = (sinks, folder)
                events = try EventListener(port: daemon.port)
            }

            func begin(_ combination: Combination) throws {
                let client = daemon.client
                let treatment = combination.treatment
                try client.command("PUT", "/queue", ["entries": [[String: Any]](), "play": false])
                try client.command("PUT", "/output", ["id": "pulse:\(combination.device.name)"])
                try client.command(
                    "PATCH", "/player",
                    [
                        "volume": treatment == .volume ? 0.5 : 1, "isMuted": treatment == .muted,
                        "loudnessNormalization": treatment == .loudness ? "track" : "off", "crossfadeDuration": treatment == .crossfade ? 0.1 : 0,
                        "defaultRate": treatment == .speed ? 1.25 : 1,
                    ])
                if treatment == .muted { try client.command("PATCH", "/player", ["isMuted": false]) }
                let count = treatment == .crossfade ? 2 : 1
                let entries = [[String: Any]](repeating: ["url": folder.url(combination.medium.name)], count: count)
                start = sinks.recording(combination.device.name).frameCount
                former = events.events.count
                current = combination
                try client.command("PUT", "/queue", ["entries": entries, "play": true])
            }

            /// Whether the queue has ended.
            func hasEnded() throws -> Bool { try daemon.client.state()["ended"] as? Bool == true }

            /// The signal path that was sent last while the medium was played.
            private func path() -> [String: Any]? {
                events.events.dropFirst(former).reversed().lazy.filter { $0.type == "state" }.map(\.object)
                    .first { $0["timeControlStatus"] as? String == "playing" && $0["rate"] as? Double != 0 && $0["signalPath"] != nil }
                    .flatMap { $0["signalPath"] as? [String: Any] }
            }

            /// Waits until the end was recorded. Returns what was recorded of each channel, and the signal path.
            func finish() throws -> (channels: [[Int32]], path: [String: Any]) {
                let combination = try #require(current)
                let recording = sinks.recording(combination.device.name)
                try #require(recording.waitForSilence(of: combination.device.rate / 5))
                let last = try eventually("the signal path of \(combination.medium.name) is sent") { path() }
                return (recording.channels(from: start), last)
            }
        }

        /// Whether a device has played exactly the samples of a medium: each of its channels, or its only channel on both sides, and nothing else.
        private func isExact(_ heard: [[Int32]], _ medium: Medium, twice: Bool) throws -> Bool {
            let source = medium.noise.channels.indices.map { medium.noise.wide($0) }
            guard heard.count == source.count || source.count == 1 && heard.count == 2 else { return false }
            for (number, channel) in heard.enumerated() {
                let wanted = source[source.count == 1 ? 0 : number]
                let all = twice ? wanted + wanted : wanted
                guard let sound = channel.soundRange(), sound.count == all.count else { return false }
                guard channel.equalSamples(at: sound.lowerBound, all, at: 0) == all.count else { return false }
            }
            return true
        }

        @Test("in 60 combinations, the device plays the samples of the medium exactly if the signal path says bit-perfect (R-LNX-41)")
        func verdicts() throws {
            let groups = combinations(try media())
            let sinks = try RecordedSinks(Self.devices.flatMap { $0 })
            let lanes = try groups.map { _ in try Lane(sinks, folder) }
            var seen: Set<String> = [], differing: Set<String> = [], reasons: Set<String> = []
            var (perfect, count) = (0, 0)
            for round in groups[0].indices {
                for (lane, group) in zip(lanes, groups) { try lane.begin(group[round]) }
                var playing = Set(lanes.indices)
                try eventually("the media have ended", within: 20) {
                    for index in playing where try lanes[index].hasEnded() { playing.remove(index) }
                    return playing.isEmpty ? true : nil
                }
                for (lane, group) in zip(lanes, groups) {
                    let combination = group[round]
                    let (heard, path) = try lane.finish()
                    let verdict = try #require(path["verdict"] as? String)
                    let reason = path["reason"] as? String ?? "none"
                    let steps = (path["steps"] as? [[String: Any]] ?? []).compactMap { $0["kind"] as? String }
                    seen.formUnion(steps)
                    reasons.insert(reason)
                    let exact = try isExact(heard, combination.medium, twice: combination.treatment == .crossfade)
                    let what = "\(combination.medium.name) on \(combination.device), \(combination.treatment): \(verdict), \(reason), \(steps)"
                    #expect(heard[0].soundRange() != nil, "\(what) is silent")
                    // Each reason is a difference of the samples, so a verdict that is too timid is an error too.
                    #expect(exact == (verdict == "bitPerfect"), "\(what), exact: \(exact)")
                    #expect((reason == "none") == (verdict == "bitPerfect"), "\(what)")
                    if !exact { differing.insert(reason) }
                    perfect += exact ? 1 : 0
                    count += 1
                }
            }
            #expect(count == 60)
            #expect(perfect >= 12, "\(perfect)")
            #expect(seen == ["mix", "resample", "loudness", "crossfade", "timeStretch", "volume", "serverResample", "serverMix", "round"])
            #expect(reasons.subtracting(["none"]) == differing)
            #expect(reasons.isSuperset(of: ["lossyCodec", "bitDepth", "mix", "resample", "volume", "serverMix", "round"]), "\(reasons)")
        }

        @Test(
            "a file of 16 bits has the samples of the medium exactly if the signal path says bit-perfect (R-LNX-44)",
            arguments: [(16, "tpdf", "none"), (24, "tpdf", "dither"), (24, "none", "round")])
        func file(_ bits: Int, _ dither: String, _ reason: String) throws {
            let medium = try medium(44_100, bits, 2, seed: 20)
            let output = folder.file("out.wav")
            let daemon = try Daemon(serving: ["--media-root", folder.path, "--output", "file:\(output)", "--dither", dither])
            try daemon.client.command("PUT", "/queue", ["entries": [["url": folder.url(medium.name)]], "play": true])
            var path: [String: Any]?
            try eventually("the medium has ended") {
                let state = try daemon.client.state()
                path = state["signalPath"] as? [String: Any] ?? path
                return state["ended"] as? Bool == true ? true : nil
            }
            _ = try daemon.end(with: SIGTERM)
            let data = try Data(contentsOf: URL(filePath: output))
            let frames = try #require(WaveFile.frames(of: data))
            let left = frames[...].left.map { $0 << 16 }
            let first = try #require(left.soundRange()).lowerBound
            let exact = left.equalSamples(at: first, medium.noise.wide(0), at: 0) == medium.noise.frameCount
            #expect(path?["reason"] as? String ?? "none" == reason)
            #expect(path?["verdict"] as? String == (exact ? "bitPerfect" : "converted"))
            // The nearest value of 16 bits, or one that differs from it by less than the noise of two steps.
            let nearest = medium.noise.channels[0].map { bits == 16 ? $0 : Int32((Double($0) / 256).rounded()) }
            let distance = zip(left[first...], nearest).map { abs(($0 >> 16) - $1) }.max() ?? .max
            #expect(distance <= (dither == "none" || bits == 16 ? 1 : 2), "\(distance)")
        }
    }
}
