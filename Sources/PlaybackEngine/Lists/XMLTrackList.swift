import Platform

/// The tracks of an XSPF or ASX playlist.
struct XMLTrackList {
    private(set) var lines: [PlaylistFile.Line] = []
    private(set) var declaresType = false

    private struct Track {
        /// The location that is used; the others are alternatives: the first http or https URL, or else the first location.
        private(set) var location: String?
        var title: [UInt8] = []
        var creator: [UInt8] = []
        var duration: Double?

        mutating func add(location other: String) {
            func isRemote(_ location: String) -> Bool { ListText.begins(Array(location.utf8.prefix(4))[...], "http") }
            if location.map({ !isRemote($0) && isRemote(other) }) ?? true { location = other }
        }

        /// The creator and the title, as far as the track has them.
        var name: String? {
            let parts = [creator, title].map { ListText.trimmed($0[...]) }.filter { !$0.isEmpty }.map(ListText.string)
            return parts.isEmpty ? nil : parts.joined(separator: " - ")
        }
    }

    /// The greatest length of a text between tags, in bytes.
    private static let maximumTextLength = 16 << 10
    /// The greatest length of a prefix for locations (`base` of ASX), in bytes. A longer one is ignored, because each location would contain it.
    private static let maximumBaseLength = 1 << 10

    private mutating func add(_ track: Track, number: Int, isReference: Bool) {
        guard let location = track.location else { return }
        lines.append(
            PlaylistFile.Line(
                location: location, title: track.name, duration: track.duration, number: number, isReference: isReference))
    }

    private var isFull: Bool { lines.count > PlaylistFile.maximumCount }

    /// Reads XSPF (https://www.xspf.org/spec), whose durations are in milliseconds.
    static func xspf(_ text: ArraySlice<UInt8>) -> XMLTrackList {
        var list = XMLTrackList()
        var reader = TagReader(text)
        var track: Track?
        var number = 0
        // The element inside a track whose text is being read.
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
                case "location" where !value.isEmpty: track?.add(location: ListText.string(value))
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

    /// Reads each `entry` with one of its `ref` elements, each `ref` outside, and each `entryref`, which names another playlist. `base` states a
    /// prefix for the locations of its entry; outside an entry, for those of all later entries without a `base`.
    static func asx(_ text: ArraySlice<UInt8>) -> XMLTrackList {
        var list = XMLTrackList()
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
                let base = address.utf8.count <= maximumBaseLength ? address : ""
                switch name {
                case "entry":
                    // Some entries have no end tag.
                    if let track { list.add(track, number: number, isReference: true) }
                    (track, bases.entry) = (Track(), nil)
                    number += 1
                case "ref" where !address.isEmpty:
                    let location = located(address, bases.entry ?? bases.all)
                    if track != nil { track?.add(location: location) } else { list.addAlone(location, &number) }
                case "entryref" where !address.isEmpty: list.addAlone(located(address, bases.all), &number)
                case "base" where track != nil: bases.entry = base
                case "base": bases.all = base
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

    private mutating func addAlone(_ location: String, _ number: inout Int) {
        number += 1
        lines.append(PlaylistFile.Line(location: location, number: number, isReference: true))
    }

    /// The address after the prefix `base`, unless the address has a scheme.
    private static func located(_ address: String, _ base: String) -> String {
        let address = ListText.string(ListText.trimmed(Array(address.utf8)[...]))
        let scheme = address.utf8.prefix { $0.isASCIILetter }
        return base.isEmpty || address.utf8.dropFirst(scheme.count).starts(with: "://".utf8) ? address : base + address
    }

    /// Parses `hours:minutes:seconds`, `minutes:seconds` or `seconds`.
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
