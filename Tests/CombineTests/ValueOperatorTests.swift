import Combine
import Foundation
import Testing

@Suite("Operators on single values", .cancelsSubscriptions) struct ValueOperatorTests {
    private let numbers = [3, 1, 2].publisher
    private let source = PassthroughSubject<Int, Trouble>()
    private let trouble = Trouble(name: "step")

    @Test("map sends two or three properties of each value as a tuple")
    func keyPaths() {
        let two = ["ab"].publisher.map(\.count, \.isEmpty).recorded()
        #expect(two.values.map(\.0) == [2] && two.values.map(\.1) == [false])
        let three = ["ab"].publisher.map(\.count, \.isEmpty, \.first).recorded()
        #expect(three.values.map(\.2) == ["a"])
    }

    @Test("replaceNil replaces nil only")
    func nilValues() { #expect([1, nil].publisher.replaceNil(with: 9).recorded().values == [1, 9]) }

    @Test("scan sends every intermediate result, separately for each subscriber")
    func scan() {
        let sums = numbers.scan(10, +)
        #expect(sums.recorded().values == [13, 14, 16])
        #expect(sums.recorded().values == [13, 14, 16])
    }

    @Test("reduce, count, collect, min, max and last send one value when the publisher finishes")
    func results() {
        #expect(numbers.reduce(10, +).recorded().values == [16])
        #expect(numbers.count().recorded().values == [3])
        #expect(numbers.collect().recorded().values == [[3, 1, 2]])
        #expect(numbers.min().recorded().values == [1] && numbers.max().recorded().values == [3])
        #expect(numbers.last().recorded().values == [2] && numbers.last { $0 != 2 }.recorded().values == [1])
        #expect(source.last().recorded().values == [])
    }

    @Test("of no values, reduce sends the initial result, collect an empty array, count 0, and min and last nothing")
    func resultsOfNothing() {
        let empty = Empty<Int, Never>()
        #expect(empty.reduce(7, +).recorded().values == [7])
        #expect(empty.collect().recorded().values == [[]] && empty.count().recorded().values == [0])
        let last = empty.last().recorded()
        #expect(last.values == [] && last.completions == [.finished] && empty.min().recorded().values == [])
    }

    @Test("of equal values, min sends the first and max the last")
    func equalExtremes() {
        let pairs = [(1, "a"), (1, "b")].publisher
        #expect(pairs.min { $0.0 < $1.0 }.recorded().values.map(\.1) == ["a"])
        #expect(pairs.max { $0.0 < $1.0 }.recorded().values.map(\.1) == ["b"])
    }

    @Test("a result waits for demand, while its publisher gets an unlimited one")
    func resultDemand() {
        let subscriber = numbers.collect().recorded(.none)
        #expect(subscriber.values == [] && subscriber.completions == [])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [[3, 1, 2]] && subscriber.completions == [.finished])
    }

    @Test("first sends one value, cancels and finishes")
    func first() {
        let log = Log()
        let subscriber = source.handleEvents(receiveCancel: { log.add("cancelled") }).first { $0 > 1 }.recorded()
        source.send(1)
        #expect(log.lines == [])
        source.send(2)
        source.send(3)
        #expect(subscriber.values == [2] && subscriber.completions == [.finished] && log.lines == ["cancelled"])
    }

    @Test("contains and allSatisfy decide at the first value that decides, otherwise at the end")
    func conditions() {
        let subscriber = source.contains(2).recorded()
        source.send(1)
        source.send(2)
        #expect(subscriber.values == [true] && subscriber.completions == [.finished])
        #expect(numbers.contains { $0 > 3 }.recorded().values == [false])
        #expect(numbers.allSatisfy { $0 > 1 }.recorded().values == [false] && numbers.allSatisfy { $0 > 0 }.recorded().values == [true])
    }

    @Test("prefix finishes after its last value, and a prefix of no value at once")
    func prefix() {
        let subscriber = source.prefix(2).recorded()
        for value in 1...3 { source.send(value) }
        #expect(subscriber.values == [1, 2] && subscriber.completions == [.finished])
        #expect(source.prefix(0).recorded(.none).completions == [.finished])
        let condition = numbers.prefix { $0 > 2 }.recorded()
        #expect(condition.values == [3] && condition.completions == [.finished])
    }

    @Test("output sends the values with the indexes of a range, whatever its form")
    func output() {
        #expect(numbers.output(at: 1).recorded().values == [1])
        #expect(numbers.output(in: 1...).recorded().values == [1, 2])
        #expect(numbers.output(in: ...1).recorded().values == [3, 1])
    }

    @Test("drop(while:) drops values until the first that does not satisfy the condition")
    func dropWhile() { #expect([1, 2, 1].publisher.drop { $0 < 2 }.recorded().values == [2, 1]) }

    @Test("ignoreOutput sends the completion without demand")
    func ignoring() {
        let subscriber = numbers.ignoreOutput().recorded(.none)
        #expect(subscriber.completions == [.finished])
    }

    @Test("replaceEmpty sends its value on request if there was none")
    func empty() {
        let subscriber = Empty<Int, Never>().replaceEmpty(with: 4).recorded(.none)
        #expect(subscriber.completions == [])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [4] && subscriber.completions == [.finished])
        #expect(numbers.replaceEmpty(with: 4).recorded().values == [3, 1, 2])
    }

    @Test("collect(_:) requests as many values as its arrays need, and sends the rest at the end")
    func groups() {
        let log = Log()
        let subscriber = (1...5).publisher.handleEvents(receiveOutput: { log.add("\($0)") }).collect(2).recorded(.max(1))
        #expect(subscriber.values == [[1, 2]] && log.lines == ["1", "2"])
        subscriber.subscription?.request(.unlimited)
        #expect(subscriber.values == [[1, 2], [3, 4], [5]] && subscriber.completions == [.finished])
    }

    @Test("a value that is not sent is replaced by another one, so that limited demand is met")
    func replacedDemand() {
        #expect((1...9).publisher.drop { $0 < 4 }.recorded(.max(2)).values == [4, 5])
        #expect((1...9).publisher.tryFilter { $0 % 3 == 0 }.recorded(.max(2)).values == [3, 6])
    }

    @Test("an error that a function throws is the failure, and cancels")
    func throwing() {
        func check<P: Publisher<Int, any Error>>(_ make: (AnyPublisher<Int, Trouble>) -> P) {
            let (source, log) = (PassthroughSubject<Int, Trouble>(), Log())
            let subscriber = make(source.handleEvents(receiveCancel: { log.add("cancelled") }).eraseToAnyPublisher()).recorded()
            source.send(1)
            source.send(2)
            #expect(subscriber.troubles == [trouble] && log.lines == ["cancelled"])
        }
        check { $0.tryMap { _ in throw trouble } }
        check { $0.tryFilter { _ in throw trouble } }
        check { $0.tryCompactMap { _ in throw trouble } }
        check { $0.tryScan(0) { _, _ in throw trouble } }
        check { $0.tryReduce(0) { _, _ in throw trouble } }
        check { $0.tryFirst { _ in throw trouble } }
        check { $0.tryLast { _ in throw trouble } }
        check { $0.tryPrefix { _ in throw trouble } }
        check { $0.tryDrop { _ in throw trouble } }
        check { $0.tryRemoveDuplicates { _, _ in throw trouble } }
        check { $0.tryContains { _ in throw trouble }.map { _ in 0 } }
        check { $0.tryAllSatisfy { _ in throw trouble }.map { _ in 0 } }
    }

    @Test("the publisher's own failure passes through the operators, also those that throw")
    func ownFailure() {
        let first = source.tryMap { $0 }.filter { $0 > 0 }.recorded()
        let second = source.collect().recorded()
        source.send(1)
        source.send(completion: .failure(trouble))
        #expect(first.values == [1] && first.troubles == [trouble])
        #expect(second.values == [] && second.completions == [.failure(trouble)])
    }

    @Test("an endless sequence sends what is requested, and ends when it is cancelled")
    func endless() {
        let subscriber = (0...).publisher.recorded(.max(3))
        #expect(subscriber.values == [0, 1, 2] && subscriber.completions == [])
        #expect((0...).publisher.first { $0 > 1_000 }.recorded().values == [1_001])
    }

    @Test("a sequence finishes with its last value, an empty one at once")
    func sequences() {
        let subscriber = [1, 2].publisher.recorded(.max(2))
        #expect(subscriber.values == [1, 2] && subscriber.completions == [.finished])
        #expect([Int]().publisher.recorded(.none).completions == [.finished])
    }

    @Test("Empty, Fail, optionals and results send what they contain")
    func sources() {
        #expect(Empty<Int, Never>().recorded(.none).completions == [.finished])
        #expect(Empty<Int, Never>(completeImmediately: false).recorded().completions == [])
        #expect(Fail<Int, Trouble>(error: trouble).recorded(.none).completions == [.failure(trouble)])
        #expect(Optional(5).publisher.recorded().values == [5] && Int?.none.publisher.recorded().completions == [.finished])
        #expect(Result<Int, Trouble>.success(5).publisher.recorded().values == [5])
        #expect(Result<Int, Trouble>.failure(trouble).publisher.recorded().completions == [.failure(trouble)])
    }

    @Test("a deferred publisher is made for each subscriber")
    func deferred() {
        var count = 0
        let publisher = Deferred {
            count += 1
            return Just(count)
        }
        #expect(count == 0)
        #expect(publisher.recorded().values == [1] && publisher.recorded().values == [2])
    }

    @Test("a future works once, and sends its first result to earlier and later subscribers")
    func future() {
        var promises: [Future<Int, Trouble>.Promise] = []
        let future = Future<Int, Trouble> { promises.append($0) }
        let (early, slow) = (future.recorded(), future.recorded(.none))
        promises.first?(.success(1))
        promises.first?(.success(2))
        slow.subscription?.request(.max(1))
        for subscriber in [early, slow, future.recorded()] { #expect(subscriber.values == [1] && subscriber.completions == [.finished]) }
        #expect(promises.count == 1)
        let failed = Future<Int, Trouble> { $0(.failure(trouble)) }
        #expect(failed.recorded(.none).completions == [.failure(trouble)])
    }

    @Test("decode uses the decoder, and fails with its error")
    func coding() {
        let decoded = Just(Data("[1,2]".utf8)).decode(type: [Int].self, decoder: JSONDecoder()).recorded()
        #expect(decoded.values == [[1, 2]])
        let broken = Just(Data("[1".utf8)).decode(type: [Int].self, decoder: JSONDecoder()).recorded()
        #expect(broken.values == [] && broken.completions.count == 1)
    }
}
