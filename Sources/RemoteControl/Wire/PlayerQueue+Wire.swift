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
    /// Returns the whole document of the queue.
    func json(epoch: String) -> [UInt8] {
        JSONWriter.object(capacity: 128 + 192 * entries.count) { writer in
            writer.member("epoch", epoch)
            summary.write(&writer)
            writer.member("entries", array: entries) { writer, entry in writer.object(entry.write) }
            writer.member("history", array: history) { $0.string($1) }
        }
    }

    /// Returns `"epoch:revision.content"`. The part before the dot is the playlist's revision, on which edits are based. The part after the dot also
    /// changes when facts about the entries become known.
    static func entityTag(epoch: String, revision: Int, document: [UInt8]) -> String {
        "\"\(epoch):\(revision).\(EntityTag.content(document).dropFirst())"
    }

    /// Whether `If-Match` names the playlist's revision, with or without the part after the dot.
    static func matchNames(_ field: String, epoch: String, revision: Int) -> Bool {
        let wanted = "\"\(epoch):\(revision)"
        return EntityTag.matchNames(field) { $0 == wanted + "\"" || $0.hasPrefix(wanted + ".") }
    }
}
