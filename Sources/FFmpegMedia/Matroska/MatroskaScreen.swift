import PlaybackEngine

/// Examines the header of a Matroska file before FFmpeg reads it, because a hostile header can cost FFmpeg much memory and time. FFmpeg allocates
/// memory for each element, even for an empty one. The time in which it builds its lists of tags and chapters grows with the square of their length.
/// The data for the decoder ("CodecPrivate") may be compressed: 5 KB can expand to 10 MB.
///
/// The elements up to the first cluster (a block of audio) are examined, and those that the file's index ("SeekHead") names. FFmpeg keeps no others.
///
/// If there are too many elements that playback does not need, they are hidden from FFmpeg: tags, chapters, attachments, cues. If there are too many
/// that playback needs, the medium is refused. Malformed elements are refused too, because FFmpeg then interprets the bytes inside them as elements.
struct MatroskaScreen {
    private typealias Schema = MatroskaSchema

    private var reader: EBMLReader
    /// The replacements for single bytes of the Matroska file, by the offset of the replaced byte.
    private(set) var patches: [Int64: UInt8] = [:]
    /// The offsets of cues (the index for seeks) in a server's Matroska file that have not been examined; FFmpeg reads them when it seeks.
    private(set) var cues: [Int64] = []
    /// What the examined elements say about chapters and tags.
    private(set) var facts = MatroskaFacts()

    /// The maximum number of elements of a header that are examined, without cues. 8,192 chapters of 10 elements have 82,000, 8,192 tags of 6 have
    /// 49,000, 256 tracks of 40 and 256 attachments of 6 have 12,000. A header with all of them at once has 143,000.
    private static let elementLimit = 144 << 10
    /// The maximum size of cues (the index for seeks), in bytes. In 72 hours with a cue every 5 seconds they have 1 MB. FFmpeg needs up to 24 times
    /// as much memory.
    static let cueLimit: Int64 = 2 << 20
    private static let trackLimit = DemuxerPolicy.streamLimit
    /// The maximum numbers of tags, chapters and attachments that FFmpeg may keep. `Metadata` uses at most 512 of the tags, and all of the chapters.
    private static let tagLimit = 8192, chapterLimit = Metadata.chapterLimit, fileLimit = 256
    /// The maximum number of copies of tags that FFmpeg makes: one for each track, chapter or attachment with the number that a tag names.
    private static let copyLimit = 8192
    /// The maximum numbers of bytes that FFmpeg may keep: of text and data in tracks, tags and chapters, and of attached pictures (only one of them
    /// is shown).
    private static let textLimit: Int64 = 16 << 20, pictureLimit: Int64 = 32 << 20
    /// The maximum number of elements to which FFmpeg jumps, because "SeekHead" names them.
    private static let targetLimit = 64
    private static let depthLimit = 16
    /// The limits for elements in a server's file that are far from its beginning, in bytes: the size of the largest one that is kept for FFmpeg, and
    /// of the part that is read first.
    private static let keptElementLimit: Int64 = 1 << 20, keptStep: Int64 = 1 << 16

    /// Examines the header of the Matroska file that begins at byte `start` of `source`. Does nothing if the medium is not a Matroska file.
    ///
    /// Errors: those of the byte source, `cancelled`, `corruptMedia`.
    init(_ source: HeadSource, at start: Int64) throws(PlaybackError) {
        reader = EBMLReader(source)
        guard let header = try reader.head(start), header.id == Schema.header else { return }
        guard let size = header.size, let body = try reader.head(start + header.length + size), body.id == Schema.segment else { throw .malformed }
        let contentStart = start + header.length
        guard try walk(Schema.header, contentStart, contentStart + size, depth: 1) == .whole else { throw .malformed }
        segment = contentStart + size + body.length
        try walkSegment(to: body.size.map { segment + $0 })
        if reader.source.isSeekable { try walkTargets() }
        if kept.tags * (numbers.values.max() ?? 1) > MatroskaScreen.copyLimit {
            for offset in tagOffsets { try hide(offset, Schema.tags) }
        }
    }

    // MARK: State

    /// The byte offset of the segment's content, from which Matroska counts the positions of elements.
    private var segment: Int64 = 0
    private var elements = 0, tracks = 0
    /// The numbers of examined elements that FFmpeg keeps in memory, and the sizes of their content.
    private struct Kept {
        var tags = 0, chapters = 0, files = 0
        /// The numbers of bytes that FFmpeg keeps of text and data, and of attached pictures.
        var text: Int64 = 0, pictures: Int64 = 0
    }
    private var kept = Kept()
    private var tagOffsets: [Int64] = []
    /// The number of tracks, chapters and attachments for each identifying number (UID).
    private var numbers: [UInt64: Int] = [:]

    private struct Element: Hashable {
        let id: UInt32
        let position: Int64
    }
    private struct Walked {
        private(set) var elements: Set<Element> = []
        private(set) var kinds: Set<UInt32> = []

        mutating func insert(_ element: Element) {
            elements.insert(element)
            kinds.insert(element.id)
        }
    }
    private var walked = Walked()
    /// The entries of "SeekHead": the element that an entry names, and the byte offset of the last four bytes of the element's identifier in it.
    private var seeks: [(element: Element, name: Int64)] = []

    private struct Track {
        var hasPrivate = false, isCompressed = false
    }
    private struct Encoding {
        var scopes: UInt64 = 0, types: Set<UInt64> = [], algorithms: Set<UInt64> = []
        /// Header stripping (algorithm 3) adds only bytes that are in the file, so it does not count as compression.
        var compressesPrivate: Bool { scopes & 2 != 0 && (types.isEmpty || types.contains(0)) && algorithms != [3] }
    }
    private struct File {
        var size: Int64 = 0, isPicture = false
    }
    private struct Seek {
        var id = UInt64.max, position = UInt64.max
        /// The byte offset at which the entry stores the last four bytes of an element's identifier.
        var name: Int64 = 0
    }
    /// The elements whose content is being examined.
    private struct Current {
        var track = Track(), encoding = Encoding(), file = File(), seek = Seek()
    }
    private var current = Current()

    private enum Outcome { case whole, malformed, hidden }

    /// Returns whether `bytes` begin with the head of a Cues element that is small enough for FFmpeg to read (at most `cueLimit`).
    static func isCues(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let element = EBMLHead(bytes), let size = element.size else { return false }
        return element.id == Schema.cues && size <= cueLimit
    }

    // MARK: Walking

    /// Examines the elements of the segment up to the first cluster. `end` is the byte offset at which the segment ends; nil if it is unknown.
    private mutating func walkSegment(to end: Int64?) throws(PlaybackError) {
        var at = segment
        while true {
            guard at < end ?? .max, let element = try reader.head(at) else { throw .malformed }
            if element.id == Schema.cluster { return }
            guard let size = element.size, at + element.length + size <= end ?? .max else { throw .malformed }
            guard try walkTop(element, size, at) else { throw .malformed }
            at += element.length + size
        }
    }

    /// Examines the elements that "SeekHead" names, as FFmpeg does when it jumps to them. FFmpeg ignores a malformed element among them, so such an
    /// element is hidden from FFmpeg, and the medium is not refused.
    private mutating func walkTargets() throws(PlaybackError) {
        var number = 0, count = 0
        while number < seeks.count {
            let (target, name) = seeks[number]
            number += 1
            if target.id == Schema.cluster || walked.elements.contains(target) { continue }
            if target.id != Schema.seekHead, target.id != Schema.tags, walked.kinds.contains(target.id) { continue }
            count += 1
            guard count <= MatroskaScreen.targetLimit else { throw .overlarge }
            if target.id == Schema.cues {
                // In a server's file the cues are far from the beginning, and reading them would cost a request.
                if reader.source.isRemote, !reader.source.isKept(target.position) {
                    cues.append(target.position)
                } else if try !MatroskaScreen.isCues(reader.bytes(target.position, EBMLHead.maximumLength)) {
                    // The entry is changed so that it names a cluster, because FFmpeg skips entries that name clusters.
                    for (byte, at) in zip([0x1F, 0x43, 0xB6, 0x75] as [UInt8], name...) { patches[at] = byte }
                }
                continue
            }
            if let length = reader.source.length, target.position >= length { continue }
            try reader.source.keep(target.position, count: MatroskaScreen.keptStep)
            guard let element = try reader.head(target.position), Schema.kind(of: element.id, in: Schema.segment) == .master else { continue }
            guard let size = element.size else { throw .malformed }
            let contentEnd = target.position + element.length + size, next = target.position + MatroskaScreen.keptStep
            if size <= MatroskaScreen.keptElementLimit, next < contentEnd { try reader.source.keep(next, count: contentEnd - next) }
            if try !walkTop(element, size, target.position) { try hide(target.position, element.id) }
            walked.insert(target)
        }
    }

    /// Examines the element of the segment at the byte offset `at`, whose content has `size` bytes; returns false if it is malformed.
    private mutating func walkTop(_ element: EBMLHead, _ size: Int64, _ at: Int64) throws(PlaybackError) -> Bool {
        guard let kind = Schema.kind(of: element.id, in: Schema.segment) else { return try pass(size, at, element) }
        try count(element.id)
        guard kind == .master else { return true }
        known(at)
        walked.insert(Element(id: element.id, position: at))
        if element.id == Schema.tags { tagOffsets.append(at) }
        if element.id == Schema.cues, size > MatroskaScreen.cueLimit {
            try hide(at, element.id)
            return true
        }
        let before = kept
        let contentStart = at + element.length
        switch try walk(element.id, contentStart, contentStart + size, depth: 2, isCues: element.id == Schema.cues) {
        case .whole:
            if size <= MatroskaScreen.keptElementLimit { try facts.read(element.id, contentStart..<(contentStart + size), &reader) }
            return true
        case .malformed: return false
        case .hidden:
            // A hidden element does not count against the limits: the next element of the same kind may be small.
            kept = before
            try hide(at, element.id)
            return true
        }
    }

    /// Examines the content of the element `parent`, between the byte offsets `start` and `end`. If `isCues` is true, the elements are not counted.
    private mutating func walk(
        _ parent: UInt32, _ start: Int64, _ end: Int64, depth: Int, isCues: Bool = false
    ) throws(PlaybackError) -> Outcome {
        guard depth <= MatroskaScreen.depthLimit else { return .malformed }
        var at = start
        while at < end {
            guard let element = try reader.head(at), let size = element.size, size <= end - at - element.length else { return .malformed }
            if !isCues { try count(element.id) }
            let contentStart = at + element.length, contentEnd = contentStart + size
            if let kind = Schema.kind(of: element.id, in: parent) {
                // An attached file that is too large for FFmpeg is hidden (`finish`), and the medium is not refused.
                guard kind.fits(size) || element.id == Schema.fileData && reader.source.isSeekable else { return .malformed }
                known(at)
                switch kind {
                case .master:
                    begin(element.id)
                    guard !isOver else { return .hidden }
                    let outcome = try walk(element.id, contentStart, contentEnd, depth: depth + 1, isCues: isCues)
                    guard outcome == .whole else { return outcome }
                    try finish(element.id, at)
                case .number: if !isCues { try note(element.id, size, contentStart) }
                case .text, .data: try note(element.id, content: size, contentStart)
                case .real, .ignored: break
                }
                guard !isOver else { return .hidden }
            } else if try !pass(size, at, element) {
                return .malformed
            }
            at = contentEnd
        }
        return .whole
    }

    /// Whether the elements that playback does not need exceed the numbers or the size that FFmpeg may keep.
    private var isOver: Bool {
        kept.tags > MatroskaScreen.tagLimit || kept.chapters > MatroskaScreen.chapterLimit || kept.files > MatroskaScreen.fileLimit
            || kept.text > MatroskaScreen.textLimit
    }

    private mutating func count(_ id: UInt32) throws(PlaybackError) {
        elements += 1
        guard elements <= MatroskaScreen.elementLimit else { throw .overlarge }
    }

    private mutating func begin(_ id: UInt32) {
        switch id {
        case Schema.track: current.track = Track()
        case Schema.encoding: current.encoding = Encoding()
        case Schema.file:
            current.file = File()
            kept.files += 1
        case Schema.chapter: kept.chapters += 1
        case Schema.simpleTag: kept.tags += 1
        case Schema.seek: current.seek = Seek()
        default: break
        }
    }

    private mutating func finish(_ id: UInt32, _ at: Int64) throws(PlaybackError) {
        switch id {
        case Schema.track:
            tracks += 1
            guard tracks <= MatroskaScreen.trackLimit else { throw .overlarge }
            guard !current.track.hasPrivate || !current.track.isCompressed else {
                throw PlaybackError(.corruptMedia, "The decoder's data in the medium's header is compressed, which is not supported.")
            }
        case Schema.encoding: if current.encoding.compressesPrivate { current.track.isCompressed = true }
        case Schema.file:
            // Attached files other than pictures, such as fonts, are not used. If the medium cannot seek, they cannot be hidden, and are read
            // all the same.
            let file = current.file
            let isWanted = file.isPicture && file.size <= Int64(Metadata.artworkLimit) || !reader.source.isSeekable
            if isWanted, kept.pictures + file.size <= MatroskaScreen.pictureLimit { kept.pictures += file.size } else { try hide(at, id) }
        case Schema.seek:
            let seek = current.seek
            guard seek.position <= UInt64(Int64.max - segment), let id = UInt32(exactly: seek.id) else { break }
            seeks.append((Element(id: id, position: segment + Int64(seek.position)), seek.name))
        default: break
        }
    }

    private mutating func note(_ id: UInt32, _ size: Int64, _ at: Int64) throws(PlaybackError) {
        switch id {
        case Schema.encodingScope: current.encoding.scopes |= try reader.number(size, at) ?? 1
        case Schema.encodingType: current.encoding.types.insert(try reader.number(size, at) ?? 0)
        case Schema.algorithm: current.encoding.algorithms.insert(try reader.number(size, at) ?? 0)
        case Schema.trackUID, Schema.chapterUID, Schema.fileUID: numbers[try reader.number(size, at) ?? 0, default: 0] += 1
        case Schema.seekID:
            current.seek.id = try reader.number(size, at) ?? 0
            current.seek.name = at + size - 4
        case Schema.seekPosition: current.seek.position = try reader.number(size, at) ?? .max
        default: break
        }
    }

    private mutating func note(_ id: UInt32, content size: Int64, _ at: Int64) throws(PlaybackError) {
        switch id {
        case Schema.fileData: current.file.size = size
        case Schema.fileType: current.file.isPicture = try reader.bytes(at, 6).elementsEqual("image/".utf8)
        default:
            if id == Schema.codecPrivate, size > 0 { current.track.hasPrivate = true }
            kept.text += size
        }
    }

    /// Makes FFmpeg skip the element at the byte offset `at`: its identifier `id` is replaced by one that FFmpeg does not know.
    private mutating func hide(_ at: Int64, _ id: UInt32) throws(PlaybackError) {
        let isNeeded = [Schema.info, Schema.tracks, Schema.seekHead].contains(id)
        // If the medium cannot seek, FFmpeg does not skip a large element, so the medium is refused.
        guard reader.source.isSeekable, !isNeeded else { throw .overlarge }
        let last = at + (id > 0xFFFF ? 3 : 1)
        patches[last] = UInt8(truncatingIfNeeded: id) ^ 0x0F
    }

    // MARK: Elements that FFmpeg does not know

    private var unknown: Int64 = 0, lastKnown: Int64 = 0

    private mutating func known(_ at: Int64) {
        unknown = 0
        lastKnown = at
    }

    /// Returns whether FFmpeg skips the unknown element at the byte offset `at`, whose content has `size` bytes. If FFmpeg cannot seek back, it
    /// treats large unknown elements, or many of them, as damage.
    private mutating func pass(_ size: Int64, _ at: Int64, _ element: EBMLHead) throws(PlaybackError) -> Bool {
        try count(element.id)
        guard !reader.source.isSeekable, element.id != 0xEC, element.id != 0xBF else { return true }
        var distance = size + unknown * 50 * 1024
        unknown += 1
        if unknown > 3 { distance += at + element.length - lastKnown }
        return distance <= 1 << 20
    }
}

extension PlaybackError {
    fileprivate static var malformed: PlaybackError { PlaybackError(.corruptMedia, "The header of this Matroska medium is damaged.") }
    fileprivate static var overlarge: PlaybackError {
        PlaybackError(.corruptMedia, "The header of this Matroska medium has too many elements.")
    }
}
