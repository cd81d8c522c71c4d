import PlaybackEngine
import PlaybackTesting
import Testing

@testable import Player

/// The order in which the events and the state of a turn are published.
@Suite("StatePublisher") @MainActor struct StatePublisherTests {
    /// A source whose state the test sets. It sends an event before each state.
    private final class Source: StateSource {
        weak var publisher: StatePublisher?
        var volume = 1.0

        func deriveState() -> PlayerState {
            var state = PlayerState()
            state.volume = volume
            return state
        }
        func stateWillBePublished() { publisher?.send(.timeJumped(itemID: "e1", time: volume)) }
        func stateWasPublished() {}
    }

    private final class Log {
        var entries: [String] = []
        /// The causes of the published states.
        var causes: [String] = []
    }

    private let scheduler: VirtualScheduler
    private let publisher: StatePublisher
    private let source = Source()
    private let log = Log()
    private let observation: ObservationToken

    init() {
        let clock = VirtualClock()
        scheduler = VirtualScheduler(clock: clock)
        publisher = StatePublisher(clock: clock, scheduler: scheduler)
        source.publisher = publisher
        publisher.start(with: source)
        observation = publisher.observe { [log] notice in
            switch notice {
            case .event: log.entries.append("event")
            case .state(let state):
                log.entries.append("state \(state.volume)")
                log.causes.append("\(state.lastChange.reason) by \(state.lastChange.origin)")
            }
        }
    }

    private func follow(_ name: String) { publisher.afterPublishing { [log] in log.entries.append(name) } }

    private func change(to volume: Double) {
        source.volume = volume
        publisher.note(.settingsChanged)
    }

    @Test("what follows a publication is called once, after the event and the state of its turn, also if it was requested before the change")
    func follows() {
        follow("first")
        change(to: 0.5)
        follow("second")
        #expect(log.entries.isEmpty)
        scheduler.run()
        #expect(log.entries == ["event", "state 0.5", "first", "second"])
        change(to: 0.25)
        scheduler.run()
        #expect(log.entries.suffix(2) == ["event", "state 0.25"])
    }

    @Test("without a change it is called at the end of the turn, and nothing is published")
    func followsNothing() {
        follow("first")
        scheduler.run()
        #expect(log.entries == ["first"])
    }

    @Test("what an observer of the state requests is called in the same turn, right after the state")
    func followsFromObserver() {
        let observer = publisher.observe { notice in
            if case .state = notice { self.follow("time") }
        }
        change(to: 0.5)
        scheduler.async { [log] in log.entries.append("later turn") }
        scheduler.run()
        #expect(log.entries == ["event", "state 0.5", "time", "later turn"])
        observer.cancel()
    }

    @Test("a command publishes at once, and what follows is called at the end of its turn")
    func followsCommand() throws {
        follow("first")
        try publisher.act(for: "phone", .settingsChanged) { () throws(PlayerRefusal) in
            source.volume = 0.5
            follow("second")
        }
        #expect(log.entries == ["event", "state 0.5"])
        scheduler.run()
        #expect(log.entries == ["event", "state 0.5", "first", "second"])
    }

    @Test("a change before a command keeps its own cause")
    func causeBeforeCommand() throws {
        let player = publisher.origin
        source.volume = 0.5
        publisher.note(.didPlayToEndTime)
        try publisher.act(for: "phone", .settingsChanged) { () throws(PlayerRefusal) in source.volume = 0.25 }
        scheduler.run()
        #expect(log.causes == ["didPlayToEndTime by \(player)", "settingsChanged by phone"])
    }
}
