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

    /// `"queue:epoch:revision"`, followed by the hash of the document, which also changes if facts about the entries become known.
    static func tag(epoch: String, revision: Int, document: [UInt8]? = nil) -> ResourceTag {
        ResourceTag(.queue, version: "\(epoch):\(revision)", content: document.map(EntityTag.hash) ?? "")
    }
}
