import Playlist

extension QueueSummary {
    func write(_ writer: inout JSONWriter) {
        writer.member("revision", revision)
        writer.member("count", count)
        writer.member("currentId", ifPresent: currentID)
        writer.member("nextId", ifPresent: nextID)
    }
}

extension PlayerQueue {
    /// Returns the whole JSON document of the queue.
    func json(epoch: String) -> [UInt8] {
        JSONWriter.object(capacity: 128 + 192 * entries.count) { writer in
            writer.member("epoch", epoch)
            summary.write(&writer)
            writer.member("entries", array: entries) { writer, entry in writer.object(entry.write) }
            writer.member("history", array: history) { $0.string($1) }
        }
    }

    /// Returns the entity tag of the queue's document: `"epoch:revision.content"`. The revision is that of the playlist, on which edits are based.
    /// The content is a hash of the document, which also changes when facts about the entries become known.
    static func entityTag(epoch: String, revision: Int, document: [UInt8]) -> String {
        "\"\(epoch):\(revision).\(EntityTag.content(document).dropFirst())"
    }

    /// Whether a value of the field `If-Match` names the playlist's revision. The entity tag in the field may contain the hash of the document after
    /// the revision (`epoch:revision.content`), or end with the revision (`epoch:revision`).
    static func matchNames(_ field: String, epoch: String, revision: Int) -> Bool {
        let wanted = "\"\(epoch):\(revision)"
        return EntityTag.matchNames(field) { $0 == wanted + "\"" || $0.hasPrefix(wanted + ".") }
    }
}
