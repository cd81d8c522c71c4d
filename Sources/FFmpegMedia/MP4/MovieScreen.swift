import CFFmpeg
import PlaybackEngine

/// Counts the entries that FFmpeg's index gets from the tables of an MP4 or QuickTime header (ISO 14496-12, 8.7; QuickTime File Format, "Sample
/// Tables"), to refuse impossible counts before FFmpeg allocates memory for them. If all samples of a track have one size, the table of sizes has a
/// count but no entries: 20 bytes of a file can ask for gigabytes of memory.
///
/// Tables are counted anywhere in the header, because FFmpeg obeys them anywhere.
struct MovieScreen {
    private struct Track {
        var sampleCount: Int64?
        /// Whether the track's table of sizes has a size for each sample, instead of one size for all samples.
        var hasOwnSizes = false
        var kind = SampleDescriptions.Kind.other
        var isAudio: Bool { kind == .sound }
        /// The minimum number of samples that FFmpeg combines in one index entry of a chunk; nil until the sample descriptions have been read.
        var samplesPerEntry: Int64?
        /// The number of edits in the track's edit list.
        var editCount: Int64 = 0
        /// The number that identifies the track in the file; nil if there is none.
        var id: Int64?
        /// Whether all samples of the track last one tick; nil until the table of durations has been read. FFmpeg makes index entries for chunks
        /// instead of samples if this is true of an audio track.
        var isUniform: Bool?
        var chunkCount: Int64?
        /// The runs of chunks with an equal number of samples: the number of a run's first chunk, counted from 1, and the number of samples in each
        /// of its chunks; nil until the table of runs has been read.
        var runs: [(first: Int64, samples: Int64)]?
        /// The byte ranges of the sample tables.
        var boxes = SampleTableBoxes()
        /// Whether the only sample description of the track is of AAC or ALAC (`SampleDescriptions.isPlain`).
        var isPlain = false
    }
    private var tracks: [Track] = []
    /// Whether the header has a table that no program writes: a second one of a kind in a track, a compressed one, one inside a sample description,
    /// or one with more entries than its bytes allow.
    private var isMalformed = false

    /// The number of index entries that FFmpeg may always make for a medium, however short the medium is.
    private static let guaranteedEntries: Int64 = 1 << 16
    /// The maximum number of FFmpeg's index entries for one medium: 72 hours at 48 kHz are 12 million packets. FFmpeg needs 24 bytes of memory for an
    /// index entry, and up to 48 while it reads the table.
    static let entryLimit: Int64 = 1 << 24
    /// The maximum number of index entries that may follow from a count alone while the medium's bytes do not confirm it: 24 MiB in FFmpeg's index.
    private static let unconfirmedLimit: Int64 = 1 << 20
    /// The minimum sizes of a sample in the file, in bytes: of a sample whose size is in the table (this entry alone has four bytes), and of a sample
    /// of constant size. No codec has smaller packets.
    private static let bytesPerSample: Int64 = 4, bytesPerPacket: Int64 = 8
    /// The minimum number of samples that FFmpeg combines in one index entry of a chunk, if the sample descriptions do not state another number.
    private static let samplesPerEntry: Int64 = 160
    /// The maximum number of edits of a track that are examined one by one.
    static let editLimit: Int64 = 1024

    /// The names of the boxes that FFmpeg enters anywhere in the file.
    static let containers: Set<String> = [
        "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "mvex", "udta", "tref", "sinf", "schi", "wave", "ilst", "moof", "traf",
    ]

    /// The maximum number of entries that FFmpeg's index gets from the tables.
    var entryCount: Int64 { sum { MovieScreen.entryCount(of: $0) } }

    /// The number of FFmpeg's index entries that follow from a count alone, without bytes in a table: of samples of one size, and of parts of chunks.
    var unconfirmedCount: Int64 {
        sum { track in
            let backed = (track.hasOwnSizes ? track.sampleCount ?? 0 : 0) + (track.isUniform == true ? track.chunkCount ?? 0 : 0)
            return max(0, MovieScreen.entryCount(of: track) - backed)
        }
    }

    /// The maximum number of entries of FFmpeg's index if FFmpeg obeys the edit lists: one for each sample of each edit.
    var editedCount: Int64 {
        sum { track in
            let (count, overflow) = MovieScreen.entryCount(of: track).multipliedReportingOverflow(by: max(1, track.editCount))
            return overflow ? .max : count
        }
    }
    /// The largest number of edits in one track.
    var editCount: Int64 { tracks.reduce(0) { max($0, $1.editCount) } }

    var trackCount: Int { tracks.count }
    /// The numbers that identify the tracks in the file; nil if a track has none.
    var ids: Set<Int64>? {
        let ids = Set(tracks.compactMap(\.id))
        return tracks.contains { $0.id == nil } ? nil : ids
    }

    /// Returns the tables of the file's only audio track, if the track has at least `threshold` samples and these tables can be read in the file;
    /// otherwise nil. `SampleTables` then checks whether the tables are consistent.
    func plainTrack(threshold: Int64) -> SampleTables.Source? {
        guard let index = onlySound, let id = tracks[index].id, tracks.count(where: { $0.id == id }) == 1 else { return nil }
        let track = tracks[index], others = entryCount - MovieScreen.entryCount(of: track)
        guard !isMalformed, others <= MovieScreen.guaranteedEntries, track.isPlain, track.isUniform == false, track.hasOwnSizes,
            let count = track.sampleCount, count >= threshold
        else { return nil }
        return SampleTables.Source(track: id, count: count, boxes: track.boxes)
    }

    /// Records that FFmpeg reads only the first samples of the only audio track (`SampleTables.kept`).
    mutating func hidePlainTrack() {
        if let index = onlySound { tracks[index].sampleCount = SampleTables.kept }
    }

    /// The index in `tracks` of the only audio track; nil if there are several or none.
    private var onlySound: Int? {
        tracks.count(where: \.isAudio) == 1 ? tracks.firstIndex(where: \.isAudio) : nil
    }

    /// Returns whether the tables can be true in a file of `length` bytes, of which at least `known` bytes exist.
    func fits(_ length: Int64, known: Int64) -> Bool {
        let entryLimit = max(MovieScreen.guaranteedEntries, min(MovieScreen.entryLimit, length / MovieScreen.bytesPerSample))
        guard !isMalformed, entryCount <= entryLimit else { return false }
        return unconfirmedCount <= max(MovieScreen.unconfirmedLimit, known / MovieScreen.bytesPerPacket)
    }

    private func sum(_ count: (Track) -> Int64) -> Int64 {
        tracks.reduce(0) { sum, track in
            let (next, overflow) = sum.addingReportingOverflow(count(track))
            return overflow ? .max : next
        }
    }

    private static func entryCount(of track: Track) -> Int64 {
        let samples = track.sampleCount ?? 0
        guard track.isUniform == true else { return samples }
        return max(track.isAudio ? 0 : samples, entries(of: track))
    }

    /// Returns the number of FFmpeg's index entries for the chunks of an audio track whose samples last one tick each; `Int64.max` if the runs of
    /// chunks are impossible.
    private static func entries(of track: Track) -> Int64 {
        guard let runs = track.runs, let chunks = track.chunkCount else { return 0 }
        var sum: Int64 = 0
        for (number, run) in runs.enumerated() {
            let end = number + 1 < runs.count ? runs[number + 1].first : chunks + 1
            // Chunks are numbered from 1. If a run begins before the preceding run, FFmpeg's 32-bit count of index entries wraps around, so the file
            // must be refused.
            guard run.first >= 1, end >= run.first else { return .max }
            let (count, tooMany) = (end - run.first).multipliedReportingOverflow(by: run.samples / (track.samplesPerEntry ?? samplesPerEntry) + 1)
            let (next, overflow) = sum.addingReportingOverflow(count)
            if tooMany || overflow { return .max }
            sum = next
        }
        return sum
    }

    /// Examines the box `type` in the box `path`, whose content lies between the byte offsets `start` and `end`.
    mutating func visit(_ type: String, in path: String, _ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) {
        edit { $0.boxes.note(type, in: path, start, end) }
        switch type {
        case "trak": tracks.append(Track())
        case "cmov": isMalformed = true
        case "hdlr":
            avio_skip(io, 8)
            switch avio_rb32(io) {
            // The handler type "soun" of an audio track.
            case 0x736F_756E: edit { $0.kind = .sound }
            // The handler type "vide" of a video track.
            case 0x7669_6465: edit { $0.kind = .picture }
            // The handler types "subp" and "clcp" of subtitle tracks.
            case 0x7375_6270, 0x636C_6370: edit { $0.kind = .other }
            default: break
            }
        case "tkhd":
            let version = avio_rb32(io) >> 24
            avio_skip(io, version == 1 ? 16 : 8)
            let id = Int64(avio_rb32(io))
            edit { $0.id = id }
        case "elst":
            // FFmpeg derives the number of edits from the size of the box, not from the count in it.
            let count = (end - start - 8) / (avio_rb32(io) >> 24 == 1 ? 20 : 12)
            edit { $0.editCount = max($0.editCount, count) }
        case "dref":
            avio_skip(io, 4)
            let count = Int64(avio_rb32(io))
            avio_skip(io, 8)
            let flags = Int64(avio_rb32(io) & 0xFF_FFFF)
            edit { $0.boxes.note(references: count, flags: flags) }
        case "stsd": readDescriptions(io, start, end)
        case "stsz":
            avio_skip(io, 4)
            let size = avio_rb32(io), count = Int64(avio_rb32(io))
            // A table with a size for each sample has 4 bytes for each sample.
            if size == 0, count > (end - start - 12) / 4 { isMalformed = true }
            once(\.sampleCount, count)
            edit { $0.hasOwnSizes = size == 0 }
        case "stz2":
            avio_skip(io, 7)
            let bits = Int64(avio_r8(io)), count = Int64(avio_rb32(io))
            if bits == 0 || count > (end - start - 12) * 8 / max(bits, 1) { isMalformed = true }
            once(\.sampleCount, count)
            edit { $0.hasOwnSizes = true }
        case "stts":
            avio_skip(io, 4)
            let count = Int64(avio_rb32(io))
            avio_skip(io, 4)
            let duration = avio_rb32(io)
            if count > (end - start - 8) / 8 { isMalformed = true }
            once(\.isUniform, count == 1 && duration == 1)
        case "stco", "co64":
            avio_skip(io, 4)
            let count = Int64(avio_rb32(io))
            if count > (end - start - 8) / (type == "stco" ? 4 : 8) { isMalformed = true }
            once(\.chunkCount, count)
        case "stsc": readRuns(io, start, end)
        case "keys":
            avio_skip(io, 4)
            if Int64(avio_rb32(io)) > (end - start - 8) / 8 { isMalformed = true }
        default: break
        }
    }

    private mutating func readDescriptions(_ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) {
        guard let track = tracks.last, end - start <= SampleDescriptions.limit else {
            isMalformed = isMalformed || end - start > SampleDescriptions.limit
            return
        }
        var bytes = [UInt8](repeating: 0, count: Int(end - start))
        let count = bytes.isEmpty ? 0 : avio_read(io, &bytes, Int32(bytes.count))
        // If the file ends inside the sample descriptions, FFmpeg also stops reading, so the file need not be refused.
        guard count == bytes.count else { return }
        let descriptions = SampleDescriptions(bytes, kind: track.kind)
        if !descriptions.isSafe || track.samplesPerEntry != nil { isMalformed = true }
        edit { $0.samplesPerEntry = descriptions.samplesPerEntry }
        edit { $0.isPlain = descriptions.isPlain }
    }

    /// Reads the runs of chunks with an equal number of samples (the box "stsc"), whose content is in `start..<end`.
    private mutating func readRuns(_ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) {
        avio_skip(io, 4)
        let count = Int64(avio_rb32(io))
        guard count <= (end - start - 8) / 12, count <= MovieScreen.entryLimit else {
            isMalformed = true
            return
        }
        // Only the first runs are read. They matter only if all samples last one tick; otherwise each sample has an index entry of its own.
        var runs: [(first: Int64, samples: Int64)] = []
        for _ in 0..<min(count, MovieScreen.guaranteedEntries) {
            if avio_feof(io) != 0 { break }
            let first = Int64(avio_rb32(io)), samples = Int64(avio_rb32(io))
            avio_skip(io, 4)
            runs.append((first, samples))
        }
        if tracks.last?.runs != nil { isMalformed = true }
        // If there are more runs than were read, and runs matter, the file is to be refused: these runs are impossible, so that the number of index
        // entries exceeds any limit.
        if count > MovieScreen.guaranteedEntries { runs = [(2, 0), (1, 0)] }
        edit { $0.runs = runs }
    }

    /// Sets a value that a track may state only once; also sets `isMalformed` if the track has already stated it.
    private mutating func once<Value>(_ path: WritableKeyPath<Track, Value?>, _ value: Value) {
        guard let last = tracks.indices.last else { return }
        if tracks[last][keyPath: path] != nil { isMalformed = true }
        tracks[last][keyPath: path] = value
    }

    private mutating func edit(_ change: (inout Track) -> Void) {
        guard let last = tracks.indices.last else { return }
        change(&tracks[last])
    }
}
