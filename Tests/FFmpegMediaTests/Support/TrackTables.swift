/// The sample tables of the first track of an MP4 file whose header is at its end. A test changes them, and writes them into the file.
struct TrackTables {
    struct Missing: Error {}

    var durations: [(count: UInt64, duration: UInt64)]
    var runs: [(first: UInt64, samples: UInt64, description: UInt64)]
    var sizes: [UInt64]
    var offsets: [UInt64]
    /// The bits of a size: 32 for a box "stsz", 4, 8 or 16 for "stz2".
    var sizeBits = 32
    /// Whether the offsets are written with 64 bits.
    var isWide = false
    /// The counts that are written instead of the true ones, by the name of the box.
    var statedCounts: [String: UInt64] = [:]
    /// Boxes that are added to the tables.
    var more: [UInt8] = []

    init(of bytes: [UInt8]) throws {
        var found: [String: [UInt64]] = [:]
        _ = try TrackTables.changing(bytes) { name, content in
            found[name] = stride(from: 0, to: content.count - 3, by: 4).map { at in
                content[(content.startIndex + at)..<(content.startIndex + at + 4)].reduce(0) { $0 << 8 | UInt64($1) }
            }
            return nil
        }
        guard let durations = found["stts"], let runs = found["stsc"], let sizes = found["stsz"], let offsets = found["stco"] else { throw Missing() }
        self.durations = stride(from: 2, to: durations.count, by: 2).map { (durations[$0], durations[$0 + 1]) }
        self.runs = stride(from: 2, to: runs.count, by: 3).map { (runs[$0], runs[$0 + 1], runs[$0 + 2]) }
        self.sizes = Array(sizes[3...])
        self.offsets = Array(offsets[2...])
    }

    /// The byte offset of each sample.
    var places: [UInt64] {
        var places: [UInt64] = [], run = 0
        for (number, offset) in offsets.enumerated() {
            if run + 1 < runs.count, runs[run + 1].first == UInt64(number + 1) { run += 1 }
            var at = offset
            for _ in 0..<runs[run].samples where places.count < sizes.count {
                places.append(at)
                at += sizes[places.count - 1]
            }
        }
        return places
    }

    /// Divides the samples, which must follow each other in the file, into chunks with the numbers of samples in `pattern`, in turn.
    mutating func divide(_ pattern: [Int]) {
        let places = places
        var at = 0, chunks: [(offset: UInt64, samples: UInt64)] = []
        while at < places.count {
            let count = min(pattern[chunks.count % pattern.count], places.count - at)
            chunks.append((places[at], UInt64(count)))
            at += count
        }
        setChunks(chunks)
    }

    /// Repeats all samples: the chunks of each repetition refer to the same bytes.
    mutating func loop(_ times: Int) {
        var run = 0
        let chunks = offsets.enumerated().map { number, offset in
            if run + 1 < runs.count, runs[run + 1].first == UInt64(number + 1) { run += 1 }
            return (offset, runs[run].samples)
        }
        setChunks(Array(repeatElement(chunks, count: times).joined()))
        sizes = Array(repeatElement(sizes, count: times).joined())
        durations = Array(repeatElement(durations, count: times).joined())
    }

    private mutating func setChunks(_ chunks: [(offset: UInt64, samples: UInt64)]) {
        offsets = chunks.map(\.offset)
        runs = []
        for (number, chunk) in chunks.enumerated() where runs.last?.samples != chunk.samples {
            runs.append((UInt64(number + 1), chunk.samples, 1))
        }
    }

    /// Returns the file with these tables instead of its own.
    func written(into bytes: [UInt8]) throws -> [UInt8] {
        func count(_ name: String, _ true: Int) -> UInt64 { statedCounts[name] ?? UInt64(`true`) }
        return try TrackTables.changing(bytes) { name, _ in
            switch name {
            case "stts": return Boxes.box("stts", Boxes.numbers(0, count(name, durations.count)), durations.flatMap { Boxes.numbers($0, $1) })
            case "stsc": return Boxes.box("stsc", Boxes.numbers(0, count(name, runs.count)), runs.flatMap { Boxes.numbers($0, $1, $2) })
            case "stsz" where sizeBits == 32:
                return Boxes.box("stsz", Boxes.numbers(0, 0, count(name, sizes.count)), sizes.flatMap { Boxes.numbers($0) }) + more
            case "stsz":
                var packed = sizes.flatMap { Boxes.bytes($0, max(1, sizeBits / 8)) }
                if sizeBits == 4 {
                    packed = stride(from: 0, to: sizes.count, by: 2).map { packed[$0] << 4 | ($0 + 1 < packed.count ? packed[$0 + 1] : 0) }
                }
                return Boxes.box("stz2", Boxes.numbers(0, UInt64(sizeBits), count(name, sizes.count)), packed) + more
            case "stco":
                let width = isWide ? 8 : 4
                return Boxes.box(
                    isWide ? "co64" : "stco", Boxes.numbers(0, count(name, offsets.count)), offsets.flatMap { Boxes.bytes($0, width) })
            default: return nil
            }
        }
    }

    /// Returns the file with changes of the boxes in the first track's "stbl": `change` gets the name and the content of each box, and returns the new
    /// box, or nil for no change.
    static func changing(_ bytes: [UInt8], _ change: (String, ArraySlice<UInt8>) -> [UInt8]?) throws -> [UInt8] {
        var isFound = false
        func changed(_ bytes: ArraySlice<UInt8>, _ path: ArraySlice<String>) -> [UInt8] {
            var at = bytes.startIndex, output: [UInt8] = []
            while at + 8 <= bytes.endIndex {
                let size = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
                guard size >= 8, at + size <= bytes.endIndex else { break }
                let name = String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self), content = bytes[(at + 8)..<(at + size)]
                if path.isEmpty, let new = change(name, content) {
                    output += new
                } else if name == path.first, !isFound {
                    isFound = path.count == 1
                    output += Boxes.box(name, changed(content, path.dropFirst()))
                } else {
                    output += bytes[at..<(at + size)]
                }
                at += size
            }
            return output
        }
        let result = changed(bytes[...], ["moov", "trak", "mdia", "minf", "stbl"])
        guard isFound else { throw Missing() }
        return result
    }
}
