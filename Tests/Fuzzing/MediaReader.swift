import Glibc
import Platform
import PlaybackEngine

@testable import FFmpegMedia

// A libFuzzer target for the media reader: the fuzzer chooses every byte of a file, or of a server's response. `script/fuzz` builds and runs it.
//
// It checks the guarantees that the engine relies on: a reader opens or fails with an error; blocks follow each other without a gap; a seek reports
// its position, which is within its tolerances, and the next block begins there; the audio does not end before an exact duration. A violated
// guarantee is a trap.

/// An unnamed file that contains the input.
private let descriptor = fileno(tmpfile())

/// The entry point of the fuzzer: one run with the bytes `data`, as the content of a file or as a server's response.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    guard let data, size > 0 else { return 0 }
    let bytes = UnsafeBufferPointer(start: data, count: size)
    // The random actions of a run (seeks, formats) are derived from a hash of the input. So the input alone reproduces a finding.
    var random = bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    func choose(_ count: UInt64) -> UInt64 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (random >> 33) % count
    }
    checkWalk(bytes, isADTS: choose(2) == 0, portion: FrameWalk.window + Int(choose(16_384)), spacing: Int64(choose(40)) + 1)
    checkPlaylists(bytes)
    require(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, data, size, 0) == size, "the input cannot be written down")
    let source = MediaSource(.file(path: "/proc/self/fd/\(descriptor)"), prefersPreciseDuration: choose(4) == 0)
    let sent: SentBytes? =
        switch choose(4) {
        case 0: SentBytes(Array(bytes), isSeekable: true, piece: Int(choose(8192)) + 1)
        case 1: SentBytes(Array(bytes), isSeekable: false, piece: Int(choose(8192)) + 1)
        default: nil
        }
    // Half of the runs read the tables of an MP4 file without FFmpeg, even if it is short.
    guard let reader = try? open(source, sent, tableThreshold: choose(2) == 0 ? SampleTables.kept + 1 : SampleTables.threshold) else { return 0 }
    if choose(2) == 0, let reader = reader as? FFmpegReader { reader.allowEstimates() }
    let run = Run(reader)
    run.checkInfo()
    if choose(3) == 0 {
        let rate = [8000, 44_100, 48_000, 96_000][Int(choose(4))]
        guard run.deliver(AudioFormat(sampleRate: rate, channelLayout: ChannelLayout(count: Int(choose(2)) + 1))) else { return 0 }
    }
    run.read(blocks: 24)
    for _ in 0..<5 {
        let length = UInt64(max(1, min(run.length, 1 << 40)))
        let target = choose(8) == 0 ? Int64(choose(1 << 31)) << Int64(choose(33)) : Int64(choose(length + length / 8 + 1))
        let isTolerant = choose(3) == 0
        let before = isTolerant ? Int64(choose(200_000)) : 0, after = isTolerant ? Int64(choose(200_000)) : 0
        run.seek(to: target, before: before, after: after, allowsEstimate: choose(2) == 0)
        run.read(blocks: 3)
    }
    // Each run ends by reading the last 3,000 frames, so that the end of the audio is checked too.
    run.seek(to: run.length - 3000, before: 0, after: 0)
    run.read(blocks: 64)
    return 0
}

/// Walks over the headers of the first frames of MPEG audio or ADTS in portions, and checks that one portion gives the same result.
private func checkWalk(_ bytes: UnsafeBufferPointer<UInt8>, isADTS: Bool, portion: Int, spacing: Int64) {
    func rest(_ offset: Int) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[offset...]) }
    guard let first = bytes.indices.first(where: { bytes[$0] == 0xFF && FrameRun(rest($0), isADTS: isADTS) != nil }),
        let run = FrameRun(rest(first), isADTS: isADTS)
    else { return }
    var whole = FrameWalk(run, from: Int64(first)), marks: [FrameWalk.Frame] = []
    whole.advance(over: rest(first), limit: .max, spacing: spacing) { marks.append($0) }
    var parts = FrameWalk(run, from: Int64(first)), others: [FrameWalk.Frame] = [], reached: Int64 = -1
    while parts.offset != reached {
        reached = parts.offset
        let part = UnsafeBufferPointer(rebasing: bytes[Int(reached)..<min(bytes.count, Int(reached) + portion)])
        parts.advance(over: part, limit: .max, spacing: spacing) { others.append($0) }
    }
    require(parts.offset == whole.offset && parts.count == whole.count && others == marks, "a walk depends on its portions")
    require(whole.offset <= Int64(bytes.count), "a walk leaves the medium")
}

/// Reads the playlists of a live stream, one after the other, and checks the timeline that they make.
private func checkPlaylists(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.starts(with: "#EXTM3U".utf8) else { return }
    var timeline: HLSTimeline?, rest = Array(bytes)[...], time = HostTime(seconds: 0)
    while !rest.isEmpty {
        let next = rest.indices.dropFirst().first { rest[$0...].starts(with: "#EXTM3U".utf8) } ?? rest.endIndex
        let text = Array(rest[..<next])
        rest = rest[next...]
        time = time + 6
        guard case .media(let media)? = try? HLSPlaylist(text) else { continue }
        if timeline == nil { timeline = HLSTimeline(media, at: time) } else { timeline?.update(media, at: time) }
        guard let places = timeline?.places, let window = timeline?.window, let start = timeline?.startTime else { continue }
        let isOrdered = zip(places, places.dropFirst()).allSatisfy { $0.index + 1 == $1.index && $0.run <= $1.run && $0.start <= $1.start }
        require(isOrdered, "the segments of a stream are not in their order")
        require(start >= window.lowerBound && start <= window.upperBound, "a stream begins outside its window")
    }
}

private func open(_ source: MediaSource, _ sent: SentBytes?, tableThreshold: Int64) throws(PlaybackError) -> any AudioReader {
    var opener = FFmpegOpener()
    opener.tableThreshold = tableThreshold
    guard let sent else { return try opener.open(source, interrupt: Interrupt()) }
    return try opener.open(sent, source, interrupt: Interrupt())
}

/// A server's response as a source of bytes: each call of `read` returns any number of bytes, and the source may support seeking or not.
private final class SentBytes: ByteSource {
    private let bytes: [UInt8]
    private let piece: Int
    let isSeekable: Bool
    private(set) var offset: Int64 = 0
    var length: Int64? { isSeekable ? Int64(bytes.count) : nil }
    let isRemote = true
    var isLive: Bool { false }

    init(_ bytes: [UInt8], isSeekable: Bool, piece: Int) {
        self.bytes = bytes
        self.isSeekable = isSeekable
        self.piece = piece
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        guard offset < bytes.count else { return 0 }
        let start = Int(offset), count = min(buffer.count, piece, bytes.count - start)
        buffer.copyBytes(from: bytes[start..<(start + count)])
        offset += Int64(count)
        return count
    }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard isSeekable || offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        guard offset >= 0 else { throw PlaybackError(.notSeekable, "A place before the beginning.") }
        self.offset = offset
    }
}

/// Prints a step of the run if the environment variable TONEARM_FUZZ_TRACE is set. It helps to understand a finding that is replayed.
private func trace(_ line: @autoclosure () -> String) {
    if isTracing { say(line()) }
}
private let isTracing = getenv("TONEARM_FUZZ_TRACE") != nil

/// Traps if a guarantee is violated, so that the fuzzer reports a finding, and prints the violated guarantee.
private func require(_ isKept: Bool, _ promise: @autoclosure () -> String) {
    if isKept { return }
    say("broken: \(promise())")
    abort()
}

private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// One run of the fuzzer on an open reader: calls its functions, and checks its guarantees.
private final class Run {
    private let reader: any AudioReader
    private var format: AudioFormat
    /// The media frame at which the next block of the reader must begin; nil if it is unknown, because a call has failed.
    private var position: Int64? = 0

    init(_ reader: any AudioReader) {
        self.reader = reader
        format = reader.info.format
    }

    /// The exact or estimated number of frames of the medium; 100,000 if the reader knows neither.
    var length: Int64 {
        switch reader.duration {
        case .unknown: 100_000
        case .estimated(let frames, _), .exact(let frames, _): frames
        }
    }

    func checkInfo() {
        let info = reader.info
        trace("\(info.containerName) \(info.codecName) \(info.format) \(info.duration)")
        require((1...768_000).contains(info.format.sampleRate) && (1...64).contains(info.format.channelCount), "a format out of range")
        require(info.artwork.map { $0.data.count <= 16 << 20 } ?? true, "a picture that is too large")
        require(info.metadata.allSatisfy { $0.value.utf8.count <= 64 << 10 }, "a tag that is too long")
        for chapter in info.chapters { require(chapter.start >= 0 && chapter.end >= chapter.start, "a chapter that ends before it begins") }
        checkDuration()
    }

    private func checkDuration() {
        switch reader.duration {
        case .unknown: break
        case .estimated(let frames, let rate): require(frames > 0 && rate > 0, "an estimate of nothing")
        case .exact(let frames, let rate): require(frames >= 0 && rate > 0, "a negative duration")
        }
    }

    /// Makes the reader deliver blocks in a format. Returns false if the reader does not support the format.
    func deliver(_ format: AudioFormat) -> Bool {
        guard (try? reader.setOutputFormat(format)) != nil else { return false }
        self.format = format
        return true
    }

    func read(blocks: Int) {
        for _ in 0..<blocks {
            guard let expected = position else { return }
            do throws(PlaybackError) {
                guard let block = try reader.read() else {
                    trace("end at \(expected), \(reader.duration)")
                    checkEnd(expected)
                    return
                }
                require(block.frameCount > 0 && block.channelCount == format.channelCount, "an empty block")
                require(block.samples.count == block.frameCount * block.channelCount, "a block whose size differs from its frame count")
                require(block.position == expected, "a block begins at \(block.position), not at \(expected)")
                trace("block \(block.position)..<\(block.end)")
                position = block.end
            } catch { position = nil }
        }
        checkDuration()
    }

    private func checkEnd(_ place: Int64) {
        guard case .exact(let frames, _) = reader.duration else { return }
        // A reader with an exact duration must not end before it.
        require(place >= frames, "the medium ends at \(place), before its exact duration, \(frames)")
    }

    func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool = false) {
        do throws(PlaybackError) {
            let landed = try reader.seek(to: target, before: before, after: after, allowsEstimate: allowsEstimate)
            require(allowsEstimate || !reader.isPositionEstimated, "an estimated position that was not allowed")
            let wanted = max(0, min(target, 1 << 48))
            require(
                landed >= 0 && landed >= wanted - before && landed <= wanted + after, "a seek to \(wanted) -\(before) +\(after) lands at \(landed)")
            trace("seek to \(wanted) -\(before) +\(after): \(landed)")
            position = landed
        } catch { position = nil }
    }
}
