import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The timeline of each format")
struct TimelineTests {
    @Test("a lossless medium gives exactly the samples of the source", arguments: Encoding.lossless)
    func lossless(_ encoding: Encoding) throws {
        let reader = try Reading.open(encoding.file())
        let scale = Float(sign: .plus, exponent: 1 - encoding.bits, significand: 1)
        let source = encoding.signal.integers(bits: encoding.bits).map { Float($0) * scale }
        let heard = try Reading.samples(reader)
        #expect(heard.count == source.count)
        #expect(heard == source)
        #expect(reader.duration == .exact(frames: Int64(encoding.signal.frameCount), sampleRate: encoding.signal.sampleRate))
        #expect(reader.skippedPackets == 0)
    }

    @Test("audio with attacks is decoded completely and in place, although the codec switches its block sizes", arguments: Encoding.attacks)
    func attacks(_ encoding: Encoding) throws {
        let file = try encoding.file()
        let plain = try TestMedia.shared.file("decoded-\(file.lastPathComponent).f32") { url in
            try TestMedia.ffmpeg(["-i", file.path, "-f", "f32le", url.path])
        }
        let expected = try Data(contentsOf: plain).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let reader = try Reading.open(file)
        let heard = try Reading.samples(reader)
        #expect(heard.count == (encoding.untold == nil ? encoding.signal.frameCount * encoding.signal.channelCount : expected.count))
        #expect(zip(heard, expected).allSatisfy { abs($0 - $1) <= 0x1p-15 })
        #expect(reader.skippedPackets == 0)
    }

    @Test("position 0 of a lossy medium is the first sample of the recording, and its length is the recording's", arguments: Encoding.lossy)
    func lossy(_ encoding: Encoding) throws {
        let reader = try Reading.open(encoding.file())
        let early = reader.duration
        let channels = encoding.signal.channelCount
        let heard = try Reading.samples(reader)
        let source = encoding.signal.samples().map { Float($0) }
        let from = 8192 * channels, count = 12_000 * channels, shift = (encoding.untold?.before ?? 0) * channels
        let found = SampleComparison.alignment(
            Array(heard[(from + shift)..<(from + shift + count)]).channel(0, of: channels),
            Array(source[from..<(from + count)]).channel(0, of: channels),
            reach: 2500)
        #expect(found.lag == 0)
        #expect(found.likeness > encoding.likeness)
        if encoding.untold == nil {
            #expect(heard.count / channels == encoding.signal.frameCount)
            #expect(early == .exact(frames: Int64(encoding.signal.frameCount), sampleRate: encoding.signal.sampleRate))
        } else {
            #expect(heard.count / channels >= encoding.signal.frameCount + shift / channels)
        }
        #expect(reader.duration == .exact(frames: Int64(heard.count / channels), sampleRate: encoding.signal.sampleRate))
        #expect(reader.skippedPackets == 0)
    }
}
