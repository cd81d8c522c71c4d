import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Shapes of MPEG audio and ADTS, compared with a decode by the ffmpeg program")
struct MPEGAudioShapeTests {
    private static func check(_ heard: [Float], _ expected: MPEGAudioShape.Expectation, channels: Int) {
        let length = heard.count / channels
        #expect(abs(length - expected.length) <= expected.tolerance, "\(length) frames, expected \(expected.length)")
        #expect(length > 0)
        let count = min(heard.count, expected.samples.count)
        #expect(SampleComparison.difference(heard, expected.samples, count: count) <= 0x1p-15)
    }

    /// Reads a medium to its end, and checks its audio and its exact duration. Returns the samples, the number of channels and that of frames.
    private static func readThrough(
        _ reader: any AudioReader, _ shape: MPEGAudioShape
    ) throws -> (heard: [Float], channels: Int, length: Int) {
        let format = reader.info.format, channels = format.channelCount
        let heard = try Reading.samples(reader), length = heard.count / channels
        try check(heard, shape.expectation(channels: channels), channels: channels)
        #expect(reader.duration == .exact(frames: Int64(length), sampleRate: format.sampleRate))
        return (heard, channels, length)
    }

    /// Returns three positions, in frames, of which the first one is near the end.
    private static func targets(_ length: Int) -> [Int] { [max(0, length - 700), length / 3 + 17, length / 2] }

    @Test(
        "a local file has the audio and the length of the decode, after reading and after seeks (R-ASSET-10, R-SEEK-21)",
        arguments: MPEGAudioShape.all)
    func local(_ shape: MPEGAudioShape) throws {
        let url = try shape.url(), (heard, channels, length) = try Self.readThrough(Reading.open(url), shape)
        // The first seek is that of a reader that knows nothing but the start of the file.
        let late = try Reading.open(url)
        for target in Self.targets(length) {
            #expect(try late.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            let rest = try Reading.samples(late, limit: 6000), count = min(6000, length - target) * channels
            #expect(rest.count == count, "to \(target): \(rest.count)")
            #expect(SampleComparison.difference(rest, heard, from: target * channels, count: count) <= 0x1p-15, "to \(target)")
        }
    }

    @Test(
        "on a server the same bytes have the same audio, and a position that is not called estimated is the exact one (R-SEEK-21)",
        arguments: MPEGAudioShape.all)
    func remote(_ shape: MPEGAudioShape) throws {
        let bytes = try shape.bytes(), reader = try LongMedium.remote(bytes).reader
        let (heard, channels, length) = try Self.readThrough(reader, shape)
        for target in Self.targets(length) {
            let late = try LongMedium.remote(bytes).reader
            // The second reader knows only the start; the first one has read all frames, so that its positions are never estimated.
            for (reader, isKnown) in [(late, false), (reader, true)] {
                #expect(try reader.seek(to: Int64(target), before: 0, after: 0, allowsEstimate: true) == Int64(target))
                let block = try reader.read()
                #expect(!isKnown || !reader.isPositionEstimated, "to \(target)")
                if reader.isPositionEstimated { continue }
                guard let block, block.position >= 0, Int(block.end) <= length else {
                    Issue.record("to \(target): \(block.map { "\($0.position)..<\($0.end)" } ?? "no audio") of \(length)")
                    continue
                }
                #expect(Reading.difference(block, heard, first: Int(block.position) * channels) <= 0x1p-15, "to \(target)")
            }
        }
    }

    static let refused: [MPEGAudioShape] = [
        MPEGAudioShape("an ID3v2 tag alone is no audio") { AudioTag.id3v2() },
        MPEGAudioShape("an ID3v1 tag alone is no audio") { AudioTag.id3v1 },
        MPEGAudioShape("an APEv2 tag alone is no audio") { AudioTag.ape(2000) },
        MPEGAudioShape("a single frame may be noise, so it is no MP3") {
            let bytes = try MPEGAudioShape.bare()
            return Array(bytes[..<MPEGAudioShape.offset(ofFrame: 1, in: bytes)])
        },
    ]

    @Test("a file without audio is refused at open, and not played as silence", arguments: refused)
    func refusal(_ shape: MPEGAudioShape) throws {
        let code = try Reading.failure(MediaSource(.file(path: shape.url().path)))?.code
        #expect(code == .unsupportedFormat || code == .corruptMedia || code == .noAudio, "\(String(describing: code))")
    }
}
