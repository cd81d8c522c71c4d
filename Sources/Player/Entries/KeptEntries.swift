import Platform
import PlaybackEngine

/// Decides which entries of a playlist are kept when a client replaces the playlist: the entries that the client's new list contains again.
enum KeptEntries {
    /// Returns for each specification of the new list the index of the entry that it keeps; nil if the specification makes a new entry. Each entry is
    /// kept at most once.
    ///
    /// A specification with an entry's id keeps this entry if both have the same location. Every other specification keeps the next entry that has
    /// its location and is not kept yet. If only some of the entries with a location are kept in this way, and the current entry has this location,
    /// the current entry is one of the kept entries.
    static func indices(of specs: [EntrySpec], in entries: [PlaylistEntry], current: Int?) -> [Int?] {
        var result = [Int?](repeating: nil, count: specs.count)
        var isTaken = [Bool](repeating: false, count: entries.count)
        let positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.id, $0) })
        for (index, spec) in specs.enumerated() {
            guard let id = spec.id, let position = positions[id], !isTaken[position],
                location(spec) == location(entries[position].spec)
            else { continue }
            result[index] = position
            isTaken[position] = true
        }
        // The indices of the entries that are not kept yet, by their location. The lowest index is the last in each array.
        var free: [[UInt8]: [Int]] = [:]
        for position in entries.indices.reversed() where !isTaken[position] { free[location(entries[position].spec), default: []].append(position) }
        var last: [[UInt8]: Int] = [:]
        for (index, spec) in specs.enumerated() where result[index] == nil {
            let location = location(spec)
            guard let position = free[location]?.popLast() else { continue }
            result[index] = position
            isTaken[position] = true
            last[location] = index
        }
        if let current, !isTaken[current], let index = last[location(entries[current].spec)] { result[index] = current }
        return result
    }

    /// Completes the specifications of a new list from the entries of the present list, and returns them.
    ///
    /// `kept` contains for each specification the index of the entry that it keeps (`indices`). If a specification states an id, the entry with this
    /// id is its named entry, which is not kept if its location differs from the specification's. A missing title is taken from the kept entry, or
    /// from the named entry if no entry is kept. A missing start position, duration, date of publication or picture is taken from the named entry.
    /// The client that added the entry (`addedBy`) stays that of the kept entry; for a new entry it is `origin`.
    static func completed(_ specs: [EntrySpec], keeping kept: [Int?], in playlist: PlaylistMachine, addedBy origin: String) -> [EntrySpec] {
        zip(specs, kept).map { spec, index in
            var spec = spec
            spec.addedBy = index.map { playlist.entries[$0].spec.addedBy } ?? origin
            let named = spec.id.flatMap(playlist.entry)?.spec
            if spec.title == nil { spec.title = index.map { playlist.entries[$0].spec.title } ?? named?.title }
            if spec.startTime == nil { spec.startTime = named?.startTime }
            if spec.listedDuration == nil { spec.listedDuration = named?.listedDuration }
            if spec.publicationDate == nil { spec.publicationDate = named?.publicationDate }
            if spec.picture == nil { spec.picture = named?.picture }
            return spec
        }
    }

    /// Returns a kept entry with the title and the start position of the specification. The failure is the specification's too, unless the
    /// specification has an id. If the specification permits private addresses, the returned entry permits them.
    static func renewed(_ entry: PlaylistEntry, by spec: EntrySpec) -> PlaylistEntry {
        var entry = entry
        entry.spec.title = spec.title
        entry.spec.startTime = spec.startTime
        if spec.id == nil { entry.spec.failure = spec.failure }
        if spec.source.allowsPrivateAddresses { entry.spec.source.allowsPrivateAddresses = true }
        return entry
    }

    /// Whether two versions of an entry are the same. Their titles are compared as bytes.
    static func areSame(_ a: PlaylistEntry, _ b: PlaylistEntry) -> Bool {
        a == b && a.spec.title.map { OuterText($0) } == b.spec.title.map { OuterText($0) }
    }

    /// Returns the location of an entry's medium as bytes, because a URL may be long and contain any text.
    private static func location(_ spec: EntrySpec) -> [UInt8] {
        switch spec.source.location {
        case .file(let path): [0] + path.bytes
        case .remote(let url): [1] + url.utf8
        }
    }
}
