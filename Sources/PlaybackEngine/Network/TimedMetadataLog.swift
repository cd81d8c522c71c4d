import Synchronization

/// Metadata that apply from a media time on, such as the title of a radio station.
public struct TimedMetadata: Sendable, Hashable {
    /// The media time, in seconds.
    public var time: Double
    /// The metadata; empty if from this time on the preceding metadata no longer apply, and no others do.
    public var entries: [MetadataEntry]
    public init(time: Double, entries: [MetadataEntry]) { self.time = time; self.entries = entries }
}

/// The timed metadata of one medium. The transferring thread adds metadata with the offset of a byte, and the decoding thread gives them the media
/// time of the packet at that byte. The player publishes them when that time is heard. Any thread may use the log.
public final class TimedMetadataLog: Sendable, Hashable {
    fileprivate struct State {
        var station: [MetadataEntry] = []
        var last: [MetadataEntry]?
        var pending: [(offset: Int64, entries: [MetadataEntry])] = []
        var placed: [TimedMetadata] = []
        var observer: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    /// The greatest number of metadata with a media time, and of those without; the oldest are discarded.
    public static let limit = 64
    /// The shortest distance between metadata, in seconds of media time; of closer ones the last added are kept.
    public static let shortestDistance = 0.1

    public init() {}

    // MARK: The transferring thread

    /// The station's own metadata: `icy-name`, `icy-genre`, `icy-url`, `icy-br`.
    public var station: [MetadataEntry] { state.withLock { $0.station } }
    public func setStation(_ facts: [MetadataEntry]) { state.withLock { $0.station = facts } }

    /// Adds metadata, unless they equal the preceding ones.
    public func add(_ entries: [MetadataEntry], atByte offset: Int64) {
        state.withLock { state in
            guard state.last ?? [] != entries else { return }
            state.last = entries
            state.pending.append((offset, entries))
            if state.pending.count > TimedMetadataLog.limit { state.pending.removeFirst() }
        }
    }

    // MARK: The decoding thread

    /// Records that the packet at byte `offset` has the media time `time`, in seconds. The newest metadata up to this byte get the time; older ones
    /// without a time are discarded.
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

    /// Adds metadata with a media time, in seconds.
    public func add(_ entries: [MetadataEntry], atTime time: Double) {
        let observer = state.withLock { state in
            state.place(TimedMetadata(time: time, entries: entries))
            return state.observer
        }
        observer?()
    }

    // MARK: The player

    /// The metadata that have a media time, in the order of the times.
    public var placed: [TimedMetadata] { state.withLock { $0.placed } }
    /// Sets the function that is called on the decoding thread when metadata get a media time.
    public func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.observer = observer } }

    public static func == (a: TimedMetadataLog, b: TimedMetadataLog) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension TimedMetadataLog.State {
    /// Inserts metadata by their time, and removes others that are closer than `shortestDistance`.
    fileprivate mutating func place(_ new: TimedMetadata) {
        guard new.time.isFinite else { return }
        placed.removeAll { abs($0.time - new.time) < TimedMetadataLog.shortestDistance }
        let index = placed.lastIndex { $0.time < new.time }.map { $0 + 1 } ?? 0
        placed.insert(new, at: index)
        if placed.count > TimedMetadataLog.limit { placed.removeFirst() }
    }
}
