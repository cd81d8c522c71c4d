import CoreMedia
@testable import PlaybackEngine
import PlaybackTesting
import Testing

/// Ramps count frames at the rate of the output: an item of `rate` that is played at another rate has values of positions at that rate.
@Suite("The choice of the output's sample rate")
struct OutputRateTests {
    private let a = ItemID(rawValue: 1)
    private let at96 = AudioFormat(sampleRate: 96_000, channelLayout: .stereo)

    /// A player of item a (44.1 kHz, 30,000 frames) with item b (96 kHz) on a device of 48 kHz.
    private func rig(_ choice: OutputRate, follows: Set<Int> = [44_100, 48_000, 96_000], isShared: Bool = false, joined: Bool = true) -> EngineRig {
        let rig = EngineRig(["a": .init(frames: 30_000), "b": .init(frames: 400_000, base: 500_000, format: at96)])
        rig.sink.setSampleRate(48_000)
        rig.sink.follow(follows)
        rig.sink.setShared(isShared)
        rig.send(.setting { $0.outputRates.standard = choice }, .load(EngineRig.request(1, "a")), .setRunning(true))
        if joined { rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a)) }
        return rig
    }

    private func rates(_ rig: EngineRig) -> [Int] { rig.sink.opens.map(\.sampleRate) }
    private func values(_ heard: [CaptureSink.Heard]) -> [Int] { heard.map { Int($0.value) } }

    @Test("auto: a device that can takes the rate of the item that is loaded (R-LNX-45)")
    func loads() {
        let rig = rig(.automatic)
        #expect(rates(rig) == [44_100])
        rig.play(frames: 4_410)
        rig.send(.load(EngineRig.request(3, "b")))
        #expect(rates(rig) == [44_100, 96_000])
        #expect(values(rig.play(frames: 9_600)) == Array(500_000..<509_600))
    }

    @Test("auto: a joined item is converted to the present rate, without a gap (R-LNX-45)")
    func joins() {
        let rig = rig(.automatic)
        #expect(values(rig.play(frames: 40_000)) == Array(0..<30_000) + Array(500_000..<510_000))
        #expect(rates(rig) == [44_100])
    }

    @Test("auto: the device takes the rate of the item to which the listener skips (R-LNX-45)")
    func skips() {
        let rig = rig(.automatic)
        rig.play(frames: 4_410)
        rig.send(.advance)
        #expect(rates(rig) == [44_100, 96_000])
        #expect(values(rig.play(frames: 9_600)).suffix(9_000).elementsEqual(500_600..<509_600))
    }

    @Test("a device that does not take a rate is not asked for it again (R-LNX-45)", arguments: [OutputRate.automatic, .item])
    func refuses(_ choice: OutputRate) {
        let rig = rig(choice, follows: [])
        #expect(rates(rig) == [44_100, 48_000])
        #expect(values(rig.play(frames: 40_000)) == Array(0..<30_000) + Array(500_000..<510_000) || choice == .item)
        for number in 3..<9 {
            rig.send(.load(EngineRig.request(UInt64(number), number % 2 == 0 ? "a" : "b")))
            rig.play(frames: 441)
        }
        #expect(rates(rig).filter { $0 == 44_100 }.count == 1 && rates(rig).filter { $0 == 96_000 }.count == 1)
        #expect(rig.sink.opens.last?.sampleRate == 48_000)
    }

    @Test("a device on which another program plays is asked again later (R-LNX-45)")
    func shared() {
        let rig = rig(.automatic, isShared: true, joined: false)
        #expect(rates(rig) == [44_100, 48_000])
        rig.play(frames: 4_410)
        rig.sink.setShared(false)
        rig.send(.load(EngineRig.request(3, "a")))
        #expect(rates(rig) == [44_100, 48_000, 44_100])
        #expect(values(rig.play(frames: 4_410)).suffix(4_000).elementsEqual(410..<4_410))
    }

    @Test("item: the device takes the rate of each item, after all frames of the item before it were heard (R-LNX-46)")
    func follows() {
        let rig = rig(.item)
        let first = values(rig.play(frames: 30_000))
        #expect(first == Array(0..<30_000))
        #expect(rates(rig) == [44_100, 96_000])
        #expect(values(rig.play(frames: 9_600)) == Array(500_000..<509_600))
        #expect(rig.now.item == ItemID(rawValue: 2))
        #expect(rig.sink.underruns == 0)
    }

    @Test("item: a pause at the joint keeps both items whole (R-LNX-46)", arguments: [29_900, 30_000, 30_100])
    func pausesAtJoint(_ frames: Int) {
        let rig = rig(.item)
        var heard = values(rig.play(frames: frames, quantum: 100))
        rig.send(.setRunning(false))
        heard += values(rig.play(frames: 1_000, quantum: 100))
        rig.send(.setRunning(true))
        heard += values(rig.play(frames: 20_000, quantum: 100))
        #expect(heard.filter { $0 < 500_000 && $0 >= 0 }.count >= 29_400, "the fade of the pause covers 5 ms")
        #expect(Set(heard).isSuperset(of: 501_100..<509_600), "the fades cover twice 5 ms")
        #expect(rates(rig) == [44_100, 96_000])
    }

    @Test("item: an item that opens late takes its rate too (R-LNX-46)")
    func opensLate() {
        let rig = rig(.item, joined: false)
        rig.play(frames: 31_000)
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        #expect(rates(rig) == [44_100, 96_000])
        #expect(values(rig.play(frames: 9_600)).suffix(9_000).last == 509_599)
    }

    @Test("device: the device keeps its rate (R-LNX-41)")
    func keeps() {
        let rig = rig(.device, follows: [])
        rig.play(frames: 40_000)
        rig.send(.load(EngineRig.request(3, "b")))
        rig.send(.load(EngineRig.request(4, "a")))
        #expect(rates(rig) == [44_100, 48_000])
    }

    @Test("a fixed rate is kept on each device and for each item (R-LNX-47)")
    func fixed() {
        let rig = rig(.fixed(88_200), follows: [])
        #expect(values(rig.play(frames: 40_000)) == Array(0..<30_000) + Array(500_000..<510_000))
        rig.sink.move(toSampleRate: 44_100)
        rig.engine.settle()
        rig.send(.load(EngineRig.request(3, "a")))
        #expect(Set(rates(rig).drop { $0 == 44_100 }) == [88_200], "before an item is open, the output may have any rate")
    }

    @Test("a change of the choice is heard at once, at the same position (R-LNX-47)")
    func changes() {
        let rig = rig(.device, follows: [96_000], joined: false)
        rig.send(.load(EngineRig.request(3, "b")))
        rig.play(frames: 24_000)
        let before = rig.now.time.seconds
        rig.send(.setting { $0.outputRates.standard = .automatic })
        #expect(rig.sink.opens.last?.sampleRate == 96_000)
        #expect(abs(rig.now.time.seconds - before) < 0.001)
        let heard = values(rig.play(frames: 9_600)).dropFirst(480)
        #expect(heard.first == 500_000 + Int((before * 96_000).rounded()) && zip(heard, heard.dropFirst()).allSatisfy { $0 + 1 == $1 })
    }

    @Test("the choice for a device has priority over the general one (R-LNX-47)")
    func byDevice() {
        let rates = OutputRates(standard: .device, byDevice: ["usb": .item, "hdmi": .fixed(192_000)])
        #expect(rates.rate(of: nil) == .device && rates.rate(of: "other") == .device)
        #expect(rates.rate(of: "usb") == .item && rates.rate(of: "hdmi") == .fixed(192_000))
    }

    @Test("each choice has one word, and other words are refused (R-LNX-47)")
    func words() {
        for word in ["auto", "item", "device", "4000", "44100", "384000"] { #expect(OutputRate(word)?.description == word) }
        for word in ["", "Auto", "0", "-1", "3999", "384001", "044100", "+44100", "44.1", "1e5", "99999999999999999999"] {
            #expect(OutputRate(word) == nil)
        }
    }
}
