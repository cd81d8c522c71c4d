import CFFmpeg
import PlaybackEngine

/// How many entries FFmpeg's index will get from the tables of an MP4 or QuickTime header (ISO 14496-12, 8.7; QuickTime File Format, "Sample
/// Tables"). A table of samples of one size is a count without content: 20 bytes of a file can ask for gigabytes.
///
/// FFmpeg obeys a table wherever it stands, and so it is counted wherever it stands.
struct MovieTables {
    private struct Track {
        var sampleCount: Int64?
        /// Whether the table has a size for each sample, and not one for all.
        var hasOwnSizes = false
        var kind = SampleDescriptions.Kind.other
        var isAudio: Bool { kind == .sound }
        /// The samples that FFmpeg puts into an index entry of a chunk, at least.
        var together: Int64?
        /// The edits in its list.
        var editCount: Int64 = 0
        /// Its number.
        var id: Int64?
        /// Whether all samples last one tick: FFmpeg then makes an entry for a chunk, and not for a sample, if they are sound.
        var isUniform: Bool?
        var chunkCount: Int64?
        /// The chunk that a run begins with, and the samples of each of its chunks.
        var runs: [(first: Int64, samples: Int64)]?
    }
    private var tracks: [Track] = []
    /// A table that nobody writes: twice in a track, compressed, inside a description, or with more entries than bytes.
    private var isMalformed = false

    /// Index entries that every medium may have, however short it is.
    private static let free: Int64 = 1 << 16
    /// The most: 72 hours at 48 kHz are 12 million packets. An entry takes FFmpeg 24 bytes, up to 48 while the table is read.
    static let most: Int64 = 1 << 24
    /// The most that rest on a count alone, until the medium's bytes bear it out: 24 MiB.
    private static let claimed: Int64 = 1 << 20
    /// The least bytes of a medium for a sample with a size of its own (its size in the table alone has four), and for one of a constant size: no codec has
    /// smaller packets.
    private static let bytesPerSample: Int64 = 4, bytesPerPacket: Int64 = 8
    /// The samples that FFmpeg puts into one entry of a chunk where no description says otherwise, at least.
    private static let together: Int64 = 160
    /// The edits of a track that are looked at one by one.
    static let editLimit: Int64 = 1024

    /// The boxes that FFmpeg looks into, beyond those that hold a movie's structure.
    static let containers: Set<String> = [
        "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "mvex", "udta", "tref", "sinf", "schi", "wave", "ilst", "moof", "traf",
    ]

    /// The entries that the index gets, at most.
    var entryCount: Int64 { sum { MovieTables.entryCount(of: $0) } }

    /// Those of them for which the tables have no bytes: samples of one size, and parts of chunks.
    var claimedCount: Int64 {
        sum { track in
            let backed = (track.hasOwnSizes ? track.sampleCount ?? 0 : 0) + (track.isUniform == true ? track.chunkCount ?? 0 : 0)
            return max(0, MovieTables.entryCount(of: track) - backed)
        }
    }

    /// The entries that the index gets where FFmpeg obeys the edits: up to one for each sample and each edit.
    var editedCount: Int64 {
        sum { track in
            let (count, overflow) = MovieTables.entryCount(of: track).multipliedReportingOverflow(by: max(1, track.editCount))
            return overflow ? .max : count
        }
    }
    /// The most edits of a track.
    var editCount: Int64 { tracks.reduce(0) { max($0, $1.editCount) } }

    var trackCount: Int { tracks.count }
    /// The numbers of the tracks; nil where one has none.
    var ids: Set<Int64>? {
        let ids = Set(tracks.compactMap(\.id))
        return tracks.contains { $0.id == nil } ? nil : ids
    }

    /// Whether a file of `length` bytes, of which `known` are known to exist, can mean what its tables say.
    func fits(_ length: Int64, known: Int64) -> Bool {
        guard !isMalformed, entryCount <= max(MovieTables.free, min(MovieTables.most, length / MovieTables.bytesPerSample)) else { return false }
        return claimedCount <= max(MovieTables.claimed, known / MovieTables.bytesPerPacket)
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

    /// The entries for the chunks of sound whose samples last one tick.
    private static func entries(of track: Track) -> Int64 {
        guard let runs = track.runs, let chunks = track.chunkCount else { return 0 }
        var sum: Int64 = 0
        for (number, run) in runs.enumerated() {
            let end = number + 1 < runs.count ? runs[number + 1].first : chunks + 1
            // Chunks are numbered from 1, in 32 bits; a run that goes back wraps around.
            guard run.first >= 1, end >= run.first else { return .max }
            let (count, tooMany) = (end - run.first).multipliedReportingOverflow(by: run.samples / (track.together ?? together) + 1)
            let (next, overflow) = sum.addingReportingOverflow(count)
            if tooMany || overflow { return .max }
            sum = next
        }
        return sum
    }

    /// Looks at the box `type` whose content lies between two byte positions.
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
            // FFmpeg goes by the size of the box, whatever its count.
            let count = (end - start - 8) / (avio_rb32(io) >> 24 == 1 ? 20 : 12)
            edit { $0.editCount = max($0.editCount, count) }
        case "stsd": readDescriptions(io, start, end)
        case "stsz":
            avio_skip(io, 4)
            let size = avio_rb32(io), count = Int64(avio_rb32(io))
            // With sizes of their own the samples have 4 bytes each here.
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
        // What ends here ends for FFmpeg too.
        guard count == bytes.count else { return }
        let descriptions = SampleDescriptions(bytes, kind: track.kind)
        if !descriptions.isSafe || track.together != nil { isMalformed = true }
        edit { $0.together = descriptions.together }
    }

    private mutating func readRuns(_ io: UnsafeMutablePointer<AVIOContext>, _ start: Int64, _ end: Int64) {
        avio_skip(io, 4)
        let count = Int64(avio_rb32(io))
        guard count <= (end - start - 8) / 12, count <= MovieTables.most else {
            isMalformed = true
            return
        }
        // Where each sample has an entry of its own, the runs do not matter.
        var runs: [(first: Int64, samples: Int64)] = []
        for _ in 0..<min(count, MovieTables.free) {
            if avio_feof(io) != 0 { break }
            let first = Int64(avio_rb32(io)), samples = Int64(avio_rb32(io))
            avio_skip(io, 4)
            runs.append((first, samples))
        }
        if tracks.last?.runs != nil { isMalformed = true }
        // More runs than were read: as if all of them were as large as can be.
        if count > MovieTables.free { runs = [(2, 0), (1, 0)] }
        edit { $0.runs = runs }
    }

    /// Sets what a track has once.
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
