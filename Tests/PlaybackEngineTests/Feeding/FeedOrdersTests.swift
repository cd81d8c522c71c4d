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

    @Test("the first order of an item begins at its pending seek, and its audio waits there")
    func firstOrderOfSeek() {
        let reading = orders()
        reading.begin(SeekRequest(id: 1, item: a, time: CMTime(value: 2, timescale: 1)))
        #expect(reading.orderFirst(a, from: .zero, delivery) == 88_200)
        #expect(reading.seek != nil && reading.tape.writeEnd == nil)
    }

    @Test("the first order of an item leaves the pending seek of another item alone")
    func firstOrderBesideSeek() {
        let reading = orders()
        reading.begin(SeekRequest(id: 1, item: b, time: CMTime(value: 2, timescale: 1)))
        let ofSeek = reading.seek?.writeEnd
        #expect(reading.orderFirst(a, from: .zero, delivery) == 0)
        #expect(reading.seek?.writeEnd === ofSeek)
        #expect(reading.tape.writeEnd != nil && reading.tape.writeEnd !== ofSeek)
    }

    @Test("an order of a pending seek that is sent again begins anew, and the audio of its former order does not count")
    func orderedAgain() {
        let reading = orders()
        reading.begin(SeekRequest(id: 1, item: a, time: CMTime(value: 2, timescale: 1)))
        reading.seek?.writeEnd.append(.start(a, position: 88_000))
        #expect(reading.seek?.writeEnd.landing(withFrames: 0) == 88_000)
        reading.orderRest(a, from: 5, delivery)
        #expect(reading.seek?.writeEnd.landing(withFrames: 0) == nil)
        #expect(reading.tape.writeEnd !== reading.seek?.writeEnd)
    }
}
