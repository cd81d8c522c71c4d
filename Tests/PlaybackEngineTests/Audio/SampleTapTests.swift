import CoreMedia
import PlaybackTesting
import Testing

@testable import PlaybackEngine

/// Tests of the audio that a listener of an item receives if playback does not go straight through the item (R-ITEM-10).
@Suite("The tap of an item")
struct SampleTapTests {
    private let a = ItemID(rawValue: 1)
    private let queue = SampleQueue(seconds: 600)

    private func range(_ start: Int64, _ end: Int64) -> LoopRange? {
        LoopRange(start: CMTime(value: start, timescale: 44_100), end: CMTime(value: end, timescale: 44_100))
    }

    /// Returns a rig that plays a ramp with a listener.
    private func rig(_ script: RampReader.Script = .init(frames: 900_000), loop: LoopRange? = nil) -> EngineRig {
        let rig = EngineRig(["a": script])
        var request = EngineRig.request(1, "a")
        (request.loop, request.tap) = (loop, SampleTap([queue]))
        rig.send(.load(request), .setRunning(true))
        return rig
    }

    /// Returns the values of the frames that the listener has received since the last call, in the order of playback.
    private func received() -> [Int] {
        var values: [Int] = []
        while let sound = queue.take()?.sound {
            let samples = sound.block.samples, channels = sound.block.channelCount
            let frames = (0..<sound.block.frameCount).map { Int(samples[$0 * channels]) }
            values += sound.isReverse ? frames.reversed() : frames
        }
        return values
    }

    /// Returns `count` frame numbers in the order of playback: from `first` to the end of a loop, and then the passes through the loop.
    private func looped(from first: Int, _ start: Int, _ end: Int, count: Int) -> [Int] {
        var result = Array(first..<end)
        while result.count < count { result += Array(start..<end) }
        return Array(result.prefix(count))
    }

    /// Returns `count` frame numbers in the order of reverse playback, which begins with frame `last`.
    private func loopedBack(from last: Int, _ start: Int, _ end: Int, count: Int) -> [Int] {
        var result = Array((start...last).reversed())
        while result.count < count { result += Array((start..<end).reversed()) }
        return Array(result.prefix(count))
    }

    @Test("each pass through a loop is delivered once, also if it is rendered again")
    func passes() {
        let rig = rig(loop: range(10_000, 30_000))
        rig.play(frames: 100_000)
        for rate in [2.0, 1] {
            rig.send(.setRate(rate))
            rig.play(frames: 20_000)
        }
        let received = received()
        #expect(received.count > 150_000)
        #expect(received == looped(from: 0, 10_000, 30_000, count: received.count))
    }

    @Test("in reverse playback each pass through a loop is delivered once, also if a change of the rate orders audio again")
    func passesBackwards() {
        let rig = rig(loop: range(10_000, 30_000))
        rig.play(frames: 20_000)
        rig.send(.setRate(-1))
        var received = received()
        // The audio before the change of the direction ends before the audio after it: the first frame that is not greater begins the reverse part.
        received.removeFirst((received.indices.dropFirst().first { received[$0] == received[$0 - 1] - 1 } ?? 1) - 1)
        for rate in [-2.0, -0.5, -1] {
            rig.play(frames: 30_000)
            rig.send(.setRate(rate))
        }
        rig.play(frames: 30_000)
        received += self.received()
        #expect(received.count > 150_000)
        #expect(received == loopedBack(from: received[0], 10_000, 30_000, count: received.count))
    }

    @Test("passes that are ordered again for a device with another sample rate are not delivered twice")
    func passesOrderedAgain() throws {
        let rig = rig(loop: range(10_000, 30_000))
        rig.sink.setSampleRate(44_100)
        rig.play(frames: 58_000)
        let before = received()
        #expect(before == looped(from: 0, 10_000, 30_000, count: before.count) && before.count > 100_000)
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        rig.play(frames: 150_000)
        // The listener has received a part of a later pass. The ramp counts frames at the rate of the output.
        let after = received(), start = 10_000 * 48_000 / 44_100, end = 30_000 * 48_000 / 44_100
        let next = (try #require(before.last) + 1) * 48_000 / 44_100
        #expect(after.first == next)
        let turns = zip(after, after.dropFirst()).filter { $0 + 1 != $1 }
        #expect(turns.count > 2 && turns.allSatisfy { abs($0.0 - end) <= 1 && abs($0.1 - start) <= 1 })
    }

    @Test("without its loop, the item is delivered from the end of the loop on, also after it is ordered again")
    func removedLoop() {
        let rig = rig(loop: range(10_000, 30_000))
        rig.sink.setSampleRate(44_100)
        rig.play(frames: 55_000)
        _ = received()
        rig.send(.setLoop(nil, a))
        rig.play(frames: 100_000)
        let before = received()
        #expect(before.count > 100_000 && before == Array(30_000..<(30_000 + before.count)))
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        rig.play(frames: 150_000)
        let after = received()
        #expect(abs(Double(after.first ?? 0) - Double(30_000 + before.count) * 48_000 / 44_100) <= 1)
        #expect(after.count > 50_000 && after == Array(after[0]..<(after[0] + after.count)))
    }

    @Test("in reverse playback without its loop, the item is delivered from the start of the loop to its own start")
    func removedLoopBackwards() {
        let rig = rig(loop: range(100_000, 130_000))
        rig.play(frames: 120_000)
        rig.send(.setRate(-1))
        rig.play(frames: 40_000)
        _ = received()
        rig.send(.setLoop(nil, a))
        rig.play(frames: 150_000)
        #expect(received() == Array((0..<100_000).reversed()))
    }

    @Test("a shorter loop is delivered from its start on")
    func shorterLoop() {
        let rig = rig(loop: range(10_000, 30_000))
        rig.play(frames: 55_000)
        _ = received()
        rig.send(.setLoop(range(10_000, 20_000), a))
        rig.play(frames: 100_000)
        let received = received()
        #expect(received.count > 100_000 && received == looped(from: 10_000, 10_000, 20_000, count: received.count))
    }

}
