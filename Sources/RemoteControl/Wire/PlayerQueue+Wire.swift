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
    /// The whole document.
    func json(epoch: String) -> [UInt8] {
        JSONWriter.object(capacity: 128 + 192 * entries.count) { writer in
            writer.member("epoch", epoch)
            summary.write(&writer)
            writer.member("entries", array: entries) { writer, entry in writer.object(entry.write) }
            writer.member("history", array: history) { $0.string($1) }
        }
    }

    /// `"epoch:revision.content"`: the part before the point is the playlist's revision, on which edits are based; the part behind it changes with
    /// whatever becomes known of the entries.
    static func entityTag(epoch: String, revision: Int, document: [UInt8]) -> String {
        "\"\(epoch):\(revision).\(EntityTag.content(document).dropFirst())"
    }

    /// Whether `If-Match` names the playlist's revision, with or without what was known of the entries.
    static func matchNames(_ field: String, epoch: String, revision: Int) -> Bool {
        let wanted = "\"\(epoch):\(revision)"
        return EntityTag.matchNames(field) { $0 == wanted + "\"" || $0.hasPrefix(wanted + ".") }
    }
}
