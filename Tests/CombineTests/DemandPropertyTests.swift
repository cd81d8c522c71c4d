import Combine
import PlaybackTesting
import Testing

/// Random sequences of requests, sends and cancellations. The values that the real subscribers receive are compared with those of a simple model.
@Suite("Demand under random operations", .cancelsSubscriptions) struct DemandPropertyTests {
    /// A model of one subscription, whose `values` are those that the subscriber must have received.
    private struct Model {
        var demand = 0
        var pending: Int?
        var values: [Int] = []
        var isEnded = false

        /// - Parameter keepsNewest: Whether the subject keeps a value without demand for the next request, until a newer value replaces it.
        mutating func send(_ value: Int, keepsNewest: Bool) {
            guard !isEnded else { return }
            if demand > 0 {
                demand -= 1
                values.append(value)
            } else if keepsNewest {
                pending = value
            }
        }
        mutating func request(_ count: Int) {
            guard !isEnded else { return }
            demand += count
            if let value = pending, demand > 0 {
                pending = nil
                demand -= 1
                values.append(value)
            }
        }
    }

    @Test("the subscribers of a subject receive the requested number of values, in order", arguments: [true, false])
    func subjects(keepsNewest: Bool) {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            let (current, passing) = (CurrentValueSubject<Int, Never>(0), PassthroughSubject<Int, Never>())
            let subscribers = (0..<3).map { _ in RecordingSubscriber<Int, Never>(.none) }
            var models = Array(repeating: Model(pending: keepsNewest ? 0 : nil), count: 3)
            for subscriber in subscribers { if keepsNewest { current.subscribe(subscriber) } else { passing.subscribe(subscriber) } }
            for step in 1...60 {
                let index = Int(random.next() % 3)
                switch random.next() % 10 {
                case 0..<5:
                    if keepsNewest { current.send(step) } else { passing.send(step) }
                    for other in models.indices { models[other].send(step, keepsNewest: keepsNewest) }
                case 5..<9:
                    let count = Int(random.next() % 4)
                    subscribers[index].subscription?.request(.max(count))
                    models[index].request(count)
                default:
                    subscribers[index].subscription?.cancel()
                    models[index].isEnded = true
                }
            }
            #expect(subscribers.map(\.values) == models.map(\.values), "seed \(seed)")
        }
    }

    @Test("merging loses and repeats no value, and no subscriber receives more than it requested")
    func merging() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            let sources = (0..<4).map { source in Publishers.MergeMany((0..<5).map { Just(source * 10 + $0) }) }
            let subscriber = RecordingSubscriber<Int, Never>(.none)
            Publishers.MergeMany(sources).subscribe(subscriber)
            var asked = 0
            while subscriber.completions.isEmpty, asked < 100 {
                let count = Int(random.next() % 4)
                asked += count
                subscriber.subscription?.request(.max(count))
                #expect(subscriber.values.count == min(asked, 20), "seed \(seed)")
            }
            #expect(
                subscriber.completions == [.finished] && subscriber.values.sorted() == (0..<4).flatMap { s in (0..<5).map { s * 10 + $0 } },
                "seed \(seed)")
        }
    }
}
