import Platform

/// The tracks of a playlist that is written in tags: XSPF or ASX.
struct TrackList {
    private(set) var lines: [PlaylistFile.Line] = []
    private(set) var declaresType = false

    /// One track while it is read.
    private struct Track {
        var locations: [String] = []
        var title: [UInt8] = []
        var creator: [UInt8] = []
        var duration: Double?

        /// The location that is used, because the locations of a track are alternatives: the first http or https URL, which the player can open; if
        /// there is none, the first location.
        var location: String? {
            locations.first { ListText.begins(Array($0.utf8)[...], "http") } ?? locations.first
        }

        /// The title that users see: the creator and the title, as far as the track has them; nil if it has neither.
        var name: String? {
            let parts = [creator, title].map { ListText.trimmed($0[...]) }.filter { !$0.isEmpty }.map(ListText.string)
            return parts.isEmpty ? nil : parts.joined(separator: " - ")
        }
    }

    /// The largest size of a text between tags that is kept, in bytes.
    private static let maximumTextLength = 16 << 10

    private mutating func add(_ track: Track, number: Int, isReference: Bool) {
        guard let location = track.location else { return }
        lines.append(
            PlaylistFile.Line(
                location: location, title: track.name, duration: track.duration, number: number, isReference: isReference))
    }

    /// Whether more lines have been read than a playlist file may have, so that reading can end.
    private var isFull: Bool { lines.count > PlaylistFile.maximumCount }

    /// Reads an XSPF document (https://www.xspf.org/spec): the location, title, creator and duration (in milliseconds) of each track.
    static func xspf(_ text: ArraySlice<UInt8>) -> TrackList {
        var list = TrackList()
        var reader = TagReader(text)
        var track: Track?
        var number = 0
        // The name of the element, inside a track, whose text is being read; nil outside such an element.
        var element: String?
        var content: [UInt8] = []
        while !list.isFull, let token = reader.next() {
            switch token {
            case .start(name: "track", attributes: _):
                (track, element) = (Track(), nil)
                number += 1
            case .start(let name, attributes: _) where track != nil: (element, content) = (name, [])
            case .end(name: "track"):
                if let track { list.add(track, number: number, isReference: true) }
                track = nil
            case .end(let name) where name == element:
                let value = ListText.trimmed(content[...])
                switch name {
                case "location" where !value.isEmpty: track?.locations.append(ListText.string(value))
                case "title": track?.title = Array(value)
                case "creator": track?.creator = Array(value)
                case "duration": track?.duration = ListText.seconds(value).map { $0 / 1000 }
                default: break
                }
                element = nil
            case .text(let bytes) where element != nil && content.count < maximumTextLength: content += bytes
            default: break
            }
        }
        list.declaresType = reader.declaresType
        if list.declaresType { list.lines = [] }
        return list
    }

    /// Reads an ASX document: each `entry` with its `ref` elements, of which one is used; each `ref` outside an entry; and each `entryref`, which
    /// names another playlist. The element `base` gives a prefix for the locations of its entry; outside an entry, for all later locations of entries
    /// without a `base` of their own.
    static func asx(_ text: ArraySlice<UInt8>) -> TrackList {
        var list = TrackList()
        var reader = TagReader(text)
        var track: Track?
        var number = 0
        var bases: (all: String, entry: String?) = ("", nil)
        var isTitle = false
        while !list.isFull, let token = reader.next() {
            switch token {
            case .start(let name, let attributes):
                isTitle = name == "title"
                let address = attributes.first { $0.name == "href" }?.value ?? ""
                switch name {
                case "entry":
                    // Some entries have no end tag.
                    if let track { list.add(track, number: number, isReference: true) }
                    (track, bases.entry) = (Track(), nil)
                    number += 1
                case "ref" where !address.isEmpty:
                    let location = located(address, bases.entry ?? bases.all)
                    if track != nil { track?.locations.append(location) } else { list.addAlone(location, &number) }
                case "entryref" where !address.isEmpty: list.addAlone(located(address, bases.all), &number)
                case "base" where track != nil: bases.entry = address
                case "base": bases.all = address
                case "duration": track?.duration = attributes.first { $0.name == "value" }.flatMap { seconds(Array($0.value.utf8)[...]) }
                default: break
                }
            case .end(name: "entry"):
                if let track { list.add(track, number: number, isReference: true) }
                track = nil
            case .end: isTitle = false
            case .text(let bytes) where isTitle && (track?.title.count ?? .max) < maximumTextLength: track?.title += bytes
            case .text: break
            }
        }
        if let track { list.add(track, number: number, isReference: true) }
        list.declaresType = reader.declaresType
        if list.declaresType { list.lines = [] }
        return list
    }

    /// Adds a location outside an entry.
    private mutating func addAlone(_ location: String, _ number: inout Int) {
        number += 1
        lines.append(PlaylistFile.Line(location: location, number: number, isReference: true))
    }

    /// Returns the location `address`, with `base` in front of it unless `address` has a scheme.
    private static func located(_ address: String, _ base: String) -> String {
        let address = ListText.string(ListText.trimmed(Array(address.utf8)[...]))
        let scheme = address.utf8.prefix { $0.isASCIILetter }
        return base.isEmpty || address.utf8.dropFirst(scheme.count).starts(with: "://".utf8) ? address : base + address
    }

    /// Returns the seconds of a duration `hours:minutes:seconds`, `minutes:seconds` or `seconds`; nil if it has another form.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
        let parts = text.prefix(64).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var total = 0.0
        for part in parts {
            guard let value = ListText.seconds(part) else { return nil }
            total = total * 60 + value
        }
        return total
    }
}
