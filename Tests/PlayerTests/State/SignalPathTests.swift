import PlaybackEngine
import Player
import Testing

@Suite("The signal path")
struct SignalPathTests {
    typealias Path = PlayerState.SignalPath

    private func path(
        _ source: (rate: Int, channels: Int), bits: Int?, output: (rate: Int, channels: Int), device: (rate: Int, channels: Int, bits: Int?)?
    ) -> Path {
        Path(
            source: .init(sampleRate: source.rate, channels: source.channels), codec: "flac", bitsPerSample: bits,
            output: .init(sampleRate: output.rate, channels: output.channels),
            device: device.map { DeviceFormat(sampleRate: $0.rate, channels: $0.channels, bitsPerSample: $0.bits) })
    }

    private func isBitPerfect(_ path: Path) -> Bool { path.judgement == .init(.bitPerfect) }

    @Test("equal formats of enough bits are bit-perfect", arguments: [(8, 8), (16, 16), (16, 24), (24, 24), (24, 32), (16, nil), (24, nil)])
    func equal(_ bits: Int, _ deviceBits: Int?) {
        let path = path((44_100, 2), bits: bits, output: (44_100, 2), device: (44_100, 2, deviceBits))
        #expect(isBitPerfect(path))
        #expect(path.steps.isEmpty)
    }

    @Test("an output without a device is judged by what the player does")
    func withoutDevice() {
        #expect(isBitPerfect(path((96_000, 6), bits: 24, output: (96_000, 6), device: nil)))
    }

    @Test("a mono medium that is copied to both channels is bit-perfect")
    func mono() {
        let path = path((48_000, 1), bits: 16, output: (48_000, 1), device: (48_000, 2, 16))
        #expect(isBitPerfect(path))
        #expect(path.steps == [.serverMix(from: 1, to: 2)])
    }

    @Test("each conversion is a step, with the first as the reason, in the order in which they are done")
    func conversions() {
        let both = path((44_100, 6), bits: 24, output: (48_000, 2), device: (96_000, 1, 16))
        #expect(
            both.steps == [
                .mix(from: 6, to: 2), .resample(from: 44_100, to: 48_000), .serverResample(from: 48_000, to: 96_000), .serverMix(from: 2, to: 1),
                .round(to: 16),
            ])
        #expect(both.judgement == .init(.converted, because: .mix))
        #expect(path((44_100, 2), bits: 16, output: (48_000, 2), device: (48_000, 2, 24)).judgement == .init(.converted, because: .resample))
        #expect(path((44_100, 2), bits: 16, output: (44_100, 2), device: (48_000, 2, 24)).judgement == .init(.converted, because: .serverResample))
        #expect(path((44_100, 2), bits: 24, output: (44_100, 2), device: (44_100, 2, 16)).judgement == .init(.converted, because: .round))
        #expect(path((44_100, 2), bits: 16, output: (44_100, 2), device: (44_100, 6, 16)).judgement == .init(.converted, because: .serverMix))
    }

    @Test("a device of the output's rate behind a clock of another rate is converted twice by the server (R-LNX-41)")
    func otherClock() {
        var path = path((44_100, 2), bits: 16, output: (44_100, 2), device: (44_100, 2, 24))
        path.device?.clockRate = 48_000
        #expect(path.steps == [.serverResample(from: 44_100, to: 48_000), .serverResample(from: 48_000, to: 44_100)])
        #expect(path.judgement == .init(.converted, because: .serverResample))
        path.device?.clockRate = 44_100
        #expect(isBitPerfect(path))
    }

    @Test("a device with as many channels but other speakers is not bit-perfect")
    func otherSpeakers() {
        var path = path((48_000, 6), bits: 16, output: (48_000, 6), device: (48_000, 6, 24))
        #expect(isBitPerfect(path))
        path.isRemixed = true
        #expect(path.judgement == .init(.converted, because: .serverMix) && path.steps.first == .serverMix(from: 6, to: 6))
    }

    @Test("a lossy codec, and a medium of more than 24 bits, are not bit-perfect")
    func media() {
        #expect(path((44_100, 2), bits: nil, output: (44_100, 2), device: (44_100, 2, 24)).judgement == .init(.converted, because: .lossyCodec))
        let deep = path((44_100, 2), bits: 32, output: (44_100, 2), device: (44_100, 2, 32))
        #expect(deep.judgement == .init(.converted, because: .bitDepth) && deep.steps == [.round(to: 24)] && !deep.isUnchanged)
        #expect(path((44_100, 2), bits: 32, output: (44_100, 2), device: (44_100, 2, 24)).steps == [.round(to: 24)])
        #expect(path((44_100, 2), bits: 32, output: (48_000, 2), device: (48_000, 2, 16)).steps.map(\.kind) == [.round, .resample, .round])
    }

    @Test("a rate above those of devices is converted, and told (DSD128 is 705.6 kHz)")
    func highRate() {
        let path = path((705_600, 2), bits: nil, output: (384_000, 2), device: (384_000, 2, 32))
        #expect(path.steps == [.resample(from: 705_600, to: 384_000)] && path.isResampled && path.judgement.verdict == .converted)
    }

    @Test("samples that were computed are rounded by a device of 16 bits, whatever the medium has")
    func rounding() {
        #expect(path((48_000, 2), bits: 16, output: (44_100, 2), device: (44_100, 2, 16)).steps.last == .round(to: 16))
        #expect(path((44_100, 2), bits: nil, output: (44_100, 2), device: (44_100, 2, 16)).steps == [.round(to: 16)])
        #expect(path((48_000, 1), bits: 16, output: (48_000, 1), device: (48_000, 2, 16)).steps.last == .serverMix(from: 1, to: 2))
    }

    @Test("a file of 16 bits is dithered only if the samples have more (R-LNX-44)")
    func dithering() {
        func path(_ bits: Int?, volume: Double = 1, _ dither: Dither) -> Path {
            var path = self.path((44_100, 2), bits: bits, output: (44_100, 2), device: (44_100, 2, 16))
            path.device?.dither = dither
            path.volume = volume
            return path
        }
        #expect(isBitPerfect(path(16, .tpdf)))
        #expect(path(24, .tpdf).steps == [.dither(to: 16)] && path(24, .tpdf).judgement == .init(.converted, because: .dither))
        #expect(path(16, volume: 0.5, .tpdf).steps == [.volume(0.5), .dither(to: 16)])
        #expect(path(24, .none).steps == [.round(to: 16)])
    }

    @Test("level, speed and joints alter the audio, whatever else is done", arguments: [44_100, 48_000])
    func altered(_ rate: Int) {
        let changes: [(PlayerState.SignalPath.Reason, (inout Path) -> Void)] = [
            (.loudness, { $0.loudnessGain = -6 }), (.headroom, { $0.headroomGain = -1 }), (.crossfade, { $0.crossfade = 2 }),
            (.timeStretch, { $0.timePitchAlgorithm = .spectral }),
            (.volume, { $0.volume = 0.99 }), (.volume, { $0.volume = 0 }),
        ]
        for (reason, change) in changes {
            var path = path((44_100, 2), bits: 16, output: (rate, 2), device: (rate, 2, 24))
            change(&path)
            #expect(path.judgement == .init(.altered, because: reason))
            #expect(path.steps.contains { $0.kind == reason })
        }
    }
}
