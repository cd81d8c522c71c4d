import Combine
import Platform
import Testing

@Suite("Operators on several publishers", .cancelsSubscriptions) struct CombiningTests {
    private typealias Source = PassthroughSubject<Int, Trouble>
    private let a = Source(), b = Source(), c = Source(), d = Source()
    private let trouble = Trouble(name: "a")

    @Test("flatMap sends the values of all publishers that it makes, and finishes after the last")
    func flatMap() {
        let sources = [a, b]
        let numbers = PassthroughSubject<Int, Trouble>()
        let subscriber = numbers.flatMap { sources[$0] }.recorded()
        numbers.send(0)
        numbers.send(1)
        numbers.send(completion: .finished)
        a.send(1)
        b.send(2)
        a.send(completion: .finished)
        b.send(3)
        #expect(subscriber.values == [1, 2, 3] && subscriber.completions == [])
        b.send(completion: .finished)
        #expect(subscriber.completions == [.finished])
    }

    @Test("flatMap subscribes to maxPublishers at a time")
    func maxPublishers() {
        let sources = [a, b]
        let log = Log()
        let subscriber = (0...1).publisher.setFailureType(to: Trouble.self).flatMap(maxPublishers: .max(1)) { index in
            log.add("\(index)")
            return sources[index]
        }.recorded()
        #expect(log.lines == ["0"])
        a.send(completion: .finished)
        b.send(2)
        b.send(completion: .finished)
        #expect(log.lines == ["0", "1"] && subscriber.values == [2] && subscriber.completions == [.finished])
    }

    @Test("flatMap with limited demand takes one value at a time from each publisher, and loses none")
    func flatMapDemand() {
        let subscriber = (0..<3).publisher.flatMap { n in (0..<3).publisher.map { n * 10 + $0 } }.recorded(.max(2))
        #expect(subscriber.values.count == 2)
        subscriber.subscription?.request(.max(7))
        #expect(subscriber.values.sorted() == [0, 1, 2, 10, 11, 12, 20, 21, 22] && subscriber.completions == [.finished])
    }

    @Test("a failure of any publisher fails flatMap and cancels the others")
    func flatMapFailure() {
        let log = Log()
        let watched = b.handleEvents(receiveCancel: { log.add("cancelled") })
        let sources = [a.eraseToAnyPublisher(), watched.eraseToAnyPublisher()]
        let subscriber = (0...1).publisher.flatMap { sources[$0] }.recorded()
        a.send(completion: .failure(trouble))
        #expect(subscriber.completions == [.failure(trouble)] && log.lines == ["cancelled"])
    }

    @Test("flatMap joins publishers that cannot fail with those that can")
    func flatMapTypes() {
        #expect(Just(1).flatMap { Just($0 + 1) }.recorded().values == [2])
        #expect(Just(1).flatMap { _ in Fail<Int, Trouble>(error: trouble) }.recorded().completions == [.failure(trouble)])
        let subscriber = a.flatMap { Just($0 * 2) }.recorded()
        a.send(4)
        #expect(subscriber.values == [8])
    }

    @Test("switchToLatest cancels the former publisher, and finishes when the outer and the newest have")
    func switching() {
        let outer = PassthroughSubject<AnyPublisher<Int, Trouble>, Trouble>()
        let log = Log()
        let subscriber = outer.switchToLatest().recorded()
        outer.send(a.handleEvents(receiveCancel: { log.add("cancelled") }).eraseToAnyPublisher())
        a.send(1)
        outer.send(b.eraseToAnyPublisher())
        a.send(2)
        b.send(3)
        #expect(subscriber.values == [1, 3] && log.lines == ["cancelled"])
        outer.send(completion: .finished)
        b.send(4)
        #expect(subscriber.completions == [])
        b.send(completion: .finished)
        #expect(subscriber.values == [1, 3, 4] && subscriber.completions == [.finished])
    }

    @Test("switchToLatest passes the demand that is left over to the next publisher")
    func switchingDemand() {
        let outer = PassthroughSubject<Publishers.Sequence<[Int], Never>, Never>()
        let subscriber = outer.switchToLatest().recorded(.max(3))
        outer.send([1, 2].publisher)
        outer.send([3, 4].publisher)
        #expect(subscriber.values == [1, 2, 3])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [1, 2, 3, 4])
    }

    @Test("cancelling switchToLatest cancels both publishers")
    func switchingCancelled() {
        let log = Log()
        let inner = b.handleEvents(receiveCancel: { log.add("inner") })
        let subscriber = a.handleEvents(receiveCancel: { log.add("outer") }).map { _ in inner }.switchToLatest().recorded()
        a.send(1)
        subscriber.subscription?.cancel()
        #expect(log.lines.sorted() == ["inner", "outer"])
    }

    @Test("prepend and append send in order, with the subscriber's demand")
    func concatenation() {
        let subscriber = [3, 4].publisher.prepend(1, 2).append([5]).append(Just(6)).prepend(Just(0)).recorded(.max(4))
        #expect(subscriber.values == [0, 1, 2, 3])
        subscriber.subscription?.request(.max(3))
        #expect(subscriber.values == [0, 1, 2, 3, 4, 5, 6] && subscriber.completions == [.finished])
    }

    @Test("what is appended is not subscribed to before the end, and never after a failure")
    func appendAfterFailure() {
        let log = Log()
        let subscriber = a.append(b.handleEvents(receiveSubscription: { _ in log.add("subscribed") })).recorded()
        a.send(1)
        a.send(completion: .failure(trouble))
        #expect(subscriber.values == [1] && subscriber.completions == [.failure(trouble)] && log.lines == [])
    }

    @Test("values before or after the first value of another publisher can be dropped, without use of demand")
    func until() {
        let before = a.prefix(untilOutputFrom: b).recorded()
        let after = a.drop(untilOutputFrom: b).recorded(.max(1))
        let never = a.drop(untilOutputFrom: c).recorded()
        a.send(1)
        b.send(0)
        a.send(2)
        a.send(3)
        c.send(completion: .finished)
        #expect(before.values == [1] && before.completions == [.finished])
        #expect(after.values == [2] && after.completions == [] && never.values == [] && never.completions == [.finished])
    }

    @Test("merge joins up to eight publishers")
    func mergeTypes() {
        func j(_ value: Int) -> Just<Int> { Just(value) }
        #expect(Publishers.Merge(j(1), j(2)).recorded().values == [1, 2])
        #expect(Publishers.Merge3(j(1), j(2), j(3)).recorded().values == [1, 2, 3])
        #expect(Publishers.Merge4(j(1), j(2), j(3), j(4)).recorded().values == [1, 2, 3, 4])
        #expect(Publishers.Merge5(j(1), j(2), j(3), j(4), j(5)).recorded().values == [1, 2, 3, 4, 5])
        #expect(Publishers.Merge6(j(1), j(2), j(3), j(4), j(5), j(6)).recorded().values == [1, 2, 3, 4, 5, 6])
        #expect(Publishers.Merge7(j(1), j(2), j(3), j(4), j(5), j(6), j(7)).recorded().values == [1, 2, 3, 4, 5, 6, 7])
        let eight = Publishers.Merge8(j(1), j(2), j(3), j(4), j(5), j(6), j(7), j(8)).recorded()
        #expect(eight.values == [1, 2, 3, 4, 5, 6, 7, 8] && eight.completions == [.finished])
    }

    @Test("the methods of merge return the structures that Apple's return")
    func mergeMethods() {
        typealias J = Just<Int>
        func j(_ value: Int) -> J { Just(value) }
        let two: Publishers.Merge<J, J> = j(1).merge(with: j(2))
        let three: Publishers.Merge3<J, J, J> = j(1).merge(with: j(2), j(3))
        let four: Publishers.Merge4<J, J, J, J> = j(1).merge(with: j(2), j(3), j(4))
        let five: Publishers.Merge5<J, J, J, J, J> = j(1).merge(with: j(2), j(3), j(4), j(5))
        let six: Publishers.Merge6<J, J, J, J, J, J> = j(1).merge(with: j(2), j(3), j(4), j(5), j(6))
        let seven: Publishers.Merge7<J, J, J, J, J, J, J> = j(1).merge(with: j(2), j(3), j(4), j(5), j(6), j(7))
        let eight: Publishers.Merge8<J, J, J, J, J, J, J, J> = j(1).merge(with: j(2), j(3), j(4), j(5), j(6), j(7), j(8))
        #expect(two.recorded().values == [1, 2] && three.recorded().values == [1, 2, 3] && four.recorded().values == [1, 2, 3, 4])
        #expect(five.recorded().values == [1, 2, 3, 4, 5] && six.recorded().values == [1, 2, 3, 4, 5, 6])
        #expect(seven.recorded().values == [1, 2, 3, 4, 5, 6, 7] && eight.recorded().values == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("combineLatest of four publishers begins when all have sent")
    func four() {
        let subscriber = a.combineLatest(b, c, d) { [$0, $1, $2, $3] }.recorded()
        a.send(1)
        b.send(2)
        c.send(3)
        #expect(subscriber.values == [])
        d.send(4)
        b.send(5)
        #expect(subscriber.values == [[1, 2, 3, 4], [1, 5, 3, 4]])
        b.send(completion: .failure(trouble))
        #expect(subscriber.completions == [.failure(trouble)])
    }

    @Test("zip pairs values by their number, and finishes when no further pair is possible")
    func zip() {
        let subscriber = a.zip(b) { [$0, $1] }.recorded()
        a.send(1)
        a.send(2)
        b.send(10)
        #expect(subscriber.values == [[1, 10]])
        a.send(completion: .finished)
        #expect(subscriber.completions == [])
        b.send(20)
        #expect(subscriber.values == [[1, 10], [2, 20]] && subscriber.completions == [.finished])
    }

    @Test("zip passes its demand to each publisher")
    func zipDemand() {
        let log = Log()
        let watched = (1...5).publisher.handleEvents(receiveOutput: { log.add("\($0)") })
        let subscriber = watched.zip((1...5).publisher) { $0 * $1 }.recorded(.max(2))
        #expect(subscriber.values == [1, 4] && log.lines == ["1", "2"])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [1, 4, 9])
    }

    @Test("the processor time for values that wait for a partner grows as their number")
    func zipCost() {
        func cost(_ count: Int) -> Double {
            let clock = ThreadClock(), start = clock.now
            let subscriber = repeatElement("a value in memory of its own", count: count).publisher.setFailureType(to: Trouble.self).zip(a).recorded()
            a.send(1)
            #expect(subscriber.values.count == 1)
            subscriber.subscription?.cancel()
            return clock.now - start
        }
        // Sixteen times the values cost sixteen times as much, and 256 times if each value copies those before it.
        let short = (0..<3).map { _ in cost(2_500) }.min() ?? 0
        #expect(cost(40_000) < 80 * short)
    }

    @Test("zip joins three and four publishers, and cancels all")
    func zipMore() {
        let log = Log()
        func watched(_ name: String, _ source: Source) -> Publishers.HandleEvents<Source> {
            source.handleEvents(receiveCancel: { log.add(name) })
        }
        let three = a.zip(b, c) { [$0, $1, $2] }.recorded()
        let four = watched("a", a).zip(watched("b", b), watched("c", c), watched("d", d)) { [$0, $1, $2, $3] }.recorded()
        for (value, source) in [a, b, c, d].enumerated() { source.send(value) }
        #expect(three.values == [[0, 1, 2]] && four.values == [[0, 1, 2, 3]])
        four.subscription?.cancel()
        #expect(log.lines.sorted() == ["a", "b", "c", "d"])
    }

    // MARK: Failures

    @Test("catch goes on with another publisher, which gets the demand that is left over")
    func catching() {
        let failing = [1].publisher.setFailureType(to: Trouble.self).append(Fail(error: trouble))
        let subscriber = failing.catch { _ in [2, 3, 4].publisher }.recorded(.max(3))
        #expect(subscriber.values == [1, 2, 3] && subscriber.completions == [])
        let again = failing.tryCatch { error -> Just<Int> in throw Trouble(name: error.name + "!") }.recorded()
        #expect(again.values == [1] && again.troubles == [Trouble(name: "a!")])
    }

    @Test("replaceError sends its value on request, and finishes")
    func replacingError() {
        let subscriber = Fail<Int, Trouble>(error: trouble).replaceError(with: 5).recorded(.none)
        #expect(subscriber.completions == [])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [5] && subscriber.completions == [.finished])
    }

    @Test("retry subscribes again as often as it says, and then fails")
    func retrying() {
        var count = 0
        let failing = Deferred {
            count += 1
            return Just(count).setFailureType(to: Trouble.self).append(Fail(error: trouble))
        }
        let subscriber = failing.retry(2).recorded()
        #expect(subscriber.values == [1, 2, 3] && subscriber.completions == [.failure(trouble)])
    }

    @Test("mapError changes the failure only")
    func mappingError() {
        let subscriber = a.mapError { Trouble(name: $0.name + "!") }.recorded()
        a.send(1)
        a.send(completion: .failure(trouble))
        #expect(subscriber.values == [1] && subscriber.completions == [.failure(Trouble(name: "a!"))])
    }

    @Test("handleEvents calls its functions before the events pass")
    func events() {
        let log = Log()
        let subscriber = a.handleEvents { _ in
            log.add("subscription")
        } receiveOutput: {
            log.add("value \($0)")
        } receiveCompletion: {
            log.add("\($0)")
        } receiveCancel: {
            log.add("cancel")
        } receiveRequest: {
            log.add("request \($0)")
        }.recorded(.max(2))
        a.send(1)
        a.send(completion: .finished)
        subscriber.subscription?.cancel()
        #expect(log.lines == ["subscription", "request max(2)", "value 1", "finished", "cancel"])
    }

    @Test("print writes a line for each event")
    func printing() {
        final class Output: TextOutputStream {
            var text = ""
            func write(_ string: String) { text += string }
        }
        let output = Output()
        _ = Just(1).print("number", to: output).recorded()
        let lines = output.text.split(separator: "\n").dropFirst()
        #expect(lines == ["number: request unlimited", "number: receive value: (1)", "number: receive finished"])
    }

    // MARK: Sharing

    @Test("multicast subscribes once, when it is connected, and sends to all; the connection can be cancelled")
    func multicast() {
        var count = 0
        let shared = a.handleEvents(receiveSubscription: { _ in count += 1 }).multicast { PassthroughSubject() }
        let (first, second) = (shared.recorded(), shared.recorded(.max(1)))
        a.send(0)
        let connection = shared.connect()
        a.send(1)
        a.send(2)
        connection.cancel()
        a.send(3)
        #expect(count == 1 && first.values == [1, 2] && second.values == [1])
    }

    @Test("share subscribes with the first subscriber, and cancels after the last")
    func sharing() {
        let log = Log()
        let shared = a.handleEvents(receiveSubscription: { _ in log.add("begin") }, receiveCancel: { log.add("end") }).share()
        let (first, second) = (shared.recorded(), shared.recorded())
        a.send(1)
        first.subscription?.cancel()
        a.send(2)
        #expect(log.lines == ["begin"])
        second.subscription?.cancel()
        #expect(first.values == [1] && second.values == [1, 2] && log.lines == ["begin", "end"])
        #expect(shared == shared)
    }

    @Test("a subscriber that comes while the first one is being cancelled gets one connection, which it ends")
    func overlappingSubscribers() {
        let log = Log()
        let shared = a.handleEvents(receiveSubscription: { _ in log.add("begin") }, receiveCancel: { log.add("end") }).share()
        var second: RecordingSubscriber<Int, Trouble>?
        shared.subscribe(
            AnySubscriber<Int, Trouble>(receiveSubscription: { subscription in
                subscription.cancel()
                second = shared.recorded()
            }))
        a.send(1)
        #expect(log.lines == ["begin"] && second?.values == [1])
        second?.subscription?.cancel()
        #expect(log.lines == ["begin", "end"])
    }

    @Test("subscribers of a shared publisher get its completion, later ones too")
    func sharedCompletion() {
        var count = 0
        let shared = a.handleEvents(receiveSubscription: { _ in count += 1 }).share()
        let first = shared.recorded()
        a.send(completion: .failure(trouble))
        #expect(first.completions == [.failure(trouble)] && shared.recorded().completions == [.failure(trouble)] && count == 1)
    }

    // MARK: Asynchronous sequences

    @Test("values are awaited one by one, and end with the publisher or its failure")
    func values() async throws {
        var seen: [Int] = []
        for await value in [1, 2, 3].publisher.values { seen.append(value) }
        #expect(seen == [1, 2, 3])
        let failing = [4].publisher.setFailureType(to: Trouble.self).append(Fail(error: trouble))
        await #expect(throws: trouble) { for try await value in failing.values { seen.append(value) } }
        #expect(seen == [1, 2, 3, 4])
    }

    @Test("a cancelled task ends its loop and the subscription")
    func cancelledValues() async {
        let (began, ended) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let task = Task {
            let subject = PassthroughSubject<Int, Never>()
            let watched = subject.handleEvents(
                receiveCancel: { ended.continuation.finish() }, receiveRequest: { _ in began.continuation.finish() })
            for await _ in watched.values {}
        }
        for await _ in began.stream {}
        task.cancel()
        await task.value
        for await _ in ended.stream {}
    }

    @Test("the value of a future can be awaited")
    func futureValue() async throws {
        #expect(await Future<Int, Never> { $0(.success(3)) }.value == 3)
        await #expect(throws: trouble) { try await Future<Int, Trouble> { $0(.failure(Trouble(name: "a"))) }.value }
    }
}
