import Player

extension QueueSummary {
    func write(_ writer: inout JSONWriter) {
        writer.member("revision", revision)
        writer.member("count", count)
        writer.member("currentId", ifPresent: currentID)
        writer.member("nextId", ifPresent: nextID)
    }
}

extension QueueEdit {
    func write(_ writer: inout JSONWriter) {
        writer.member("kind", kind.rawValue)
        writer.member("count", count)
        writer.member("origin", origin)
    }

    var json: [UInt8] { JSONWriter.object(write) }
}

extension RevertibleEdits {
    func write(_ writer: inout JSONWriter) {
        if let undo { writer.member("undo", object: undo.write) }
        if let redo { writer.member("redo", object: redo.write) }
    }
}

extension PlayerQueue {
    func json(epoch: String) -> [UInt8] {
        JSONWriter.object(capacity: 128 + 192 * entries.count) { writer in
            writer.member("epoch", epoch)
            summary.write(&writer)
            edits.write(&writer)
            writer.member("offset", offset)
            writer.member("entries", array: entries) { writer, entry in writer.object(entry.write) }
            writer.member("history", array: history) { $0.string($1) }
        }
    }

    /// The JSON of the queue, made off the main actor because 10,000 entries take milliseconds.
    @concurrent func encoded(epoch: String) async -> [UInt8] { json(epoch: epoch) }

    /// The tag `"queue:epoch:revision"`. In the tag of a document, a dot and `edition` (`RemotePlayer.queueEdition`) follow.
    static func tag(epoch: String, revision: Int, edition: Int? = nil) -> ResourceTag {
        ResourceTag(.queue, version: "\(epoch):\(revision)", content: edition.map { "\($0)" } ?? "")
    }
}

extension QueueUpdate {
    /// The largest size of the changes in one event, in bytes. If the changes are larger, the event lacks the entries or all changes, and the client
    /// reads them from the queue.
    static let maximumChangesSize = 8 << 10

    func write(_ writer: inout JSONWriter) {
        summary.write(&writer)
        edits.write(&writer)
        writer.member("previousRevision", previousRevision)
        if isPlaybackOrderChanged { writer.member("isPlaybackOrderChanged", true) }
        if let changes = encodedChanges() { writer.member("changes", json: changes) }
    }

    /// Returns the JSON array of the changes: with their entries if that fits into `maximumChangesSize`, otherwise without. Nil if the array does not
    /// fit even then, or if the changes are not known.
    private func encodedChanges() -> [UInt8]? {
        guard let changes else { return nil }
        for hasEntries in [true, false] where hasEntries || Self.areReadable(changes) {
            let bytes = Self.encoded(changes, hasEntries: hasEntries)
            if bytes.count <= Self.maximumChangesSize { return bytes }
        }
        return nil
    }

    private static func encoded(_ changes: [Change], hasEntries: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.array(changes) { writer, change in writer.object { change.write(&$0, hasEntries: hasEntries) } }
        return writer.bytes
    }
}

extension QueueUpdate.Change {
    fileprivate func write(_ writer: inout JSONWriter, hasEntries: Bool) {
        switch self {
        case .insert(let index, let count, let entries): Self.write("insert", index, count, hasEntries ? entries : nil, &writer)
        case .update(let index, let count, let entries): Self.write("update", index, count, hasEntries ? entries : nil, &writer)
        case .remove(let index, let count): Self.write("remove", index, count, nil, &writer)
        case .move(let index, let count, let target):
            Self.write("move", index, count, nil, &writer)
            writer.member("to", target)
        }
    }

    private static func write(_ type: String, _ index: Int, _ count: Int, _ entries: [PlayerState.Item]?, _ writer: inout JSONWriter) {
        writer.member("type", type)
        writer.member("index", index)
        writer.member("count", count)
        if let entries { writer.member("entries", array: entries) { $0.object($1.write) } }
    }
}
