import Combine
import Testing

@Suite("Subjects", .cancelsSubscriptions) struct SubjectTests {
    @Test("a passthrough subject sends to its current subscribers, and no earlier value to a new one")
    func passthrough() {
        let subject = PassthroughSubject<Int, Never>()
        subject.send(1)
        let subscriber = RecordingSubscriber<Int, Never>(.unlimited)
        subject.subscribe(subscriber)
        subject.send(2)
        subject.send(3)
        #expect(subscriber.values == [2, 3] && subscriber.subscriptionCount == 1)
    }

    @Test("a passthrough subject drops values without demand")
    func dropping() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>(.max(2))
        subject.subscribe(subscriber)
        for value in 1...4 { subject.send(value) }
        subscriber.subscription?.request(.max(1))
        subject.send(5)
        subject.send(6)
        #expect(subscriber.values == [1, 2, 5])
    }

    @Test("the demand that a subscriber returns is added")
    func returnedDemand() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = RecordingSubscriber<Int, Never>(.max(1))
        subscriber.more = .max(1)
        subject.subscribe(subscriber)
        for value in 1...3 { subject.send(value) }
        subscriber.more = .none
        subject.send(4)
        subject.send(5)
        #expect(subscriber.values == [1, 2, 3, 4])
    }

    @Test("the completion is sent once, last, and also to later subscribers; values sent after it are lost")
    func completion() {
        let subject = PassthroughSubject<Int, Trouble>()
        let subscriber = RecordingSubscriber<Int, Trouble>(.unlimited)
        subject.subscribe(subscriber)
        subject.send(1)
        subject.send(completion: .failure(Trouble(name: "gone")))
        subject.send(completion: .finished)
        subject.send(2)
        let late = RecordingSubscriber<Int, Trouble>(.unlimited)
        subject.subscribe(late)
        #expect(subscriber.values == [1] && subscriber.completions == [.failure(Trouble(name: "gone"))])
        #expect(late.values == [] && late.completions == [.failure(Trouble(name: "gone"))] && late.subscriptionCount == 1)
    }

    @Test("the completion needs no demand")
    func completionWithoutDemand() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let subscriber = RecordingSubscriber<Int, Never>(.none)
        subject.subscribe(subscriber)
        subject.send(completion: .finished)
        #expect(subscriber.values == [] && subscriber.completions == [.finished])
    }

    @Test("a current value subject sends its value first, then every change")
    func currentValue() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let subscriber = RecordingSubscriber<Int, Never>(.unlimited)
        subject.subscribe(subscriber)
        subject.send(2)
        subject.value = 3
        #expect(subscriber.values == [1, 2, 3] && subject.value == 3)
    }

    @Test("a slow subscriber receives the newest value on request, and none twice")
    func newest() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let subscriber = RecordingSubscriber<Int, Never>(.none)
        subject.subscribe(subscriber)
        subject.send(2)
        subject.send(3)
        subscriber.subscription?.request(.max(1))
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.values == [3])
        subject.send(4)
        subject.send(5)
        subscriber.subscription?.request(.unlimited)
        #expect(subscriber.values == [3, 4, 5])
    }

    @Test("a value sent from inside a subscriber is delivered after the value that caused it, to each subscriber")
    func reentrance() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let log = Log()
        let first = subject.sink { value in
            log.add("first \(value)")
            if value == 1 { subject.send(2) }
        }
        let second = subject.sink { log.add("second \($0)") }
        subject.send(1)
        #expect(log.lines == ["first 0", "second 0", "first 1", "second 1", "second 2", "first 2"])
        first.cancel()
        second.cancel()
    }

    @Test("cancelling ends the subscription at once, also from inside a value")
    func cancelling() {
        let subject = PassthroughSubject<Int, Never>()
        let log = Log()
        var token: AnyCancellable?
        token = subject.sink { value in
            log.add("\(value)")
            token?.cancel()
        }
        subject.send(1)
        subject.send(2)
        #expect(log.lines == ["1"])
    }

    @Test("releasing the token ends the subscription and releases the closure")
    func dropping2() {
        final class Held {}
        let subject = PassthroughSubject<Int, Never>()
        weak var held: Held?
        var tokens: Set<AnyCancellable> = []
        do {
            let object = Held()
            held = object
            subject.sink { _ in _ = object }.store(in: &tokens)
        }
        subject.send(1)
        #expect(held != nil)
        tokens = []
        #expect(held == nil)
    }

    @Test("a subject subscribed to a publisher republishes its values")
    func relaying() {
        let source = PassthroughSubject<Int, Never>()
        let subject = CurrentValueSubject<Int, Never>(0)
        let token = source.subscribe(subject)
        source.send(7)
        #expect(subject.value == 7)
        token.cancel()
        source.send(8)
        #expect(subject.value == 7)
    }

    @Test("values sent by several threads all arrive, one at a time, and the last received value is the current one")
    func threads() async {
        let subject = Shared(CurrentValueSubject<Int, Never>(0))
        let subscriber = Shared(RecordingSubscriber<Int, Never>(.unlimited))
        subject.value.subscribe(subscriber.value)
        await withTaskGroup(of: Void.self) { group in
            for number in 1...8 { group.addTask { for step in 0..<200 { subject.value.send(number * 1_000 + step) } } }
        }
        #expect(subscriber.value.values.count == 1_601)
        #expect(Set(subscriber.value.values).count == 1_601)
        #expect(subscriber.value.values.last == subject.value.value)
    }
}

/// Passes a value to several threads. `@unchecked Sendable`: the tests check that the value's type may be used by several threads.
struct Shared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
