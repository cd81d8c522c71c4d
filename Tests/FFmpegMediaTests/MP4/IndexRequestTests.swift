import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia
@testable import HTTPClient

@Suite("Requests for an MP4 file whose header is at its end (R-NET-17)")
struct IndexRequestTests {
    /// The bytes of an MP4 file, with zeros between its audio and its header that are not in memory.
    private struct HoledFile: Sendable {
        private let head: [UInt8], tail: [UInt8], hole: Int
        let length: Int
        /// The offsets of the movie's box, and of the byte after the table of sizes of the first track.
        let movie: Int, afterSizes: Int

        /// - Parameter isFree: Whether the zeros are a box of their own; otherwise they belong to the box of the audio.
        init(_ bytes: [UInt8], hole: Int, isFree: Bool) throws {
            var at = 0, audio: Range<Int>?, movie: Int?
            while at + 8 <= bytes.count {
                let size = HoledFile.number(bytes, at), name = String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self)
                if name == "mdat" { audio = at..<(at + size) }
                if name == "moov" { movie = at }
                at += max(size, 8)
            }
            let content = try #require(audio), start = try #require(movie), sizes = try #require(HoledFile.find("stsz", in: bytes[start...]))
            var head = Array(bytes[..<start])
            if isFree {
                head += Boxes.numbers(UInt64(hole + 8)) + Array("free".utf8)
            } else {
                head.replaceSubrange(content.lowerBound..<(content.lowerBound + 4), with: Boxes.numbers(UInt64(content.count + hole)))
            }
            self.head = head
            self.hole = hole
            tail = Array(bytes[start...])
            self.movie = head.count + hole
            afterSizes = head.count + hole + sizes - start + HoledFile.number(bytes, sizes)
            length = head.count + hole + tail.count
        }

        private static func number(_ bytes: [UInt8], _ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        private static func find(_ name: String, in bytes: ArraySlice<UInt8>) -> Int? {
            let name = Array(name.utf8)
            return bytes.indices.dropLast(4).first { bytes[$0] == name[0] && bytes[$0...].starts(with: name) }.map { $0 - 4 }
        }

        func response(_ request: KeptServer.Request) -> KeptServer.Response {
            let (first, last) = request.range ?? (0, nil), range = first..<max(first, min(length, (last ?? length - 1) + 1))
            var body = Array(head[range.clamped(to: 0..<head.count)])
            body += [UInt8](repeating: 0, count: range.clamped(to: head.count..<movie).count)
            let inTail = range.clamped(to: movie..<length)
            body += tail[(inTail.lowerBound - movie)..<(inTail.upperBound - movie)]
            let fields = "ETag: \"1\"\r\nAccept-Ranges: bytes\r\n"
            return KeptServer.Response(
                head: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(first)-\(range.upperBound - 1)/\(length)\r\n\(fields)", body: body)
        }
    }

    /// A book whose sample tables refer to the same audio again and again. The table of offsets has more than 256 KiB too.
    private static func book(isFree: Bool) throws -> HoledFile {
        let url = try TestMedia.shared.file("index-book.m4b") { url in
            let notes = try TestMedia.shared.file("index-book.txt") { url in
                let chapters = (0..<500).map { "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0 * 40)\nEND=\($0 * 40 + 40)\ntitle=Chapter \($0)\n" }
                try Data((";FFMETADATA1\ntitle=Book\n" + chapters.joined()).utf8).write(to: url)
            }
            let noise = ["-f", "lavfi", "-i", "anoisesrc=d=20:a=0.3:seed=7:r=44100", "-i", notes.path, "-map_metadata", "1"]
            try TestMedia.ffmpeg(noise + ["-c:a", "aac", "-b:a", "128k", url.path])
        }
        // The edits of the two tracks state the length of the short file.
        let plain = try Rewriting.withoutEdits(Rewriting.withoutEdits([UInt8](Data(contentsOf: url))))
        var tables = try TrackTables(of: plain)
        tables.divide([3])
        tables.loop(600)
        tables.durations = [(UInt64(tables.sizes.count), 1024)]
        return try HoledFile(tables.written(into: plain), hole: 1_000_000_000, isFree: isFree)
    }

    /// A clock on which each look takes a time, so that a link is slow. Its times are after all deadlines of the sockets.
    private final class SlowClock: HostClock {
        private let seconds: Mutex<Double>
        private let step: Double
        init(step: Double) {
            self.step = step
            seconds = Mutex(MonotonicClock().now.seconds + 100_000)
        }
        var now: HostTime {
            seconds.withLock { seconds in
                seconds += step
                return HostTime(seconds: seconds)
            }
        }
    }

    /// An open medium, and the requests until the first audio after its opening.
    private struct Opened {
        let reader: FFmpegReader
        let requests: [KeptServer.Request]
        var ranges: [Range<Int>] { requests.compactMap(\.range).map { $0.first..<(($0.last ?? $0.first) + 1) } }
        /// Whether a byte has been requested twice.
        var hasRepeated: Bool {
            let ranges = ranges
            return ranges.indices.contains { number in ranges[..<number].contains { $0.overlaps(ranges[number]) } }
        }
        /// The first bytes of the requests that do not continue an earlier response.
        var jumps: [Int] {
            let ends = Set(ranges.map(\.upperBound))
            return ranges.map(\.lowerBound).filter { !ends.contains($0) }
        }
    }

    private static func open(_ server: KeptServer, clock: any HostClock) throws -> Opened {
        let monitor = ConnectionMonitor(), address = server.url("/book.m4b"), interrupt = Interrupt()
        // Little is transferred ahead.
        monitor.setDemand(isCurrent: true, isNeeded: true, now: HostTime(seconds: 0))
        monitor.setCapacity(0)
        let source = try BufferedSource(isOpening: true, monitor: monitor, interrupt: interrupt) { interrupt throws(PlaybackError) in
            let remote = try HTTPSource(url: address, headers: [], allowsPrivateAddresses: true, interrupt: interrupt, clock: clock)
            return try RetryingSource(remote, policy: RetryPolicy(), monitor: monitor, clock: clock) { _ in false }
        }
        let reader = try FFmpegOpener().open(source, MediaSource(.remote(url: "")), interrupt: interrupt)
        _ = try #require(try reader.read())
        return Opened(reader: reader, requests: server.requests)
    }

    /// The clock of a fast link: it stands still.
    private static var fastClock: VirtualClock { VirtualClock(seconds: MonotonicClock().now.seconds + 100_000) }

    @Test("a book needs a request for its start, one for the first part of its header, and one for the part after the sizes of its samples")
    func book() throws {
        let book = try IndexRequestTests.book(isFree: false), server = try KeptServer { book.response($0) }
        defer { server.stop() }
        let opened = try IndexRequestTests.open(server, clock: IndexRequestTests.fastClock)
        #expect(opened.jumps == [0, book.movie, book.afterSizes] && !opened.hasRepeated)
        #expect(opened.reader.info.chapters.count == 500)
    }

    @Test("a box between the audio and the header, not far after the first bytes, is read with them")
    func freeBox() throws {
        let book = try IndexRequestTests.book(isFree: true), server = try KeptServer { book.response($0) }
        defer { server.stop() }
        #expect(try IndexRequestTests.open(server, clock: IndexRequestTests.fastClock).jumps == [0, book.movie, book.afterSizes])
    }

    @Test("over a slow link, the offsets of chunks are not read through, and no byte is requested twice")
    func slow() throws {
        let book = try IndexRequestTests.book(isFree: false), server = try KeptServer { book.response($0) }
        defer { server.stop() }
        let opened = try IndexRequestTests.open(server, clock: SlowClock(step: 0.02))
        #expect(opened.jumps.count == 4 && opened.jumps.starts(with: [0, book.movie, book.afterSizes]) && !opened.hasRepeated)
        // Of the header of 3 MB, two parts of at most 256 KiB each, and the bytes after the offsets.
        let header = opened.ranges.map { $0.clamped(to: book.movie..<book.length) }
        #expect(header.reduce(0) { $0 + $1.count } < 600_000)
    }

    @Test("a jump in a book needs a request for the offset, one for the sizes, and one for the audio")
    func jump() throws {
        let book = try IndexRequestTests.book(isFree: false), server = try KeptServer { book.response($0) }
        defer { server.stop() }
        let opened = try IndexRequestTests.open(server, clock: IndexRequestTests.fastClock), before = opened.requests.count
        let target: Int64 = 44_100 * 6000
        #expect(try opened.reader.seek(to: target, before: 0, after: 0) == target)
        _ = try #require(try opened.reader.read())
        let later = Opened(reader: opened.reader, requests: Array(server.requests[before...]))
        #expect(later.jumps.count <= 3)
    }

    @Test("an ordinary file needs a request for its start and one for its header", arguments: [60, 300])
    func ordinary(_ seconds: Int) throws {
        let url = try TestMedia.shared.file("index-ordinary-\(seconds).m4a") { url in
            let noise = ["-f", "lavfi", "-i", "anoisesrc=d=\(seconds):a=0.3:seed=7:r=44100"]
            try TestMedia.ffmpeg(noise + ["-c:a", "aac", "-aac_coder", "fast", "-b:a", "128k", "-metadata", "title=Ordinary", url.path])
        }
        let bytes = try [UInt8](Data(contentsOf: url)), file = try HoledFile(bytes, hole: 0, isFree: false)
        let server = try KeptServer { file.response($0) }
        defer { server.stop() }
        let opened = try IndexRequestTests.open(server, clock: SlowClock(step: 0.02))
        #expect(opened.jumps == [0, file.movie] && !opened.hasRepeated)
    }
}
