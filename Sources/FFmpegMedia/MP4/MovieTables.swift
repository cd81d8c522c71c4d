import CFFmpeg
import PlaybackEngine

/// The number of entries that FFmpeg's index gets from the tables of an MP4 or QuickTime header (ISO 14496-12, 8.7; QuickTime File Format, "Sample
/// Tables"). A table of samples of one size is a count without content: 20 bytes of a file can ask for gigabytes.
///
/// FFmpeg obeys a table anywhere in the header, so tables are counted anywhere.
struct MovieTables {
    private struct Track {
        var sampleCount: Int64?
        /// Whether the table has a size for each sample, instead of one for all.
        var hasOwnSizes = false
        var kind = SampleDescriptions.Kind.other
        var isAudio: Bool { kind == .sound }
        /// Minimum number of samples that FFmpeg puts into an index entry of a chunk.
        var samplesPerEntry: Int64?
        /// The number of edits in its list.
        var editCount: Int64 = 0
        /// The track's number.
        var id: Int64?
        /// Whether all samples last one tick. If they are audio, FFmpeg then makes an entry for a chunk instead of a sample.
        var isUniform: Bool?
        var chunkCount: Int64?
        /// The first chunk of each run, and the samples in each chunk of the run.
        var runs: [(first: Int64, samples: Int64)]?
    }
    private var tracks: [Track] = []
    /// Whether there is a table that no program writes: twice in a track, compressed, inside a description, or with more entries than bytes.
    private var isMalformed = false

    /// Index entries that every medium may have, however short it is.
    private static let guaranteedEntries: Int64 = 1 << 16
    /// The limit of entries: 72 hours at 48 kHz are 12 million packets. An entry takes FFmpeg 24 bytes, and up to 48 while it reads the table.
    static let entryLimit: Int64 = 1 << 24
    /// The limit of entries that rest on a count alone, before the medium's bytes confirm it: 24 MiB.
    private static let unconfirmedLimit: Int64 = 1 << 20
    /// Minimum size of a sample in the medium, in bytes: of one with a size of its own (the size alone takes four in the table), and of one with a
    /// constant size. No codec has smaller packets.
    private static let bytesPerSample: Int64 = 4, bytesPerPacket: Int64 = 8
    /// Minimum number of samples that FFmpeg puts into one entry of a chunk, if no description states another.
    private static let samplesPerEntry: Int64 = 160
    /// Maximum number of edits of a track that are examined one by one.
    static let editLimit: Int64 = 1024

    /// The boxes that FFmpeg enters, wherever they are.
    static let containers: Set<String> = [
        "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "mvex", "udta", "tref", "sinf", "schi", "wave", "ilst", "moof", "traf",
    ]

    /// Maximum number of entries that the index can get.
    var entryCount: Int64 { sum { MovieTables.entryCount(of: $0) } }

    /// The entries for which the tables have no bytes: samples of one size, and parts of chunks.
    var unconfirmedCount: Int64 {
        sum { track in
            let backed = (track.hasOwnSizes ? track.sampleCount ?? 0 : 0) + (track.isUniform == true ? track.chunkCount ?? 0 : 0)
            return max(0, MovieTables.entryCount(of: track) - backed)
        }
    }

    /// The entries that the index gets if FFmpeg obeys the edits: up to one for each sample and each edit.
    var editedCount: Int64 {
        sum { track in
            let (count, overflow) = MovieTables.entryCount(of: track).multipliedReportingOverflow(by: max(1, track.editCount))
            return overflow ? .max : count
        }
    }
    /// The largest number of edits of a track.
    var editCount: Int64 { tracks.reduce(0) { max($0, $1.editCount) } }

    var trackCount: Int { tracks.count }
    /// The numbers of the tracks; nil if one track has none.
    var ids: Set<Int64>? {
        let ids = Set(tracks.compactMap(\.id))
        return tracks.contains { $0.id == nil } ? nil : ids
    }

    /// Whether the tables can be true in a file of `length` bytes, of which `known` are known to exist.
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

    /// Returns the entries for chunks of audio whose samples last one tick each.
    private static func entries(of track: Track) -> Int64 {
        guard let runs = track.runs, let chunks = track.chunkCount else { return 0 }
        var sum: Int64 = 0
        for (number, run) in runs.enumerated() {
            let end = number + 1 < runs.count ? runs[number + 1].first : chunks + 1
            // Chunks are numbered from 1, in 32 bits. For FFmpeg, a run that goes backwards wraps around.
            guard run.first >= 1, end >= run.first else { return .max }
            let (count, tooMany) = (end - run.first).multipliedReportingOverflow(by: run.samples / (track.samplesPerEntry ?? samplesPerEntry) + 1)
            let (next, overflow) = sum.addingReportingOverflow(count)
            if tooMany || overflow { return .max }
            sum = next
        }
        return sum
    }

    /// Examines the box `type`, whose content lies between two byte offsets.
    mutating func visit(_ type: String, _ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) {
        switch type {
        case "trak": tracks.append(Track())
        case "cmov": isMalformed = true
        case "hdlr":
            avio_skip(io, 8)
            switch avio_rb32(io) {
            // "soun"
            case 0x736F_756E: edit { $0.kind = .sound }
            // "vide"
            case 0x7669_6465: edit { $0.kind = .picture }
            // "subp", "clcp"
            case 0x7375_6270, 0x636C_6370: edit { $0.kind = .other }
            default: break
            }
        case "tkhd":
            let version = avio_rb32(io) >> 24
            avio_skip(io, version == 1 ? 16 : 8)
            let id = Int64(avio_rb32(io))
            edit { $0.id = id }
        case "elst":
            // FFmpeg uses the size of the box, not its count.
            let count = (end - start - 8) / (avio_rb32(io) >> 24 == 1 ? 20 : 12)
            edit { $0.editCount = max($0.editCount, count) }
        case "stsd": readDescriptions(io, start, end)
        case "stsz":
            avio_skip(io, 4)
            let size = avio_rb32(io), count = Int64(avio_rb32(io))
            // A table of individual sizes has 4 bytes for each sample.
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
        // If the file ends here, it ends for FFmpeg too.
        guard count == bytes.count else { return }
        let descriptions = SampleDescriptions(bytes, kind: track.kind)
        if !descriptions.isSafe || track.samplesPerEntry != nil { isMalformed = true }
        edit { $0.samplesPerEntry = descriptions.samplesPerEntry }
    }

    private mutating func readRuns(_ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) {
        avio_skip(io, 4)
        let count = Int64(avio_rb32(io))
        guard count <= (end - start - 8) / 12, count <= MovieTables.entryLimit else {
            isMalformed = true
            return
        }
        // If each sample has an entry of its own, the runs do not matter.
        var runs: [(first: Int64, samples: Int64)] = []
        for _ in 0..<min(count, MovieTables.guaranteedEntries) {
            if avio_feof(io) != 0 { break }
            let first = Int64(avio_rb32(io)), samples = Int64(avio_rb32(io))
            avio_skip(io, 4)
            runs.append((first, samples))
        }
        if tracks.last?.runs != nil { isMalformed = true }
        // If there are more runs than were read, all count as if they were as large as possible.
        if count > MovieTables.guaranteedEntries { runs = [(2, 0), (1, 0)] }
        edit { $0.runs = runs }
    }

    /// Sets a value that a track may have only once.
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
