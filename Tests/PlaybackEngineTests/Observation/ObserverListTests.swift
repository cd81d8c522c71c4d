import PlaybackEngine
import Testing

@Suite("Observers") @MainActor struct ObserverListTests {
    private let observers = ObserverList<String>()
    private let notice = "notice"

    @Test("observers are notified in the order in which they were added, until their tokens are cancelled")
    func order() {
        var calls: [Int] = []
        let tokens = (0..<3).map { number in observers.add { _ in calls.append(number) } }
        observers.notify(notice)
        #expect(calls == [0, 1, 2])
        tokens[1].cancel()
        tokens[1].cancel()
        observers.notify(notice)
        #expect(calls == [0, 1, 2, 0, 2])
        for token in tokens { token.cancel() }
        observers.notify(notice)
        #expect(calls.count == 5)
    }

    @Test("an observer that is cancelled during a notification is no longer called")
    func cancelledMeanwhile() {
        var calls: [String] = []
        var second: ObservationToken?
        let first = observers.add { _ in
            calls.append("first")
            second?.cancel()
        }
        second = observers.add { _ in calls.append("second") }
        observers.notify(notice)
        #expect(calls == ["first"])
        first.cancel()
    }

    @Test("a token that is released ends its observation")
    func released() async {
        var calls = 0
        var token: ObservationToken? = observers.add { _ in calls += 1 }
        #expect(token != nil)
        token = nil
        await Task.yield()
        observers.notify(notice)
        #expect(calls == 0)
    }
}
