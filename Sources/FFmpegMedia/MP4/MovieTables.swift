import CFFmpeg
import PlaybackEngine

/// Counts the entries in FFmpeg's index that the tables of an MP4 or QuickTime header cause (ISO 14496-12, 8.7; QuickTime File Format, "Sample
/// Tables"). If all samples of a track have one size, the table of sizes has a count but no entries: 20 bytes of a file can ask for gigabytes of
/// memory.
///
/// FFmpeg obeys a table anywhere in the MP4 header, so tables are counted anywhere in the header.
struct MovieTables {
    private struct Track {
        var sampleCount: Int64?
        /// Whether the track's table of sizes has a size for each sample, instead of one size for all samples.
        var hasOwnSizes = false
        var kind = SampleDescriptions.Kind.other
        var isAudio: Bool { kind == .sound }
        /// The minimum number of samples that FFmpeg puts into an index entry of a chunk; nil until the track's sample descriptions have been read.
        var samplesPerEntry: Int64?
        /// The number of edits in the edit list of an MP4 track.
        var editCount: Int64 = 0
        /// The number that identifies the track in the MP4 file; nil if the track has none.
        var id: Int64?
        /// Whether all samples of the track last one tick; nil until the table of durations has been read. If all samples of an audio track last one
        /// tick, FFmpeg makes index entries for chunks instead of samples.
        var isUniform: Bool?
        var chunkCount: Int64?
        /// The runs of chunks in the track: the number of a run's first chunk, counted from 1, and the number of samples in each of its chunks; nil
        /// until the table of runs has been read.
        var runs: [(first: Int64, samples: Int64)]?
        /// The byte ranges of the sample tables.
        var boxes = SampleTableBoxes()
        /// Whether the track has one sample description, of AAC or ALAC (`SampleDescriptions.isPlain`).
        var isPlain = false
    }
    private var tracks: [Track] = []
    /// Whether the MP4 header has a table that no program writes: twice in a track, compressed, inside a description, or with more entries than its
    /// bytes can hold.
    private var isMalformed = false

    /// The number of index entries that FFmpeg may make for every medium, however short it is.
    private static let guaranteedEntries: Int64 = 1 << 16
    /// The maximum number of FFmpeg's index entries for one medium: 72 hours at 48 kHz are 12 million packets. FFmpeg needs 24 bytes of memory for an
    /// index entry, and up to 48 while it reads the table.
    static let entryLimit: Int64 = 1 << 24
    /// The maximum number of index entries that a count in a table may cause before the medium's bytes confirm them: 24 MiB in FFmpeg's index.
    private static let unconfirmedLimit: Int64 = 1 << 20
    /// The minimum sizes of a sample in an MP4 file, in bytes: of a sample whose size is in the table (the size alone takes four bytes there), and of
    /// a sample of constant size. No codec has packets smaller than the minimum sizes of a sample.
    private static let bytesPerSample: Int64 = 4, bytesPerPacket: Int64 = 8
    /// The minimum number of samples that FFmpeg puts into one index entry of a chunk, if no sample description states another number.
    private static let samplesPerEntry: Int64 = 160
    /// The maximum number of edits of an MP4 track that are examined one by one.
    static let editLimit: Int64 = 1024

    /// The names of the MP4 boxes that FFmpeg enters at any place in the file.
    static let containers: Set<String> = [
        "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "mvex", "udta", "tref", "sinf", "schi", "wave", "ilst", "moof", "traf",
    ]

    /// The maximum number of entries in FFmpeg's index of the MP4 file.
    var entryCount: Int64 { sum { MovieTables.entryCount(of: $0) } }

    /// The number of FFmpeg's index entries that follow from a count alone, without bytes in a table: the entries of samples of one size, and of
    /// parts of chunks.
    var unconfirmedCount: Int64 {
        sum { track in
            let backed = (track.hasOwnSizes ? track.sampleCount ?? 0 : 0) + (track.isUniform == true ? track.chunkCount ?? 0 : 0)
            return max(0, MovieTables.entryCount(of: track) - backed)
        }
    }

    /// The number of entries that FFmpeg's index gets if FFmpeg obeys the edit lists: up to one entry for each sample and each edit.
    var editedCount: Int64 {
        sum { track in
            let (count, overflow) = MovieTables.entryCount(of: track).multipliedReportingOverflow(by: max(1, track.editCount))
            return overflow ? .max : count
        }
    }
    /// The largest number of edits in one track of the MP4 file.
    var editCount: Int64 { tracks.reduce(0) { max($0, $1.editCount) } }

    var trackCount: Int { tracks.count }
    /// The numbers that identify the tracks in the MP4 file; nil if a track has no number.
    var ids: Set<Int64>? {
        let ids = Set(tracks.compactMap(\.id))
        return tracks.contains { $0.id == nil } ? nil : ids
    }

    /// Returns the tables of the file's only audio track if they can be read where they lie, and if the track has at least `threshold` samples;
    /// otherwise nil. Whether the tables are consistent, `SampleTables` checks.
    func plainTrack(threshold: Int64) -> SampleTables.Source? {
        guard let index = onlySound, let id = tracks[index].id, tracks.count(where: { $0.id == id }) == 1 else { return nil }
        let track = tracks[index], others = entryCount - MovieTables.entryCount(of: track)
        guard !isMalformed, others <= MovieTables.guaranteedEntries, track.isPlain, track.isUniform == false, track.hasOwnSizes,
            let count = track.sampleCount, count >= threshold
        else { return nil }
        return SampleTables.Source(track: id, count: count, boxes: track.boxes)
    }

    /// Records that FFmpeg reads only the first samples of the only audio track (`SampleTables.kept`).
    mutating func hidePlainTrack() {
        if let index = onlySound { tracks[index].sampleCount = SampleTables.kept }
    }

    /// The number of the only audio track; nil if there are several or none.
    private var onlySound: Int? {
        tracks.count(where: \.isAudio) == 1 ? tracks.firstIndex(where: \.isAudio) : nil
    }

    /// Returns whether the tables of the MP4 header can be true in a file of `length` bytes. At least `known` bytes of the file exist.
    func fits(_ length: Int64, known: Int64) -> Bool {
        let entryLimit = max(MovieTables.guaranteedEntries, min(MovieTables.entryLimit, length / MovieTables.bytesPerSample))
        guard !isMalformed, entryCount <= entryLimit else { return false }
        return unconfirmedCount <= max(MovieTables.unconfirmedLimit, known / MovieTables.bytesPerPacket)
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

    /// Returns the number of FFmpeg's index entries for the chunks of an audio track whose samples last one tick each.
    private static func entries(of track: Track) -> Int64 {
        guard let runs = track.runs, let chunks = track.chunkCount else { return 0 }
        var sum: Int64 = 0
        for (number, run) in runs.enumerated() {
            let end = number + 1 < runs.count ? runs[number + 1].first : chunks + 1
            // The chunks of an MP4 track are numbered from 1, in 32 bits. If a run of chunks begins before the preceding run, FFmpeg's count of index
            // entries wraps around.
            guard run.first >= 1, end >= run.first else { return .max }
            let (count, tooMany) = (end - run.first).multipliedReportingOverflow(by: run.samples / (track.samplesPerEntry ?? samplesPerEntry) + 1)
            let (next, overflow) = sum.addingReportingOverflow(count)
            if tooMany || overflow { return .max }
            sum = next
        }
        return sum
    }

    /// Examines the MP4 box `type` in the box `path`. The content of the box lies between the byte offsets `start` and `end`.
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
            // FFmpeg derives the number of edits from the size of the edit list's box, not from the count in the box.
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
        // If the file ends inside the sample descriptions, FFmpeg stops reading too, so nothing has to be refused.
        guard count == bytes.count else { return }
        let descriptions = SampleDescriptions(bytes, kind: track.kind)
        if !descriptions.isSafe || track.samplesPerEntry != nil { isMalformed = true }
        edit { $0.samplesPerEntry = descriptions.samplesPerEntry }
        edit { $0.isPlain = descriptions.isPlain }
    }

    /// Reads the table of the runs of chunks with the same number of samples (the box "stsc"), whose content is in `start..<end`.
    private mutating func readRuns(_ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) {
        avio_skip(io, 4)
        let count = Int64(avio_rb32(io))
        guard count <= (end - start - 8) / 12, count <= MovieTables.entryLimit else {
            isMalformed = true
            return
        }
        // Only the first runs of chunks are read. Runs of chunks matter only if all samples last one tick; otherwise each sample has an index entry
        // of its own.
        var runs: [(first: Int64, samples: Int64)] = []
        for _ in 0..<min(count, MovieTables.guaranteedEntries) {
            if avio_feof(io) != 0 { break }
            let first = Int64(avio_rb32(io)), samples = Int64(avio_rb32(io))
            avio_skip(io, 4)
            runs.append((first, samples))
        }
        if tracks.last?.runs != nil { isMalformed = true }
        // If the file has more runs of chunks than were read, the file is to be refused: replace the runs by others whose number of index entries
        // exceeds any limit.
        if count > MovieTables.guaranteedEntries { runs = [(2, 0), (1, 0)] }
        edit { $0.runs = runs }
    }

    /// Sets a value that an MP4 track may state only once. Also sets `isMalformed` if the track has already stated the value.
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
