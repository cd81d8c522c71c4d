import Synchronization

/// Metadata of a medium that apply from a media time on, such as the title that a radio station plays from then on.
public struct TimedMetadata: Sendable, Hashable {
    /// The media time from which on the metadata apply, in seconds.
    public var time: Double
    /// The metadata; empty if the preceding metadata no longer apply and no others replace them.
    public var entries: [MetadataEntry]
    public init(time: Double, entries: [MetadataEntry]) { self.time = time; self.entries = entries }
}

/// The timed metadata of one medium, shared by the threads that transfer and decode the medium and by the player.
///
/// The transferring thread adds metadata with the offset of the byte from which on they apply. The decoding thread gives them a media time after it
/// has reached the packet at that offset. The player publishes them when that media time is heard. Any thread may use a `TimedMetadataLog`.
public final class TimedMetadataLog: Sendable, Hashable {
    fileprivate struct State {
        var station: [MetadataEntry] = []
        var last: [MetadataEntry]?
        var pending: [(offset: Int64, entries: [MetadataEntry])] = []
        var placed: [TimedMetadata] = []
        var observer: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    /// The maximum number of metadata that wait for a media time, and the maximum number of those that have one. If there are more, the oldest are
    /// discarded.
    public static let limit = 64
    /// The minimum distance of two metadata, in seconds of media time. Of metadata that are closer together, only those that were added last are
    /// kept.
    public static let shortestDistance = 0.1

    public init() {}

    // MARK: The transferring thread

    /// The facts that a station states about itself (`icy-name`, `icy-genre`, `icy-url`, `icy-br`); empty if it states none.
    public var station: [MetadataEntry] { state.withLock { $0.station } }
    public func setStation(_ facts: [MetadataEntry]) { state.withLock { $0.station = facts } }

    /// Adds metadata that apply from the byte at `offset` on. Metadata that equal the preceding ones are not added.
    public func add(_ entries: [MetadataEntry], atByte offset: Int64) {
        state.withLock { state in
            guard state.last ?? [] != entries else { return }
            state.last = entries
            state.pending.append((offset, entries))
            if state.pending.count > TimedMetadataLog.limit { state.pending.removeFirst() }
        }
    }

    // MARK: The decoding thread

    /// Gives the media time `time`, in seconds, to the newest metadata that apply at the byte `offset`, where a packet of this time begins. Older
    /// metadata without a media time are discarded.
    public func reach(byte offset: Int64, time: Double) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            guard let first = state.pending.first, first.offset <= offset else { return nil }
            let count = state.pending.prefix { $0.offset <= offset }.count
            let newest = state.pending[count - 1].entries
            state.pending.removeFirst(count)
            state.place(TimedMetadata(time: time, entries: newest))
            return state.observer
        }
        observer?()
    }

    /// Adds metadata that apply from a media time on, in seconds.
    public func add(_ entries: [MetadataEntry], atTime time: Double) {
        let observer = state.withLock { state in
            state.place(TimedMetadata(time: time, entries: entries))
            return state.observer
        }
        observer?()
    }

    // MARK: The player

    /// The metadata with a media time, in ascending order of their times.
    public var placed: [TimedMetadata] { state.withLock { $0.placed } }
    /// Sets the function that is called on the decoding thread after a change of `placed`.
    public func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.observer = observer } }

    /// Whether two logs are the same object.
    public static func == (a: TimedMetadataLog, b: TimedMetadataLog) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension TimedMetadataLog.State {
    /// Inserts metadata in the order of their times. Metadata whose times are closer than the minimum distance are replaced.
    fileprivate mutating func place(_ new: TimedMetadata) {
        guard new.time.isFinite else { return }
        placed.removeAll { abs($0.time - new.time) < TimedMetadataLog.shortestDistance }
        let index = placed.lastIndex { $0.time < new.time }.map { $0 + 1 } ?? 0
        placed.insert(new, at: index)
        if placed.count > TimedMetadataLog.limit { placed.removeFirst() }
    }
}
