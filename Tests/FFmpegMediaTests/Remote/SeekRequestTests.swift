import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia
@testable import HTTPClient

@Suite("Requests and connections of a seek (R-NET-15)")
struct SeekRequestTests {
    struct Medium: Sendable, CustomTestStringConvertible {
        var name: String
        var arguments: [String]
        /// The tolerance of the seek, in seconds.
        var tolerance: Int64 = 0
        var rate: Int64 = 44_100
        /// Whether the seek allows an estimated position.
        var allowsEstimate = false
        /// Whether the landing of such a seek is estimated, because the bit rate is not constant.
        var mayBeEstimated = false
        var testDescription: String { name }
    }
    /// FFmpeg's usual search for the coding of noise takes six times as long. What matters here is the number of bytes.
    private static let aac = ["-c:a", "aac", "-aac_coder", "fast", "-ac", "1", "-b:a", "256k"]
    private static let media = [
        Medium(name: "seek-index.mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "320k"]),
        Medium(
            name: "seek-plain.mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "320k", "-write_xing", "0", "-id3v2_version", "0"], tolerance: 5),
        Medium(name: "seek-calculated.mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "320k"], allowsEstimate: true),
        Medium(name: "seek-calculated-plain.mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "320k"] + LongMedium.bare, allowsEstimate: true),
        Medium(name: "seek-table.mp3", arguments: ["-c:a", "libmp3lame", "-q:a", "0"], allowsEstimate: true, mayBeEstimated: true),
        Medium(
            name: "seek-estimated.mp3", arguments: ["-c:a", "libmp3lame", "-q:a", "0"] + LongMedium.bare, allowsEstimate: true, mayBeEstimated: true),
        Medium(name: "seek.aac", arguments: SeekRequestTests.aac + ["-f", "adts"], allowsEstimate: true, mayBeEstimated: true),
        Medium(name: "seek.ogg", arguments: ["-c:a", "libvorbis", "-q:a", "9"]),
        Medium(name: "seek.opus", arguments: ["-c:a", "libopus", "-b:a", "400k"], rate: 48_000),
        Medium(name: "seek.flac", arguments: ["-c:a", "flac"]),
        Medium(name: "seek.m4a", arguments: SeekRequestTests.aac + ["-movflags", "-faststart"]),
    ]

    /// The requests that a seek causes: those that do not continue an earlier response.
    private static func jumps(_ requests: ArraySlice<KeptServer.Request>, after earlier: ArraySlice<KeptServer.Request>) -> [String] {
        let ends = Set((earlier + requests).compactMap { $0.range?.last.map { $0 + 1 } })
        return requests.filter { request in request.range.map { !ends.contains($0.first) } ?? true }.map { $0.fields["range"] ?? "" }
    }

    @Test("a seek over TLS needs few requests, and all seeks together no further TLS handshake", arguments: media)
    func seeks(_ medium: Medium) throws {
        let url = try TestMedia.shared.file(medium.name) { url in
            let noise = ["-f", "lavfi", "-i", "anoisesrc=d=100:a=0.3:seed=7:r=44100", "-ac", "2"]
            try TestMedia.ffmpeg(noise + medium.arguments + [url.path])
        }
        let bytes = try [UInt8](Data(contentsOf: url)), identity = TLSIdentity("localhost")
        let server = try KeptServer(identity) { .part(of: bytes, $0, fields: "ETag: \"1\"\r\nAccept-Ranges: bytes\r\n") }
        defer { server.stop() }
        let issuer = try TestMedia.shared.file("\(medium.name).pem") { try identity.text.write(to: $0, atomically: true, encoding: .utf8) }
        let trust = TLSTrust(file: issuer.path, folder: nil), monitor = ConnectionMonitor(), address = server.url("/\(medium.name)")
        // Little is transferred ahead, so that the seeks lead to bytes that have not been transferred.
        monitor.setDemand(isCurrent: true, isNeeded: true, now: HostTime(seconds: 0))
        monitor.setCapacity(0)
        // The clock stands still, so that the rest of a response never takes too long to be read. Its time is after all deadlines of the sockets.
        let clock = VirtualClock(seconds: MonotonicClock().now.seconds + 100_000), interrupt = Interrupt()
        let source = try BufferedSource(monitor: monitor, interrupt: interrupt) { interrupt throws(PlaybackError) in
            let remote = try HTTPSource(
                url: address, headers: [], allowsPrivateAddresses: true, trust: trust, interrupt: interrupt, clock: clock)
            return try RetryingSource(remote, policy: RetryPolicy(), monitor: monitor, clock: clock) { _ in false }
        }
        let reader = try FFmpegOpener().open(source, MediaSource(.remote(url: "")), interrupt: interrupt)
        reader.allowEstimates()
        _ = try Reading.samples(reader, limit: 20_000)
        let handshakes = server.handshakeCount
        for second in [70, 15, 95, 40] as [Int64] {
            let before = server.requests.count, target = medium.rate * second, tolerance = medium.rate * medium.tolerance
            let landing = try reader.seek(to: target, before: tolerance, after: tolerance, allowsEstimate: medium.allowsEstimate)
            #expect(abs(landing - target) <= tolerance)
            let isEstimated = reader.isPositionEstimated
            let block = try #require(try reader.read())
            #expect(block.position <= landing && block.end > landing)
            let all = server.requests, jumps = Self.jumps(all[before...], after: all[..<before])
            #expect(jumps.count <= 3, "to \(second) s: \(jumps)")
            // A seek may find bytes that the transfer has received on its way to others, and then needs no estimate.
            #expect(medium.mayBeEstimated || !isEstimated)
        }
        #expect(server.handshakeCount == handshakes)
    }
}
