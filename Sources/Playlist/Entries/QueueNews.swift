/// The differences between the queue and the queue that was published last.
struct QueueNews {
    /// The largest number of entries that an update describes. If more entries were inserted, clients request them as a list, which costs less.
    static let maximumEntryCount = 64

    /// Whether the queue may differ from the queue that was published last.
    var isStale = false
    /// The ids of the entries whose known properties have changed.
    var updated: Set<String> = []

    /// The entries, the revision and the playback order that were published last.
    private var order: [String] = []
    private var revision = 0
    private var playbackRevision = 0

    init() {}

    /// Makes the differences to `playlist` itself, which counts as published. So there are no differences yet.
    init(published playlist: PlaylistMachine) {
        order = playlist.entries.map(\.id)
        (revision, playbackRevision) = (playlist.revision, playlist.playbackRevision)
    }

    /// Returns the change of the queue since the last call of this function; nil if `summary` is nil, because nothing has changed then.
    mutating func take(
        of playlist: PlaylistMachine, summary: QueueSummary?, _ describe: (PlaylistEntry) -> PlayerState.Item
    ) -> QueueUpdate? {
        guard let summary else { return nil }
        var update = QueueUpdate(
            summary: summary, previousRevision: revision, changes: [], isPlaybackOrderChanged: playlist.playbackRevision != playbackRevision,
            edits: playlist.edits)
        var inserted: [Range<Int>] = []
        if playlist.revision != revision {
            let difference = QueueDifference(from: order, count: playlist.entries.count, index: playlist.index)
            update.changes = difference.map { Self.changes($0, playlist, &inserted, describe) }
            order = playlist.entries.map(\.id)
        }
        let described = inserted.reduce(0) { $0 + $1.count }
        if !updated.isEmpty, let changes = update.changes {
            update.changes = changes + Self.updates(updated, playlist, except: inserted, described: described, describe)
        }
        isStale = false
        updated = []
        revision = playlist.revision
        playbackRevision = playlist.playbackRevision
        return update
    }

    private static func changes(
        _ difference: QueueDifference, _ playlist: PlaylistMachine, _ inserted: inout [Range<Int>], _ describe: (PlaylistEntry) -> PlayerState.Item
    ) -> [QueueChange] {
        var described = 0
        return difference.steps.map { step in
            switch step {
            case .remove(let index, let count): return .remove(index: index, count: count)
            case .move(let index, let count, let target): return .move(index: index, count: count, to: target)
            case .insert(let index, let count):
                inserted.append(index..<(index + count))
                described += count
                let entries = described <= maximumEntryCount ? playlist.entries[index..<(index + count)].map(describe) : nil
                return .insert(index: index, count: count, entries: entries)
            }
        }
    }

    /// Returns one `.update` for each run of neighbouring entries in `ids`. Entries at the indices `inserted` are omitted, because they are part of
    /// an insertion; `described` is their number. If `described` and the updated entries together exceed `maximumEntryCount`, the updates contain no
    /// descriptions.
    private static func updates(
        _ ids: Set<String>, _ playlist: PlaylistMachine, except inserted: [Range<Int>], described: Int,
        _ describe: (PlaylistEntry) -> PlayerState.Item
    ) -> [QueueChange] {
        let indices = ids.compactMap(playlist.index).filter { index in !inserted.contains { $0.contains(index) } }.sorted()
        var runs: [Range<Int>] = []
        for index in indices {
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<(index + 1)
            } else {
                runs.append(index..<(index + 1))
            }
        }
        let isShort = described + indices.count <= maximumEntryCount
        return runs.map { .update(index: $0.lowerBound, count: $0.count, entries: isShort ? playlist.entries[$0].map(describe) : nil) }
    }
}
