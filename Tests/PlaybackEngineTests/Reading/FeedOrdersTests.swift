import CoreMedia
import PlaybackTesting
import Testing

@testable import PlaybackEngine

@Suite("What the engine has ordered from the feeder")
struct FeedOrdersTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)
    private let feeder = Feeder(opener: ScriptedOpener(), wake: {}, runOpen: { $0.run() }, notify: { _ in }, wakeEngine: {})
    private let delivery = Delivery(format: .compactDisc, isReverse: false)

    private func orders() -> FeedOrders { FeedOrders(feeder, notices: Mailbox(wake: {}), wakeFeeder: {}) }

    @Test("the first order of an item begins at its pending seek, in the generation of the seek")
    func firstOrderOfSeek() {
        let reading = orders()
        reading.begin(SeekRequest(id: 1, item: a, time: CMTime(value: 2, timescale: 1)))
        #expect(reading.orderFirst(a, from: .zero, delivery) == 88_200)
        #expect(reading.seek?.generation == reading.lastGeneration)
        #expect(reading.generation == 0)
    }

    @Test("the first order of an item leaves the pending seek of another item alone")
    func firstOrderBesideSeek() {
        let reading = orders()
        reading.begin(SeekRequest(id: 1, item: b, time: CMTime(value: 2, timescale: 1)))
        let ofSeek = reading.seek?.generation
        #expect(reading.orderFirst(a, from: .zero, delivery) == 0)
        #expect(reading.seek?.generation == ofSeek)
        #expect(reading.generation == reading.lastGeneration)
    }

    @Test("a seek has landed when its generation has begun and enough of it waits; elements of other generations do not count")
    func landing() {
        let reading = orders()
        reading.begin(SeekRequest(id: 1, item: a, time: CMTime(value: 2, timescale: 1)))
        let block = AudioBlock(position: 88_000, frameCount: 100, channelCount: 1) { $0.initialize(repeating: 0) }
        func fill(_ generation: Int) {
            feeder.queue.begin(generation: generation)
            feeder.queue.push(.start(a, position: 88_000))
            feeder.queue.push(.block(a, block))
        }
        fill(reading.lastGeneration + 1)
        #expect(reading.landedSeek(primeFrames: 100) == nil)
        fill(reading.lastGeneration)
        #expect(reading.landedSeek(primeFrames: 101) == nil)
        #expect(reading.landedSeek(primeFrames: 100)?.landed == 88_000)
        feeder.queue.push(.end(a, position: 88_100))
        #expect(reading.landedSeek(primeFrames: 101)?.landed == 88_000)
    }
}
