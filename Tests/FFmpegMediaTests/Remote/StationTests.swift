import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Radio stations with titles")
struct StationTests {
    /// A response of a station with a title after every `interval` bytes of audio.
    private func response(_ audio: [UInt8], interval: Int, titles: [String]) -> [UInt8] {
        var bytes = Array("ICY 200 OK\r\nicy-name: The Station\r\nicy-br: 128\r\nicy-metaint: \(interval)\r\n\r\n".utf8)
        var titles = titles[...]
        for start in stride(from: 0, to: audio.count, by: interval) {
            let part = audio[start..<min(start + interval, audio.count)]
            bytes += part
            guard part.count == interval else { break }
            bytes += titles.popFirst().map { ICYFilterTests.block("StreamTitle='\($0)';") } ?? [0]
        }
        return bytes
    }

    @Test("the audio of a station is that of the file, and each title has the media time of the audio after it")
    func titles() throws {
        let audio = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(RemoteTests.signal, as: "station", "wav", ["-c:a", "pcm_s16le"])))
        let interval = audio.count / 8
        let body = response(audio, interval: interval, titles: ["One", "One", "Two"])
        let server = try MediaServer { _ in .sequence([body]) }
        defer { server.stop() }
        let log = TimedMetadataLog()
        var source = MediaSource(.remote(url: server.url("/radio")))
        source.timedMetadata = log
        let reader = try FFmpegOpener(retryPolicy: RetryPolicy()).open(source, interrupt: Interrupt())
        #expect(reader.info.isLive && reader.info.tag("icy-name") == "The Station" && reader.info.tag("icy-br") == "128")
        var samples: [Float] = []
        // A station has no end, so the reader waits for a new connection after the last sample of this response.
        while samples.count < RemoteTests.source.count * 9 / 10, let block = try reader.read() { samples += block.samples }
        #expect(samples[...] == RemoteTests.source.prefix(samples.count))
        let placed = log.placed
        #expect(placed.map { $0.entries.first?.value } == ["One", "Two"])
        let seconds = Double(RemoteTests.source.count / reader.info.format.channelCount) / Double(reader.info.format.sampleRate)
        for (title, part) in zip(placed, [0.125, 0.375]) { #expect(abs(title.time / seconds - part) < 0.1) }
        #expect(server.requests.first?.fields["icy-metadata"] == "1")
    }

    @Test("titles are requested only for a medium whose titles are used, and a custom header field cannot request them")
    func unwanted() throws {
        let audio = try RemoteTests.flac()
        let server = try MediaServer { _ in .bytes(audio, ranges: false) }
        defer { server.stop() }
        _ = try RemoteTests.open(server.url("/radio"), headers: [MetadataEntry(key: "Icy-MetaData", value: "1")])
        #expect(server.requests.first?.fields["icy-metadata"] == nil)
    }
}
