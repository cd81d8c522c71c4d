import PlaybackEngine

/// Walks the header of a Matroska file before FFmpeg does: up to the first cluster, and the elements that its index ("SeekHead") names. FFmpeg keeps
/// something of each element, however small. Its lists of tags and chapters cost the square of their length, and a decoder's data ("CodecPrivate")
/// may be compressed, 5 KB for 10 MB.
///
/// Too many elements that playback does not need are hidden: tags, chapters, attachments, cues. Too many others are refused. So are malformed
/// elements, because FFmpeg then takes the bytes inside elements for elements. After the first cluster FFmpeg keeps nothing.
struct MatroskaScreen {
    private typealias Schema = MatroskaSchema

    private let source: HeadSource
    private let interrupt: Interrupt
    /// The bytes to replace, by their offsets.
    private(set) var patches: [Int64: UInt8] = [:]
    /// The offsets of cues of a server's medium, which FFmpeg reads when it seeks.
    private(set) var cues: [Int64] = []

    /// Maximum number of elements that are walked, without cues: 4,096 chapters of 10, 8,192 tags of 6, 256 tracks of 40, and as many attachments of
    /// 6 are 102,000.
    private static let elementLimit = 1 << 17
    /// Maximum size of cues, in bytes: 72 hours with one cue for 5 seconds have 1 MB. FFmpeg takes up to 24 times as much.
    static let cueLimit: Int64 = 2 << 20
    private static let trackLimit = DemuxerPolicy.streamLimit
    /// Maximum numbers of tags, chapters and attachments in FFmpeg's lists. `Metadata` reads 512 tags, and 4,096 chapters.
    private static let tagLimit = 8192, chapterLimit = 4096, fileLimit = 256
    /// Maximum number of copies of tags that FFmpeg makes for tracks, chapters and attachments of the same number.
    private static let copyLimit = 8192
    /// The limits of bytes that FFmpeg keeps: of text and data in tracks, tags and chapters, and of attached pictures, of which one is shown.
    private static let textLimit: Int64 = 16 << 20, pictureLimit: Int64 = 32 << 20
    /// Maximum number of elements that FFmpeg jumps to.
    private static let targetLimit = 64
    private static let depthLimit = 16
    /// The largest distant element of a server's medium that is kept for FFmpeg, and the part of an element that is read first, in bytes.
    private static let islandLimit: Int64 = 1 << 20, islandStep: Int64 = 1 << 16

    /// Examines the medium that begins at byte `start` of `source`; does nothing if it is not a Matroska file.
    ///
    /// Errors: those of the source, `cancelled`, `corruptMedia`.
    init(_ source: HeadSource, at start: Int64, interrupt: Interrupt) throws(PlaybackError) {
        self.source = source
        self.interrupt = interrupt
        guard let header = try head(start), header.id == Schema.header else { return }
        guard let size = header.size, let body = try head(start + header.length + size), body.id == Schema.segment else { throw .malformed }
        let inside = start + header.length
        guard try walk(Schema.header, inside, inside + size, depth: 1) == .whole else { throw .malformed }
        segment = inside + size + body.length
        try walkSegment(to: body.size.map { segment + $0 })
        if source.isSeekable { try walkTargets() }
        if tagCount * (numbers.values.max() ?? 1) > MatroskaScreen.copyLimit {
            for place in tagPlaces { try hide(place, Schema.tags) }
        }
    }

    // MARK: State

    /// The offset of the segment's content, from which its positions count.
    private var segment: Int64 = 0
    private var elements = 0, tracks = 0, tagCount = 0, chapterCount = 0, fileCount = 0
    private var text: Int64 = 0, pictures: Int64 = 0
    private var tagPlaces: [Int64] = []
    /// How many tracks, chapters or attachments have each number.
    private var numbers: [UInt64: Int] = [:]
    /// The elements that were walked, and those that the index ("SeekHead") names.
    private var walked: Set<Place> = [], walkedKinds: Set<UInt32> = []
    private var seeks: [Place] = []
    private struct Place: Hashable {
        var id: UInt32
        var position: Int64
    }
    /// The offset of the last four bytes of each name in that index.
    private var seekNames: [Int64] = []

    private struct Track {
        var hasPrivate = false, isCompressed = false
    }
    private struct Encoding {
        var scopes: UInt64 = 0, types: Set<UInt64> = [], algorithms: Set<UInt64> = []
        /// Header stripping (3) only restores bytes that are in the file.
        var unfoldsPrivate: Bool { scopes & 2 != 0 && (types.isEmpty || types.contains(0)) && algorithms != [3] }
    }
    private struct File {
        var size: Int64 = 0, isPicture = false
    }
    private var track = Track(), encoding = Encoding(), file = File(), target = (id: UInt64.max, position: UInt64.max, name: Int64(0))

    private enum Outcome { case whole, malformed, hidden }

    /// Whether `bytes` begin with cues of a size that FFmpeg may read.
    static func isCues(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let element = EBMLHead(bytes), let size = element.size else { return false }
        return element.id == Schema.cues && size <= cueLimit
    }

    // MARK: Walking

    /// Walks the elements of the segment up to the first cluster.
    private mutating func walkSegment(to end: Int64?) throws(PlaybackError) {
        var at = segment
        while true {
            guard at < end ?? .max, let element = try head(at) else { throw .malformed }
            if element.id == Schema.cluster { return }
            guard let size = element.size, at + element.length + size <= end ?? .max else { throw .malformed }
            guard try walkTop(element, size, at) else { throw .malformed }
            at += element.length + size
        }
    }

    /// Walks the elements that the index names, as FFmpeg does when it jumps to them. FFmpeg ignores malformed ones.
    private mutating func walkTargets() throws(PlaybackError) {
        var number = 0, count = 0
        while number < seeks.count {
            let place = seeks[number]
            number += 1
            if place.id == Schema.cluster || walked.contains(place) { continue }
            if place.id != Schema.seekHead, place.id != Schema.tags, walkedKinds.contains(place.id) { continue }
            count += 1
            guard count <= MatroskaScreen.targetLimit else { throw .overlarge }
            if place.id == Schema.cues {
                // In a server's medium they are far away, and would cost a request.
                if source.isRemote, !source.isKept(place.position) {
                    cues.append(place.position)
                } else if try !MatroskaScreen.isCues(bytes(place.position, EBMLHead.most)) {
                    // FFmpeg skips entries that name clusters.
                    for (byte, at) in zip([0x1F, 0x43, 0xB6, 0x75] as [UInt8], seekNames[number - 1]...) { patches[at] = byte }
                }
                continue
            }
            if let length = source.length, place.position >= length { continue }
            try source.keep(place.position, count: MatroskaScreen.islandStep)
            guard let element = try head(place.position), Schema.kind(of: element.id, in: Schema.segment) == .master else { continue }
            guard let size = element.size else { throw .malformed }
            let behind = place.position + element.length + size, next = place.position + MatroskaScreen.islandStep
            if size <= MatroskaScreen.islandLimit, next < behind { try source.keep(next, count: behind - next) }
            if try !walkTop(element, size, place.position) { try hide(place.position, element.id) }
            walked.insert(place)
            walkedKinds.insert(place.id)
        }
    }

    /// Walks an element of the segment; false if it is malformed.
    private mutating func walkTop(_ element: EBMLHead, _ size: Int64, _ at: Int64) throws(PlaybackError) -> Bool {
        guard let kind = Schema.kind(of: element.id, in: Schema.segment) else { return try pass(size, at, element) }
        try count(element.id)
        guard kind == .master else { return true }
        known(at)
        walked.insert(Place(id: element.id, position: at))
        walkedKinds.insert(element.id)
        if element.id == Schema.tags { tagPlaces.append(at) }
        if element.id == Schema.cues, size > MatroskaScreen.cueLimit {
            try hide(at, element.id)
            return true
        }
        let before = (tagCount, chapterCount, fileCount, text, pictures)
        let inside = at + element.length
        switch try walk(element.id, inside, inside + size, depth: 2, isCues: element.id == Schema.cues) {
        case .whole: return true
        case .malformed: return false
        case .hidden:
            // The next element of this kind may be small.
            (tagCount, chapterCount, fileCount, text, pictures) = before
            try hide(at, element.id)
            return true
        }
    }

    /// Walks the content of element `parent`.
    private mutating func walk(
        _ parent: UInt32, _ start: Int64, _ end: Int64, depth: Int, isCues: Bool = false
    ) throws(PlaybackError) -> Outcome {
        guard depth <= MatroskaScreen.depthLimit else { return .malformed }
        var at = start
        while at < end {
            guard let element = try head(at), let size = element.size, size <= end - at - element.length else { return .malformed }
            if !isCues { try count(element.id) }
            let inside = at + element.length, behind = inside + size
            if let kind = Schema.kind(of: element.id, in: parent) {
                // An attached file that is too large for FFmpeg is hidden, not refused.
                guard kind.fits(size) || element.id == Schema.fileData && source.isSeekable else { return .malformed }
                known(at)
                switch kind {
                case .master:
                    begin(element.id)
                    guard !isOver else { return .hidden }
                    let outcome = try walk(element.id, inside, behind, depth: depth + 1, isCues: isCues)
                    guard outcome == .whole else { return outcome }
                    try finish(element.id, at)
                case .number: if !isCues { try note(element.id, size, inside) }
                case .text, .data: try note(element.id, content: size, inside)
                case .real, .ignored: break
                }
                guard !isOver else { return .hidden }
            } else if try !pass(size, at, element) {
                return .malformed
            }
            at = behind
        }
        return .whole
    }

    /// Whether there are more unneeded elements than FFmpeg may keep.
    private var isOver: Bool {
        tagCount > MatroskaScreen.tagLimit || chapterCount > MatroskaScreen.chapterLimit || fileCount > MatroskaScreen.fileLimit
            || text > MatroskaScreen.textLimit
    }

    private mutating func count(_ id: UInt32) throws(PlaybackError) {
        elements += 1
        guard elements <= MatroskaScreen.elementLimit else { throw .overlarge }
    }

    private mutating func begin(_ id: UInt32) {
        switch id {
        case Schema.track: track = Track()
        case Schema.encoding: encoding = Encoding()
        case Schema.file:
            file = File()
            fileCount += 1
        case Schema.chapter: chapterCount += 1
        case Schema.simpleTag: tagCount += 1
        case Schema.seek: target = (.max, .max, 0)
        default: break
        }
    }

    private mutating func finish(_ id: UInt32, _ at: Int64) throws(PlaybackError) {
        switch id {
        case Schema.track:
            tracks += 1
            guard tracks <= MatroskaScreen.trackLimit else { throw .overlarge }
            guard !track.hasPrivate || !track.isCompressed else {
                throw PlaybackError(.corruptMedia, "The decoder's data in the medium's header is compressed, which is not supported.")
            }
        case Schema.encoding: if encoding.unfoldsPrivate { track.isCompressed = true }
        case Schema.file:
            // Fonts and other files are not used. If the medium cannot be positioned, they must be read nevertheless.
            let isWanted = file.isPicture && file.size <= Int64(Metadata.artworkLimit) || !source.isSeekable
            if isWanted, pictures + file.size <= MatroskaScreen.pictureLimit { pictures += file.size } else { try hide(at, id) }
        case Schema.seek:
            guard target.position <= UInt64(Int64.max - segment), let id = UInt32(exactly: target.id) else { break }
            seekNames.append(target.name)
            seeks.append(Place(id: id, position: segment + Int64(target.position)))
        default: break
        }
    }

    private mutating func note(_ id: UInt32, _ size: Int64, _ at: Int64) throws(PlaybackError) {
        switch id {
        case Schema.encodingScope: encoding.scopes |= try number(size, at) ?? 1
        case Schema.encodingType: encoding.types.insert(try number(size, at) ?? 0)
        case Schema.algorithm: encoding.algorithms.insert(try number(size, at) ?? 0)
        case Schema.trackUID, Schema.chapterUID, Schema.fileUID: numbers[try number(size, at) ?? 0, default: 0] += 1
        case Schema.seekID:
            target.id = try number(size, at) ?? 0
            target.name = at + size - 4
        case Schema.seekPosition: target.position = try number(size, at) ?? .max
        default: break
        }
    }

    private mutating func note(_ id: UInt32, content size: Int64, _ at: Int64) throws(PlaybackError) {
        switch id {
        case Schema.fileData: file.size = size
        case Schema.fileType: file.isPicture = try bytes(at, 6).elementsEqual("image/".utf8)
        default:
            if id == Schema.codecPrivate, size > 0 { track.hasPrivate = true }
            text += size
        }
    }

    /// Makes FFmpeg skip an element, by a name that it does not know.
    private mutating func hide(_ at: Int64, _ id: UInt32) throws(PlaybackError) {
        // If a medium cannot be positioned, FFmpeg skips no large element.
        let isNeeded = [Schema.info, Schema.tracks, Schema.seekHead].contains(id)
        guard source.isSeekable, !isNeeded else {
            throw .overlarge
        }
        let last = at + (id > 0xFFFF ? 3 : 1)
        patches[last] = UInt8(truncatingIfNeeded: id) ^ 0x0F
    }

    // MARK: Elements that FFmpeg does not know

    private var unknown: Int64 = 0, lastKnown: Int64 = 0

    private mutating func known(_ at: Int64) {
        unknown = 0
        lastKnown = at
    }

    /// Whether FFmpeg skips an element that it does not know. If it cannot seek back, it takes many of them, or large ones, for damage.
    private mutating func pass(_ size: Int64, _ at: Int64, _ element: EBMLHead) throws(PlaybackError) -> Bool {
        try count(element.id)
        guard !source.isSeekable, element.id != 0xEC, element.id != 0xBF else { return true }
        var distance = size + unknown * 50 * 1024
        unknown += 1
        if unknown > 3 { distance += at + element.length - lastKnown }
        return distance <= 1 << 20
    }

    // MARK: Reading

    private var block: [UInt8] = [], blockStart: Int64 = 0
    private static let blockSize = 4096

    private mutating func head(_ at: Int64) throws(PlaybackError) -> EBMLHead? { EBMLHead(try bytes(at, EBMLHead.most)) }

    /// Returns a big-endian number; nil if it has no bytes.
    private mutating func number(_ size: Int64, _ at: Int64) throws(PlaybackError) -> UInt64? {
        size == 0 ? nil : try bytes(at, Int(size)).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns `count` bytes from `at` on, fewer at the end.
    private mutating func bytes(_ at: Int64, _ count: Int) throws(PlaybackError) -> ArraySlice<UInt8> {
        guard at >= 0, at < Int64.max / 2 else { return [] }
        if at < blockStart || at + Int64(count) > blockStart + Int64(block.count) {
            if interrupt.isRaised { throw .cancelled }
            block = try source.bytes(at..<(at + Int64(MatroskaScreen.blockSize)))
            blockStart = at
        }
        let start = Int(at - blockStart)
        return block[start..<min(block.count, start + count)]
    }
}

extension PlaybackError {
    fileprivate static var malformed: PlaybackError { PlaybackError(.corruptMedia, "The header of this Matroska medium is damaged.") }
    fileprivate static var overlarge: PlaybackError {
        PlaybackError(.corruptMedia, "The header of this Matroska medium has too many elements.")
    }
}
