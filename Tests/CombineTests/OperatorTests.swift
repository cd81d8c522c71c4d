import Combine
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Operators", .cancelsSubscriptions) struct OperatorTests {
    let source = PassthroughSubject<Int, Never>()

    /// Returns the values that a publisher derived from `source` sends if `source` sends 1, 1, 2, 3.
    private func outcome<P: Publisher>(_ publisher: P) -> [P.Output] where P.Failure == Never {
        var values: [P.Output] = []
        let token = publisher.sink { values.append($0) }
        for value in [1, 1, 2, 3] { source.send(value) }
        token.cancel()
        return values
    }

    @Test("map, filter, compactMap, removeDuplicates and dropFirst transform values as named")
    func steps() {
        #expect(outcome(source.map { $0 * 10 }) == [10, 10, 20, 30])
        #expect(outcome(source.map(\.description)) == ["1", "1", "2", "3"])
        #expect(outcome(source.filter { $0 != 2 }) == [1, 1, 3])
        #expect(outcome(source.compactMap { $0 == 2 ? nil : "\($0)" }) == ["1", "1", "3"])
        #expect(outcome(source.removeDuplicates()) == [1, 2, 3])
        #expect(outcome(source.removeDuplicates { $0 % 2 == $1 % 2 }) == [1, 2, 3])
        #expect(outcome(source.dropFirst(3)) == [3])
    }

    @Test("removeDuplicates compares separately for each subscriber")
    func ownMemory() {
        let publisher = source.removeDuplicates()
        #expect(outcome(publisher) == [1, 2, 3])
        #expect(outcome(publisher) == [1, 2, 3])
    }

    @Test("a value removed by filter uses no demand")
    func demandOfFilter() {
        let subscriber = RecordingSubscriber<Int, Never>(.max(2))
        source.filter { $0 > 2 }.subscribe(subscriber)
        for value in 1...6 { source.send(value) }
        #expect(subscriber.values == [3, 4])
    }

    @Test("Just sends its value on request, and finishes")
    func just() {
        let subscriber = RecordingSubscriber<Int, Never>(.none)
        Just(5).subscribe(subscriber)
        #expect(subscriber.values == [] && subscriber.completions == [])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [5] && subscriber.completions == [.finished])
    }

    @Test("type erasure does not change a publisher")
    func erased() {
        let publisher: AnyPublisher<String, Never> = source.map { "\($0)" }.eraseToAnyPublisher().eraseToAnyPublisher()
        #expect(outcome(publisher) == ["1", "1", "2", "3"])
    }

    @Test("combineLatest begins when both publishers have a value, and finishes when both have finished")
    func combineLatest() {
        let letters = PassthroughSubject<String, Never>()
        let log = Log()
        let token = source.combineLatest(letters).sink { _ in
            log.add("end")
        } receiveValue: {
            log.add("\($0)\($1)")
        }
        source.send(1)
        source.send(2)
        letters.send("a")
        letters.send("b")
        source.send(completion: .finished)
        letters.send("c")
        letters.send(completion: .finished)
        #expect(log.lines == ["2a", "2b", "2c", "end"])
        token.cancel()
    }

    @Test("combineLatest combines three publishers, also with a function, and finishes if one finishes without a value")
    func combineMore() {
        let (b, c) = (CurrentValueSubject<Int, Never>(10), CurrentValueSubject<Int, Never>(100))
        var sums: [Int] = []
        var triples: [String] = []
        let token = source.combineLatest(b, c) { $0 + $1 + $2 }.sink { sums.append($0) }
        let other = source.combineLatest(b, c).map { "\($0) \($1) \($2)" }.sink { triples.append($0) }
        source.send(1)
        b.send(20)
        #expect(sums == [111, 121] && triples == ["1 10 100", "1 20 100"])
        let subscriber = RecordingSubscriber<(Int, Int), Never>(.unlimited)
        PassthroughSubject<Int, Never>().combineLatest(PassthroughSubject<Int, Never>()).subscribe(subscriber)
        #expect(subscriber.completions == [])
        let empty = PassthroughSubject<Int, Never>()
        let ended = RecordingSubscriber<(Int, Int), Never>(.unlimited)
        b.combineLatest(empty).subscribe(ended)
        empty.send(completion: .finished)
        #expect(ended.completions == [.finished])
        token.cancel()
        other.cancel()
    }

    @Test("a slow subscriber of combineLatest receives the newest pair")
    func slowPair() {
        let (a, b) = (CurrentValueSubject<Int, Never>(1), CurrentValueSubject<Int, Never>(2))
        let subscriber = RecordingSubscriber<(Int, Int), Never>(.none)
        a.combineLatest(b).subscribe(subscriber)
        a.send(3)
        b.send(4)
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values.map { [$0.0, $0.1] } == [[3, 4]])
    }

    @Test("merge sends all values of all publishers, finishes with the last, and fails with the first failure")
    func merge() {
        let other = PassthroughSubject<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>(.unlimited)
        source.merge(with: other, Just(9)).subscribe(subscriber)
        source.send(1)
        other.send(2)
        source.send(completion: .finished)
        other.send(3)
        #expect(subscriber.values == [9, 1, 2, 3] && subscriber.completions == [])
        other.send(completion: .finished)
        #expect(subscriber.completions == [.finished])

        let (a, b) = (PassthroughSubject<Int, Trouble>(), PassthroughSubject<Int, Trouble>())
        let failing = RecordingSubscriber<Int, Trouble>(.unlimited)
        Publishers.MergeMany(a, b).subscribe(failing)
        a.send(completion: .failure(Trouble(name: "a")))
        b.send(1)
        #expect(failing.values == [] && failing.completions == [.failure(Trouble(name: "a"))])
        let none = RecordingSubscriber<Int, Never>(.unlimited)
        Publishers.MergeMany<PassthroughSubject<Int, Never>>([]).subscribe(none)
        #expect(none.completions == [.finished])
    }

    @Test("merge requests one value at a time from each publisher if demand is limited, and loses none")
    func mergeDemand() {
        let subscriber = RecordingSubscriber<Int, Never>(.max(1))
        Publishers.MergeMany((1...3).map { Just($0) }).subscribe(subscriber)
        #expect(subscriber.values == [1] && subscriber.completions == [])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [1, 2])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [1, 2, 3] && subscriber.completions == [.finished])
    }

    @Test("cancelling a merge cancels the merged subscriptions")
    func mergeCancelled() {
        final class Held {}
        weak var held: Held?
        let subscriber = RecordingSubscriber<Int, Never>(.unlimited)
        do {
            let object = Held()
            held = object
            source.map {
                _ = object; return $0
            }.merge(with: Just(1)).subscribe(subscriber)
        }
        #expect(held != nil)
        subscriber.subscription?.cancel()
        #expect(held == nil)
    }

    @Test("receive(on:) delivers through its scheduler, in order, with the completion last (R-COMB-02)")
    func receiveOn() {
        let later = VirtualScheduler()
        let subscriber = RecordingSubscriber<Int, Never>(.unlimited)
        source.receive(on: later).subscribe(subscriber)
        source.send(1)
        source.send(2)
        source.send(completion: .finished)
        #expect(subscriber.values == [])
        later.advance(by: 0)
        #expect(subscriber.values == [1, 2] && subscriber.completions == [.finished])
    }

    @Test("values that wait for their scheduler are not delivered after a cancellation")
    func receiveOnCancelled() {
        let later = VirtualScheduler()
        let log = Log()
        let token = source.receive(on: later).sink { log.add("\($0)") }
        source.send(1)
        token.cancel()
        later.advance(by: 0)
        #expect(log.lines == [])
    }

    @Test("receive(on:) requests its subscriber's demand from its publisher")
    func receiveOnDemand() {
        let later = VirtualScheduler()
        let subscriber = RecordingSubscriber<Int, Never>(.max(1))
        source.receive(on: later).subscribe(subscriber)
        source.send(1)
        source.send(2)
        later.advance(by: 0)
        subscriber.subscription?.request(.max(1))
        source.send(3)
        later.advance(by: 0)
        #expect(subscriber.values == [1, 3])
    }

    @Test("values keep their order on a concurrent queue, on operation queues and on the main queue")
    func queues() async {
        let count = 200
        func run(_ begin: (CurrentValueSubject<Int, Never>, @escaping (Int) -> Void) -> AnyCancellable) async -> [Int] {
            let subject = CurrentValueSubject<Int, Never>(0)
            let seen = Mutex<[Int]>([])
            let done = AsyncStream.makeStream(of: Void.self)
            let token = begin(subject) { value in
                let isLast = seen.withLock { seen in
                    seen.append(value)
                    return seen.count == count
                }
                if isLast { done.continuation.finish() }
            }
            for value in 1..<count { subject.send(value) }
            for await _ in done.stream {}
            token.cancel()
            return seen.withLock { $0 }
        }
        let expected = Array(0..<count)
        #expect(await run { $0.receive(on: DispatchQueue.global()).sink(receiveValue: $1) } == expected)
        #expect(await run { $0.receive(on: DispatchQueue.main).sink(receiveValue: $1) } == expected)
        #expect(await run { $0.receive(on: OperationQueue()).sink(receiveValue: $1) } == expected)
        #expect(await run { $0.receive(on: ImmediateScheduler.shared).sink(receiveValue: $1) } == expected)
    }

    @Test("a run loop performs scheduled actions")
    func runLoop() {
        var seen: [Int] = []
        let token = Just(4).receive(on: RunLoop.current).sink { seen.append($0) }
        #expect(seen == [])
        #expect(RunLoop.current.run(mode: .default, before: .distantPast))
        #expect(seen == [4])
        token.cancel()
    }

    @Test("demands add up, are never below none, and unlimited stays unlimited")
    func demands() {
        typealias Demand = Subscribers.Demand
        #expect(Demand.max(2) + 3 == 5 && Demand.max(2) - 3 == Demand.none && Demand.unlimited - 3 == .unlimited)
        #expect(Demand.max(.max) + 1 == .unlimited && Demand.unlimited + .unlimited == .unlimited)
        #expect(Demand.max(3) < .unlimited && Demand.none < .max(1) && Demand.unlimited.max == nil && Demand.max(7).max == 7)
        #expect(Demand.unlimited > 5 && !(Demand.unlimited < 5) && Demand.max(4) < 5)
        #expect("\(Demand.max(4)) \(Demand.unlimited)" == "max(4) unlimited")
    }
}
