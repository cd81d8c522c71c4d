import Testing

@testable import PlaybackEngine

@Suite("Queue between feeder and engine")
struct FeedQueueTests {
    @Test("audio that the engine has taken is not kept by the queue")
    func taken() {
        let queue = FeedQueue()
        queue.begin(generation: 1)
        weak var first: AudioBlock?
        for number in 0..<3 {
            let block = AudioBlock(position: Int64(number) * 16, frameCount: 16, channelCount: 2) { $0.initialize(repeating: 0) }
            if number == 0 { first = block }
            queue.push(.block(ItemID(rawValue: 1), block))
        }
        #expect(first != nil && queue.frames == 48)
        #expect(queue.take(generation: 1) != nil)
        #expect(first == nil && queue.frames == 32, "only the engine keeps it")
    }

    @Test("elements of another generation are not taken")
    func generations() {
        let queue = FeedQueue()
        queue.begin(generation: 2)
        queue.push(.end(ItemID(rawValue: 1), position: 5))
        #expect(queue.take(generation: 1) == nil)
        #expect(queue.take(generation: 2) != nil)
        #expect(queue.take(generation: 2) == nil)
    }
}
