import CFFmpeg
import Glibc
import PlaybackEngine

/// The tracks of an MP4 or QuickTime header (ISO 14496-12), with edit lists and exact lengths, because FFmpeg rounds them to the movie's time scale
/// (mostly 1 ms).
struct MovieHeader {
    struct Edit {
        /// The duration in ticks of the movie's time scale. In a fragmented file, 0 means that the edit lasts up to the end.
        var duration: Int64
        /// The start of the edit in the media, in ticks of the track's time scale; −1 if the edit is silence.
        var mediaTime: Int64
    }
    struct Track {
        var id: Int64 = 0
        var timeScale: Int64 = 0
        var isAudio = false
        /// The duration in ticks of the track's time scale; nil if the table of durations, or the sum of the durations, is too large.
        var mediaDuration: Int64?
        var edits: [Edit] = []
    }
    private(set) var timeScale: Int64 = 0
    private(set) var tracks: [Track] = []
    private(set) var isFragmented = false
    /// The counts in the sample tables, which determine the size of FFmpeg's index.
    private(set) var tables = MovieScreen()
    /// The sample tables of the only audio track; nil if FFmpeg reads the samples.
    private(set) var samples: SampleTables?
    /// The byte range of the first list of tags ("ilst") that is not that of a track; nil if there is none.
    private(set) var items: Range<Int64>?

    /// Returns where the recording begins and ends, in ticks of the track's time scale. Nil if there is no such track or no time scale, or if there
    /// are several edits (after initial silence) or implausible ones; then the header is not used (`isUnderstood`).
    func window(ofTrack id: Int64) -> RecordingWindow? {
        guard let track = tracks.first(where: { $0.id == id }), track.timeScale > 0, timeScale > 0 else { return nil }
        var lead: Int64 = 0, edits = track.edits[...]
        while let first = edits.first, first.mediaTime == -1 {
            guard let length = rescaled(first.duration, track) else { return nil }
            lead += length
            guard lead < MovieHeader.longest else { return nil }
            edits = edits.dropFirst()
        }
        guard edits.count <= 1 else { return nil }
        let start = edits.first?.mediaTime ?? 0
        guard start >= 0, start < MovieHeader.longest else { return nil }
        var end = isFragmented ? nil : track.mediaDuration
        if let edit = edits.first, edit.duration > 0, let media = end {
            guard let length = rescaled(edit.duration, track) else { return nil }
            let stated = start + length
            // If the end that the edit states differs from the end of the media by no more than the tolerance, the recording ends with the media.
            if stated < media - tolerance(track) { end = stated }
        }
        return RecordingWindow(origin: start - lead, end: end, media: isFragmented ? nil : track.mediaDuration)
    }

    /// The tolerance for the end of an edit, in ticks of the track's time scale: the durations of edits are rounded to the movie's time scale.
    private func tolerance(_ track: Track) -> Int64 { track.timeScale / timeScale + 1 }

    /// Converts the duration of an edit to ticks of the track's time scale; nil if it is longer than any recording.
    private func rescaled(_ duration: Int64, _ track: Track) -> Int64? {
        // On overflow FFmpeg returns a negative number.
        let length = av_rescale(duration, track.timeScale, timeScale)
        return (0..<MovieHeader.longest).contains(length) ? length : nil
    }
    private static let longest: Int64 = 1 << 40

    /// Whether FFmpeg must not apply the edits, because a track has more edits than any real file, or because FFmpeg would make too many index
    /// entries: one for each sample of each edit.
    var multipliesByEdits: Bool {
        tables.editCount > MovieScreen.editLimit || tables.editCount > 1 && tables.editedCount > 1 << 20
    }

    /// Whether `window(ofTrack:)` knows the recording of each audio track.
    var isUnderstood: Bool { tracks.filter(\.isAudio).allSatisfy { window(ofTrack: $0.id) != nil } }

    /// Finds the sample tables of the only audio track, if it is plain and has at least `threshold` samples. `tables` then counts only the entries
    /// that FFmpeg reads with the replacements `SampleTables.patches`.
    mutating func findSamples(_ io: IOContext, threshold: Int64) throws(PlaybackError) {
        guard isPresent, isWhole, !isFragmented, isUnderstood, let plain = tables.plainTrack(threshold: threshold) else { return }
        samples = try SampleTables(plain, io)
        if samples != nil { tables.hidePlainTrack() }
    }

    // MARK: Reading

    private var boxes = 0
    private static let boxLimit = 20_000
    private static let entryLimit: Int64 = 1 << 20

    /// Reads a header, and restores the offset of `io`.
    /// - Parameters:
    ///   - isSequential: Whether the medium can only be read in sequence, so that a header after the audio cannot be reached.
    ///   - requests: The plan of the requests for the header; nil if none is needed (`IndexRequests.init`).
    init(_ io: UnsafeMutablePointer<AVIOContext>, isSequential: Bool = false, requests: IndexRequests? = nil) {
        let before = avio_seek(io, 0, SEEK_CUR), size = avio_size(io)
        self.requests = requests
        defer { self.requests = nil }
        self.isSequential = isSequential
        guard before >= 0 else { return }
        walk(io, 0, size > 0 ? size : MovieHeader.longest, path: "", depth: 0)
        avio_seek(io, before, SEEK_SET)
    }

    private let isSequential: Bool
    private var requests: IndexRequests?
    /// Whether a header with a time scale and tracks was found.
    var isPresent: Bool { timeScale > 0 && !tracks.isEmpty }
    /// Whether all boxes that FFmpeg reads before the audio were visited; false also if a limit ended the search.
    private(set) var isWhole = true
    /// Returns whether the tables can be true in a file of `length` bytes (nil if unknown), of which at least `known` bytes exist.
    func fits(_ length: Int64?, known: Int64) -> Bool { tables.fits(length ?? max(1 << 22, size), known: known) }
    /// The size of the box "moov", in bytes; 0 if there is none.
    private var size: Int64 = 0

    /// Reads the boxes between the byte offsets `start` and `end`. `path` is the type of the enclosing box: "" for the file itself, "other" for types
    /// of no interest. `depth` is the number of enclosing boxes.
    private mutating func walk(_ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64, path: String, depth: Int) {
        // FFmpeg does not enter deeper boxes.
        guard depth <= 11 else { return }
        var at = start
        while end - at >= 8 {
            guard boxes < MovieHeader.boxLimit else {
                isWhole = false
                return
            }
            boxes += 1
            requests?.willRead(boxAt: at)
            guard avio_seek(io, at, SEEK_SET) == at else { return }
            var size = Int64(avio_rb32(io)), header: Int64 = 8
            let type = MovieHeader.name(avio_rb32(io))
            if size == 1 {
                size = Int64(bitPattern: avio_rb64(io))
                header = 16
            } else if size == 0 {
                size = end - at
            }
            guard size >= header, avio_feof(io) == 0 else { return }
            // FFmpeg limits the size in the same way.
            size = min(size, end - at)
            // A header of 16 bytes may end behind the box that contains it.
            let contentStart = at + header, contentEnd = at + max(header, size)
            at = contentEnd
            requests?.found(type, contentStart..<contentEnd, in: path)
            tables.visit(type, in: path, io, contentStart, contentEnd)
            if type == "ilst", items == nil { items = contentStart..<contentEnd }
            if type == "stsc" || type == "stsd" { continue }
            guard avio_seek(io, contentStart, SEEK_SET) == contentStart else { return }
            switch (path, type) {
            case ("", "mdat") where isSequential:
                isWhole = false
                return
            case ("", "moov"):
                self.size = size
                walk(io, contentStart, contentEnd, path: "moov", depth: depth + 1)
                // The boxes after "moov" are not needed, and there may be many of them.
                return
            case ("moov", "trak"):
                let found = items
                tracks.append(Track())
                walk(io, contentStart, contentEnd, path: "trak", depth: depth + 1)
                items = found
            case ("moov", "mvex"): isFragmented = true
            case ("trak", "mdia"), ("trak", "edts"), ("mdia", "minf"), ("minf", "stbl"):
                walk(io, contentStart, contentEnd, path: type, depth: depth + 1)
            case ("moov", "mvhd"): timeScale = MovieHeader.timeScale(io)
            case ("trak", "tkhd"):
                let version = avio_rb32(io) >> 24
                avio_skip(io, version == 1 ? 16 : 8)
                edit { $0.id = Int64(avio_rb32(io)) }
            case ("mdia", "mdhd"):
                let scale = MovieHeader.timeScale(io)
                edit { $0.timeScale = scale }
            case ("mdia", "hdlr"):
                avio_skip(io, 8)
                let kind = MovieHeader.name(avio_rb32(io))
                edit { $0.isAudio = kind == "soun" }
            case ("stbl", "stts"):
                let duration = MovieHeader.duration(io, size: contentEnd - contentStart)
                edit { $0.mediaDuration = duration }
            case ("edts", "elst"):
                let edits = MovieHeader.edits(io, size: contentEnd - contentStart)
                edit { $0.edits = edits }
            case (_, "meta"):
                // The first box in "meta" is "hdlr", at a multiple of four bytes from the start of the content.
                if let first = findHandler(io, contentStart, contentEnd) { walk(io, first - 4, contentEnd, path: "other", depth: depth + 1) }
            case ("", "free"), ("", "hoov"):
                // FFmpeg treats "free" or "hoov" as the movie if its content begins like one.
                avio_skip(io, 4)
                if ["mvhd", "cmov"].contains(MovieHeader.name(avio_rb32(io))) { walk(io, contentStart, contentEnd, path: "other", depth: depth + 1) }
            case ("", "moof"):
                // Later fragments are counted while FFmpeg reads them (`FragmentCounter`).
                if isSequential { return }
            case _ where MovieScreen.containers.contains(type): walk(io, contentStart, contentEnd, path: "other", depth: depth + 1)
            default: break
            }
        }
    }

    /// Returns the offset of the name "hdlr", at a multiple of four bytes from `start`; nil if it is not found. At the limit of searched bytes
    /// `isWhole` becomes false, because FFmpeg would continue the search.
    private mutating func findHandler(_ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) -> Int64? {
        var at = start
        while end - at >= 8, avio_feof(io) == 0 {
            guard searched < MovieHeader.searchLimit else {
                isWhole = false
                return nil
            }
            searched += 4
            // The number is the name "hdlr".
            if avio_rb32(io) == 0x6864_6C72 { return at }
            at += 4
        }
        return nil
    }
    private var searched = 0
    private static let searchLimit = 1 << 20

    private mutating func edit(_ change: (inout Track) -> Void) {
        guard !tracks.isEmpty else { return }
        change(&tracks[tracks.count - 1])
    }

    private static func timeScale(_ io: UnsafeMutablePointer<AVIOContext>) -> Int64 {
        let version = avio_rb32(io) >> 24
        avio_skip(io, version == 1 ? 16 : 8)
        return Int64(avio_rb32(io))
    }

    private static func duration(_ io: UnsafeMutablePointer<AVIOContext>, size: Int64) -> Int64? {
        avio_skip(io, 4)
        let count = Int64(avio_rb32(io))
        guard count <= min(entryLimit, (size - 8) / 8) else { return nil }
        var sum: Int64 = 0
        for _ in 0..<count {
            if avio_feof(io) != 0 { return nil }
            let samples = Int64(avio_rb32(io)), each = Int64(avio_rb32(io))
            let (product, tooLong) = samples.multipliedReportingOverflow(by: each)
            let (next, overflow) = sum.addingReportingOverflow(product)
            guard !tooLong, !overflow, next < 1 << 56 else { return nil }
            sum = next
        }
        return sum
    }

    private static func edits(_ io: UnsafeMutablePointer<AVIOContext>, size: Int64) -> [Edit] {
        let version = avio_rb32(io) >> 24
        let count = Int64(avio_rb32(io)), width: Int64 = version == 1 ? 20 : 12
        guard count <= min(MovieScreen.editLimit, (size - 8) / width) else { return [] }
        return (0..<count).map { _ in
            let duration = version == 1 ? Int64(bitPattern: avio_rb64(io)) : Int64(avio_rb32(io))
            let time = version == 1 ? Int64(bitPattern: avio_rb64(io)) : Int64(Int32(bitPattern: avio_rb32(io)))
            avio_skip(io, 4)
            return Edit(duration: max(0, min(duration, 1 << 40)), mediaTime: time)
        }
    }

    private static func name(_ code: UInt32) -> String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * UInt32($0))) }, as: UTF8.self)
    }
}

extension MovieHeader {
    /// Reads the header, and checks whether the tables can be true in a file of this size, because FFmpeg trusts them. Nil only if FFmpeg's
    /// context is closed.
    /// - Parameter threshold: The number of samples from which on an audio track's tables are read without FFmpeg.
    static func read(_ io: IOContext, _ source: HeadSource, threshold: Int64) throws(PlaybackError) -> MovieHeader? {
        var header: MovieHeader
        if source.isSeekable {
            guard let raw = io.raw else { return nil }
            header = MovieHeader(raw, requests: IndexRequests(io))
            try header.findSamples(io, threshold: threshold)
        } else {
            // FFmpeg can read the header again, because `source` keeps the first bytes.
            let offset = source.offset, ahead = try IOContext(source, interrupt: io.interrupt, goesBack: true)
            try source.seek(to: 0)
            guard let raw = ahead.raw else { return nil }
            header = MovieHeader(raw, isSequential: true)
            if let failure = ahead.failure { throw failure }
            ahead.close()
            try source.seek(to: offset)
            if !header.isPresent, !header.isWhole {
                throw PlaybackError(.notSeekable, "The medium's header follows its audio, and its server does not support seeking.")
            }
        }
        if io.interrupt.isRaised { throw .cancelled }
        if let failure = io.failure { throw failure }
        // The length does not include the holes of a sparse file. The length that a server states is trusted, because FFmpeg makes an index only
        // after the table has arrived.
        let length = source.presentStoredLength ?? source.length
        guard header.isWhole, header.fits(length, known: source.knownLength) else { throw .tooManySamples }
        return header
    }
}
