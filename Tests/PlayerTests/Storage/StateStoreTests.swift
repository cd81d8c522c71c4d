import Platform
import PlaybackTesting
import Testing

@testable import Player

@Suite("StateStore") struct StateStoreTests {
    private let clock = VirtualClock()
    private let reports = Counter()
    private let store: StateStore
    private let writer = ScriptedWriter()
    init() {
        let reports = reports
        store = StateStore(clock: clock, report: { reports.call() })
    }

    private static let full = DatabaseError(.diskFull, "database or disk is full")

    private func player(_ time: Double) -> SavedPlayer {
        var player = SavedPlayer()
        player.playhead.time = time
        return player
    }

    @Test("of several changes before a write, the newest player is written, once")
    func newest() {
        store.keep(player(1))
        store.keep(player(2))
        #expect(!store.step(writer))
        #expect(writer.changes.map { $0.player?.playhead.time } == [2])
        #expect(!store.step(writer))
        #expect(writer.changes.count == 1)
    }

    @Test("of several changes before a write, the entries of all are written; after a failed write, all entries")
    func joined() {
        func keep(_ ids: Set<String>) {
            var player = player(1)
            player.changedEntries = ids
            store.keep(player)
        }
        keep(["e1"])
        keep(["e2", "e3"])
        #expect(!store.step(writer))
        #expect(writer.changes.last?.player?.changedEntries == ["e1", "e2", "e3"])
        writer.error = Self.full
        keep(["e4"])
        #expect(store.step(writer))
        keep(["e5"])
        writer.error = nil
        #expect(!store.step(writer))
        #expect(writer.changes.count == 2 && writer.changes.last?.player != nil && writer.changes.last?.player?.changedEntries == nil)
        keep(["e6"])
        #expect(!store.step(writer))
        #expect(writer.changes.last?.player?.changedEntries == ["e6"])
    }

    @Test("a failure is reported once while it lasts, and its end once")
    func reporting() {
        writer.error = Self.full
        for time in [1.0, 2, 3] {
            store.keep(player(time))
            #expect(store.step(writer))
        }
        #expect(reports.count == 1)
        #expect(store.failure?.code == .diskFull)
        writer.error = nil
        #expect(!store.step(writer))
        #expect(reports.count == 2)
        #expect(store.failure == nil)
    }

    @Test("what could not be written is written later: the newest player, and all positions of media")
    func retry() {
        func position(_ url: UInt8, _ time: Double?) -> MediaPosition { MediaPosition(url: [url], time: time, duration: 1000) }
        writer.error = Self.full
        store.keep(player(1))
        store.keep(position(1, 20), removing: [[9]])
        store.keep(position(2, 20), removing: [])
        #expect(store.step(writer))
        store.keep(player(2))
        store.keep(position(2, 30), removing: [])
        writer.error = nil
        #expect(!store.step(writer))
        #expect(writer.changes.count == 1)
        #expect(writer.changes.first?.player?.playhead.time == 2)
        #expect(writer.changes.first?.positions == [position(1, 20), position(2, 30)])
        #expect(writer.changes.first?.forgotten == [[9]])
    }

    @Test("the store's thread writes a change without another call, before the store is closed")
    func writtenBehind() {
        let writer = SignallingWriter()
        let store = StateStore(clock: MonotonicClock(), report: {})
        store.start(writer, holding: nil)
        for time in [1.0, 2] {
            store.keep(player(time))
            writer.waitForWrite()
        }
        store.close(within: 60)
        #expect(writer.times == [1, 2])
    }

    @Test("a closed store takes no changes")
    func closed() throws {
        let directory = try TemporaryDirectory()
        let open = try OpenTables(directory)
        // The real clock makes `close` wait for the end of the store's thread.
        let store = StateStore(clock: MonotonicClock(), report: {})
        store.start(open.tables, holding: nil)
        store.close(within: 60)
        store.keep(player(1))
        #expect(!store.step(writer) && writer.changes.isEmpty)
        #expect(try open.read() == nil)
    }
}
