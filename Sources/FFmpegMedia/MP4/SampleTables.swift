import PlaybackEngine

/// The tables of a plain audio track (ISO 14496-12, 8.6.1.2 and 8.7), with which samples are found without an index in memory. The sizes and the
/// chunk offsets remain in the file (`SampleTableReader`), because their number grows with the length of the medium; only the runs of durations and
/// chunks are in memory.
///
/// A track is plain if FFmpeg would deliver one packet for each sample, in the order of the tables: one description of AAC or ALAC, no fragments, no
/// encryption, no audio in other files, and consistent tables. FFmpeg reads all other tracks.
struct SampleTables {
    /// The boxes from which the tables are made.
    struct Source {
        let track: Int64
        /// The number of samples that the table of sizes states.
        let count: Int64
        let boxes: SampleTableBoxes
    }
    private struct DurationRun {
        let sample: Int64
        let time: Int64
        let duration: Int64
    }
    /// Consecutive chunks with equal numbers of samples; all numbers count from 0.
    private struct ChunkRun {
        let sample: Int64
        let chunk: Int64
        let samples: Int64
    }
    /// A chunk; all numbers count from 0.
    struct Chunk {
        let number: Int64
        let samples: Range<Int64>
    }

    let track: Int64
    let count: Int64
    /// The byte range of the entries in the file, and the number of bits of an entry.
    let sizes: (range: Range<Int64>, bits: Int64)
    let chunks: (range: Range<Int64>, bits: Int64)
    /// The replacements for bytes of the file, by byte offset. With them, FFmpeg reads only the first `kept` samples.
    let patches: [Int64: UInt8]
    /// The longest duration of all samples but the last, in ticks of the track's time scale.
    let longestDuration: Int64
    private let durations: [DurationRun]
    private let runs: [ChunkRun]

    /// The least number of samples of a track that is read without FFmpeg; with fewer, FFmpeg's index has at most 1.5 MiB.
    static let threshold: Int64 = 1 << 16
    /// The number of samples that FFmpeg reads, from which it learns the codec's parameters.
    static let kept: Int64 = 16
    /// The maximum numbers of runs of durations (1.5 MiB) and of chunks (6 MiB). A medium of 72 hours in chunks of a second has 40,000 runs of
    /// chunks.
    private static let durationLimit: Int64 = 1 << 16, runLimit: Int64 = 1 << 18
    /// The greatest number of samples in a chunk, because a seek adds up the sizes of the samples in a chunk.
    private static let chunkLimit: Int64 = 1 << 16
    /// The greatest length of a track, in ticks of the track's time scale.
    private static let longest: Int64 = 1 << 56

    /// Reads durations, runs of chunks, and the counts of the other tables. Nil if the track is not plain, or has at most `kept` samples.
    init?(_ source: Source, _ io: IOContext) throws(PlaybackError) {
        let boxes = source.boxes
        guard boxes.isPlain, boxes.isInFile, source.count > SampleTables.kept, let durations = boxes.durations, let runs = boxes.runs,
            let sizes = boxes.sizes, let chunks = boxes.chunks
        else { return nil }
        let fields = try SampleTables.numbers(io, sizes.lowerBound..<sizes.lowerBound + 12, in: sizes)
        let bits: Int64 = fields[1] == 0 ? 32 : fields[1] & 0xFF
        guard [4, 8, 16, 32].contains(bits), fields[2] == source.count, source.count <= (sizes.count64 - 12) * 8 / bits else { return nil }
        track = source.track
        count = source.count
        self.sizes = ((sizes.lowerBound + 12)..<sizes.upperBound, bits)
        let chunkCount = try SampleTables.count(io, chunks), width: Int64 = boxes.hasWideOffsets ? 64 : 32
        guard chunks.count64 >= 8, chunkCount <= (chunks.count64 - 8) * 8 / width else { return nil }
        self.chunks = ((chunks.lowerBound + 8)..<chunks.upperBound, width)
        guard let times = try SampleTables.durations(io, durations, samples: count) else { return nil }
        (self.durations, longestDuration) = (times.runs, times.longest)
        guard let places = try SampleTables.runs(io, runs, chunks: chunkCount, samples: count) else { return nil }
        self.runs = places
        guard let patches = SampleTables.patches(places, boxes) else { return nil }
        self.patches = patches
    }

    // MARK: Looking up

    /// Returns the time at which a sample begins, in ticks of the track's time scale; for the number after the last sample, the end of the track.
    func time(of number: Int64) -> Int64 {
        let run = durations[durations.partitioningIndex { $0.sample > number } - 1]
        return run.time + (number - run.sample) * run.duration
    }

    /// Returns the number of the last sample that begins at or before `time`, in ticks of the track's time scale; 0 if there is none.
    func sample(at time: Int64) -> Int64 {
        let next = durations.partitioningIndex { $0.time > time }
        guard next > 0 else { return 0 }
        let run = durations[next - 1], end = next < durations.count ? durations[next].sample : count
        return run.duration > 0 ? min(end - 1, run.sample + (time - run.time) / run.duration) : end - 1
    }

    func chunk(of number: Int64) -> Chunk {
        let run = runs[runs.partitioningIndex { $0.sample > number } - 1], index = (number - run.sample) / run.samples
        let first = run.sample + index * run.samples
        return Chunk(number: run.chunk + index, samples: first..<min(count, first + run.samples))
    }

    // MARK: Reading

    /// Reads the runs of durations from "stts". Returns nil if there are no or too many runs, the box is too short, the runs do not have `samples`
    /// samples together, or a number is implausible.
    private static func durations(
        _ io: IOContext, _ box: Range<Int64>, samples: Int64
    ) throws(PlaybackError) -> (runs: [DurationRun], longest: Int64)? {
        let entries = try count(io, box)
        guard (1...durationLimit).contains(entries), entries <= (box.count64 - 8) / 8 else { return nil }
        let values = try numbers(io, (box.lowerBound + 8)..<(box.lowerBound + 8 + entries * 8), in: box)
        var runs: [DurationRun] = [], sample: Int64 = 0, time: Int64 = 0, greatest: Int64 = 0
        runs.reserveCapacity(Int(entries))
        for index in stride(from: 0, to: values.count, by: 2) {
            let count = values[index], duration = values[index + 1]
            // FFmpeg treats any other count or duration in its own way; so FFmpeg is left to read a table that has one.
            guard count > 0, duration < 1 << 31, count <= samples - sample else { return nil }
            runs.append(DurationRun(sample: sample, time: time, duration: duration))
            if sample + count < samples || count > 1 { greatest = max(greatest, duration) }
            sample += count
            time += count * duration
            guard time < longest else { return nil }
        }
        return sample == samples ? (runs, greatest) : nil
    }

    /// Reads the runs of chunks from "stsc". Returns nil if there are no or too many runs, the box is too short, a run is out of order, empty, too
    /// long or of another sample description, or all chunks together have fewer than `samples` samples.
    private static func runs(
        _ io: IOContext, _ box: Range<Int64>, chunks: Int64, samples: Int64
    ) throws(PlaybackError) -> [ChunkRun]? {
        let entries = try count(io, box)
        guard (1...runLimit).contains(entries), entries <= (box.count64 - 8) / 12 else { return nil }
        let values = try numbers(io, (box.lowerBound + 8)..<(box.lowerBound + 8 + entries * 12), in: box)
        var runs: [ChunkRun] = [], sample: Int64 = 0
        runs.reserveCapacity(Int(entries))
        for index in stride(from: 0, to: values.count, by: 3) {
            // The file counts chunks from 1; the number of the only sample description is 1.
            let first = values[index] - 1, each = values[index + 1], next = index + 3 < values.count ? values[index + 3] - 1 : chunks
            guard index > 0 || first == 0, first < next, next <= chunks, (1...chunkLimit).contains(each), values[index + 2] == 1 else { return nil }
            if sample < samples { runs.append(ChunkRun(sample: sample, chunk: first, samples: each)) }
            // The sum cannot overflow: there are at most 2³² chunks of 2¹⁶ samples.
            sample += (next - first) * each
        }
        return sample >= samples ? runs : nil
    }

    /// Returns the replacements with which FFmpeg reads only `kept` sizes. The chunks that it reads have a few more samples, so that it does not
    /// compute the bit rate from these sizes alone.
    private static func patches(_ runs: [ChunkRun], _ boxes: SampleTableBoxes) -> [Int64: UInt8]? {
        guard let run = runs.last(where: { $0.sample <= kept }), let sizes = boxes.sizes, let chunks = boxes.chunks, let box = boxes.runs else {
            return nil
        }
        var patches: [Int64: UInt8] = [:]
        func patch(_ at: Int64, _ value: Int64) {
            for byte in 0..<4 { patches[at + Int64(byte)] = UInt8(truncatingIfNeeded: value >> Int64(24 - 8 * byte)) }
        }
        patch(sizes.lowerBound + 8, kept)
        patch(chunks.lowerBound + 4, run.chunk + (kept - run.sample) / run.samples + 1)
        patch(box.lowerBound + 4, Int64(runs.count { $0.sample <= kept }))
        return patches
    }

    private static func count(_ io: IOContext, _ box: Range<Int64>) throws(PlaybackError) -> Int64 {
        try numbers(io, box.lowerBound..<(box.lowerBound + 8), in: box)[1]
    }

    /// Reads the big-endian numbers of 32 bits in `range`, which begins in the box `box`. Bytes after the end of the box count as zeros.
    private static func numbers(_ io: IOContext, _ range: Range<Int64>, in box: Range<Int64>) throws(PlaybackError) -> [Int64] {
        // One request asks for the fields of a box and its first entries.
        let present = range.clamped(to: box), window = present.lowerBound + 12 + TableWindow.remoteSize
        var bytes = try io.separateBytes(present, of: present.lowerBound..<max(present.upperBound, min(box.upperBound, window)))
        bytes += repeatElement(0, count: range.count - bytes.count)
        return bytes.withUnsafeBytes { bytes in
            (0..<(bytes.count / 4)).map { Int64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))) }
        }
    }
}

extension Range<Int64> {
    fileprivate var count64: Int64 { upperBound - lowerBound }
}

/// The byte ranges of one MP4 track's sample tables in the file (ISO 14496-12, 8.6.1 and 8.7); the entries remain in the file.
struct SampleTableBoxes {
    /// The byte ranges of the contents of "stts"; "stsc"; "stsz" or "stz2"; and "stco" or "co64"; nil if a box is not found.
    private(set) var durations: Range<Int64>?
    private(set) var runs: Range<Int64>?
    private(set) var sizes: Range<Int64>?
    private(set) var chunks: Range<Int64>?
    /// Whether offsets have 64 bits ("co64") instead of 32.
    private(set) var hasWideOffsets = false
    /// Whether all tables are in "stbl", and none is `special`.
    private(set) var isPlain = true
    /// Whether the list of data references ("dref") has one entry, which refers to the MP4 file itself.
    private(set) var isInFile = false

    /// The boxes of tracks whose samples are in another order, depend on other samples, or are encrypted.
    private static let special: Set<String> = ["ctts", "stss", "stps", "sdtp", "saiz", "saio", "senc", "sinf"]

    /// Records the box `type` in the box `path`, whose content is between the byte offsets `start` and `end`.
    mutating func note(_ type: String, in path: String, _ start: Int64, _ end: Int64) {
        let content = start..<end
        switch type {
        case "stts": durations = content
        case "stsc": runs = content
        case "stsz", "stz2": sizes = content
        case "stco", "co64":
            chunks = content
            hasWideOffsets = type == "co64"
        case _ where SampleTableBoxes.special.contains(type):
            isPlain = false
            return
        default: return
        }
        if path != "stbl" { isPlain = false }
    }

    /// Records the references in "dref" (8.7.2): their number, and the flags of the first reference.
    mutating func note(references count: Int64, flags: Int64) { isInFile = count == 1 && flags & 1 != 0 }
}
