import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The engine: outputs")
struct EngineOutputTests: RampPlaying {
    @Test("the device is opened in the item's own format")
    func opensInItemFormat() {
        let rig = playing(["a": .init(frames: 100_000, format: AudioFormat(sampleRate: 96_000, channelLayout: .mono))])
        #expect(rig.sink.opens.last == AudioFormat(sampleRate: 96_000, channelLayout: .mono))
    }

    @Test("channels beyond the device's speakers are mixed down by the feeder")
    func mixesDownToSpeakers() {
        let rig = EngineRig(["a": .init(frames: 100_000, format: AudioFormat(sampleRate: 96_000, channelLayout: ChannelLayout(count: 6)))])
        rig.sink.setSpeakers(.stereo)
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        #expect(rig.sink.opens.last == AudioFormat(sampleRate: 96_000, channelLayout: .stereo))
        #expect(values(rig.play(frames: 50_000)) == Array(0..<50_000))
    }

    @Test("no channels are mixed down if the device can mix them", arguments: [1, 2, 6], [1, 2, 6])
    func leavesFewerChannels(_ channels: Int, _ speakers: Int) {
        let layout = ChannelLayout(count: channels)
        let rig = EngineRig(["a": .init(frames: 100_000, format: AudioFormat(sampleRate: 44_100, channelLayout: layout))])
        rig.sink.setSpeakers(ChannelLayout(count: speakers))
        rig.send(.load(EngineRig.request(1, "a")))
        // For a device of one channel the item keeps its channels, because a sound server mixes down to one channel well.
        let isLeft = speakers >= channels || speakers == 1
        #expect(rig.sink.opens.last?.channelLayout == (isLeft ? layout : ChannelLayout(count: speakers)))
    }

    @Test("an item read ahead in another item's device format is read again for its own format")
    func readsAnewInOwnFormat() {
        let mono = AudioFormat(sampleRate: 96_000, channelLayout: .mono)
        let rig = EngineRig(["a": .init(frames: 60_000), "b": .init(frames: 300_000, base: 500_000, format: mono)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 30_000)
        rig.send(.setRate(-1))
        rig.play(frames: 4_410)
        rig.send(.advance, .setRate(1))
        #expect(rig.sink.opens.last == mono)
        let heard = values(rig.play(frames: 5_000)).filter { $0 >= 500_000 }
        #expect(heard.count > 4_000)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 + 1 == $1 })
    }

    @Test("if the device is lost, the next output resumes with the frame after the last one heard (R-LNX-34)")
    func survivesLoss() {
        let rig = playing()
        var heard = values(rig.play(frames: 20_000))
        rig.sink.lose()
        rig.engine.settle()
        rig.clock.advance(by: 60)
        rig.send(.open(rig.fallback))
        heard += values(rig.play(frames: 20_000))
        #expect(heard == Array(0..<40_000))
        let events = rig.takeEvents()
        #expect(events.contains { if case .outputChanged(let output, _, _, .lost) = $0 { output.kind == "fallback" } else { false } })
        #expect(events.compactMap { if case .outputLost(let error) = $0 { error.message } else { nil } } == ["The device was removed."])
    }

    @Test("a move to another output loses and repeats no frame, and one that fails leaves the former output playing")
    func movesToBetterOutput() {
        let rig = playing()
        var heard = values(rig.play(frames: 15_000))
        rig.fallback.failOpens(with: PlaybackError(.outputUnavailable, "Not yet."))
        rig.send(.open(rig.fallback, by: .found))
        heard += values(rig.play(frames: 5000))
        rig.fallback.failOpens(with: nil)
        rig.send(.open(rig.fallback, by: .found))
        #expect(rig.fallback.isOpen && !rig.sink.isOpen)
        let changes = rig.takeEvents().compactMap { event -> String? in
            switch event {
            case .outputChanged(_, _, _, let cause): "\(cause)"
            case .outputRefused(let error): error.message
            default: nil
            }
        }
        #expect(changes == ["opened", "Not yet.", "found"])
        heard += values(rig.play(frames: 20_000))
        #expect(heard == Array(0..<40_000))
    }

    @Test("a volume that another program has set is reported, and kept by the next output")
    func keepsForeignVolume() {
        let rig = playing()
        rig.sink.mix(0.25)
        rig.engine.settle()
        #expect(rig.takeEvents().contains { if case .volumeChanged(0.25, isMuted: false) = $0 { true } else { false } })
        rig.send(.open(rig.fallback))
        #expect(rig.fallback.volume == 0.25)
    }

    @Test("the format of the output is reported each time it is opened")
    func reportsOutputFormat() {
        let quick = AudioFormat(sampleRate: 96_000, channelLayout: .stereo)
        let rig = EngineRig(["a": .init(frames: 20_000), "b": .init(frames: 20_000, format: quick)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        _ = rig.play(frames: 5000)
        rig.send(.load(EngineRig.request(2, "b")))
        #expect(rig.takeOutputs().map(\.format) == rig.sink.opens)
        #expect(rig.sink.opens.last == quick)
    }

    @Test("an event of a lost output is ignored while no output is open (R-LNX-34)")
    func ignoresLateEvents() {
        let rig = playing()
        rig.play(frames: 1000)
        _ = rig.takeEvents()
        rig.sink.lose()
        rig.sink.lose()
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        rig.sink.failOpens(with: PlaybackError(.outputUnavailable, "None."))
        rig.send(.open(rig.sink))
        let outputs = rig.takeEvents().compactMap { event -> String? in
            switch event {
            case .outputLost: "lost"
            case .outputFailed: "failed"
            case .outputChanged: "changed"
            default: nil
            }
        }
        #expect(outputs == ["lost", "failed"])
    }

    @Test("without any output the failure is reported, and playback starts when one becomes available")
    func waitsForOutput() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.sink.failOpens(with: PlaybackError(.outputUnavailable, "None."))
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        #expect(rig.takeEvents().contains { if case .outputFailed = $0 { true } else { false } })
        rig.sink.failOpens(with: nil)
        rig.send(.open(rig.sink, by: .found))
        #expect(values(rig.play(frames: 1000)) == Array(0..<1000))
    }

    @Test("another device that is opened after a loss during a pause plays only after the command to run")
    func losesDeviceInPause() {
        let rig = playing()
        var heard = values(rig.play(frames: 5000))
        rig.send(.setRunning(false))
        heard += values(rig.play(frames: 1000))
        rig.sink.lose()
        rig.engine.settle()
        rig.send(.open(rig.fallback))
        #expect(rig.play(frames: 1000).isEmpty)
        rig.send(.setRunning(true))
        heard += values(rig.play(frames: 5000))
        #expect(heard.count == 10_000 + ramp)
        #expect(heard.dropFirst(5000 + 2 * ramp) == Array(0..<(10_000 + ramp)).dropFirst(5000 + 2 * ramp))
    }

    @Test("an underrun is reported as an empty buffer (R-BUF-03)")
    func tellsEmpty() {
        var script = RampReader.Script(frames: 200_000)
        script.failsAt = 30_000
        let rig = playing(["a": script])
        _ = rig.takeEvents()
        rig.play(frames: 30_000)
        rig.play(frames: 441)
        #expect(rig.takeEvents().contains { if case .bufferChanged(a, let level) = $0 { level.isEmpty } else { false } })
    }
}
