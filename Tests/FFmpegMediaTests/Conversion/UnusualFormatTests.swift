import CoreMedia
import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

/// Media of unusual rates and channels, on devices of any kind.
@Suite("Unusual formats on any device")
struct UnusualFormatTests {
    /// The channels of a file: their number, and whether the file names their speakers.
    struct Channels: Sendable, CustomTestStringConvertible {
        var count: Int
        var hasLayout = true
        var testDescription: String { "\(count) channels\(hasLayout ? "" : " of unknown speakers")" }
    }

    @Test(
        "each layout is heard completely on each device: mono, 3.0, 5.1, 7.1 and unknown ones",
        arguments: [
            Channels(count: 1), Channels(count: 3), Channels(count: 6), Channels(count: 8), Channels(count: 3, hasLayout: false),
            Channels(count: 5, hasLayout: false), Channels(count: 8, hasLayout: false),
        ], [1, 2, 6])
    func layouts(_ channels: Channels, _ speakers: Int) throws {
        let medium = try RampMedium(rate: 44_100, channels: channels.count, frames: 4_410, hasLayout: channels.hasLayout)
        let clock = VirtualClock()
        let sink = CaptureSink(clock: clock)
        sink.setSampleRate(48_000)
        sink.setSpeakers(ChannelLayout(count: speakers))
        let engine = SteppedEngine(opener: FFmpegOpener(), output: CaptureOutputProvider(sink), clock: clock, events: { _ in })
        defer { engine.shutDown() }
        engine.send(.load(LoadRequest(item: ItemID(rawValue: 1), source: MediaSource(.file(path: medium.url.path)), startTime: .zero)))
        engine.send(.setRunning(true))
        engine.settle()
        let format = try #require(sink.opens.last)
        #expect(format.sampleRate == 48_000)
        // A device of one speaker receives all channels, because the sound server mixes them.
        #expect(format.channelCount == (speakers == 1 ? channels.count : min(speakers, channels.count)))
        for _ in 0..<6 {
            clock.advance(by: 0.02)
            sink.play(frames: 960)
            engine.settle()
        }
        let heard = sink.takeHeard()
        #expect(heard.count == 4_800)
        // All channels rise together, so the mix rises too, by at least an eighth of a channel and without clipping.
        let (low, high) = (heard[1_000].value, heard[4_000].value)
        #expect(low > 0.05 && high > low * 1.5 && high <= 0.9, "\(low) to \(high)")
    }

    @Test(
        "a medium of any rate is refused, or converted in bounded memory with its exact length",
        arguments: [1, 7, 3_999, 44_101, 1_000_000, 1_000_003, 16_777_259])
    func rates(_ rate: Int) throws {
        let frames = min(20_000, rate * 2 + 3)
        let medium = try RampMedium(rate: rate, channels: 2, frames: frames)
        let reader: any AudioReader
        do throws(PlaybackError) {
            reader = try Reading.open(medium.url)
            try reader.setOutputFormat(AudioFormat(sampleRate: 48_000, channelLayout: .stereo))
        } catch {
            #expect([.unsupportedFormat, .corruptMedia].contains(error.code), "\(error)")
            return
        }
        let total = Int(medium.length(at: 48_000).rounded())
        #expect(reader.duration == .exact(frames: Int64(total), sampleRate: 48_000))
        var count = 0
        while let block = try reader.read() {
            #expect(block.frameCount <= 1 << 16, "a block has a limit")
            count += block.frameCount
        }
        #expect(count == total)
        _ = try reader.seek(to: Int64(total / 2), before: 0, after: 0)
        let rest = try Reading.samples(reader, channels: 2)
        #expect(rest.count == 2 * (total - total / 2))
        #expect(rest.allSatisfy { abs($0) < 1.2 })
    }

    @Test("a chain whose rate changes within it has its length and its exact seeks on a device of a third rate", arguments: [96_000, 48_000, 22_050])
    func changingRate(_ device: Int) throws {
        let parts = try [(48_000, "9"), (44_100, "77")].map { rate, serial in
            try TestMedia.shared.encoded(
                TestSignal(sampleRate: rate, frameCount: rate / 2), as: "changing", "ogg", ["-c:a", "flac", "-serial_offset", serial])
        }
        let url = try ChainTests.joined("changing.ogg", parts)
        let whole = try Reading.samples(DeliveryTests.open(url, rate: device), channels: 2)
        let total = whole.count / 2
        #expect(abs(total - device) <= 1, "\(total)")
        // The noise has no ten silent frames in succession, so these would be a hole.
        let left = whole.channel(0, of: 2)
        #expect(!left.indices.dropFirst(100).dropLast(100).contains { index in left[index..<(index + 10)].allSatisfy { abs($0) < 1e-6 } })
        let reader = try DeliveryTests.open(url, rate: device)
        var random = SeededGenerator(seed: 3)
        for number in 0..<20 {
            let target = number == 0 ? device / 2 : Int.random(in: 0..<(total - 600), using: &random)
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            #expect(try Reading.samples(reader, limit: 500, channels: 2) == whole.frames(target..<(target + 500), of: 2), "seek to \(target)")
        }
    }

    @Test(
        "ADTS whose rate changes within it has its length on a device of a third rate, and no hole",
        arguments: [[44_100, 48_000], [48_000, 22_050]])
    func changingFrames(_ rates: [Int]) throws {
        let parts = try rates.map { rate in
            try TestMedia.shared.encoded(TestSignal(sampleRate: rate, frameCount: rate), as: "changing", "aac", ["-c:a", "aac", "-aac_pns", "0"])
        }
        let url = try TestMedia.shared.file("changing-\(rates).aac") { url in
            try parts.map { try Data(contentsOf: $0) }.reduce(Data(), +).write(to: url)
        }
        let whole = try Reading.samples(DeliveryTests.open(url, rate: 96_000), channels: 2).channel(0, of: 2)
        // The encoder pads both parts, so their lengths are those of the parts alone.
        let lengths = try zip(parts, rates).map { part, rate in Double(try Reading.samples(Reading.open(part)).count / 2) / Double(rate) }
        let difference = Double(whole.count) / 96_000 - lengths.reduce(0, +)
        #expect(abs(difference) < 0.03, "\(difference) s")
        let second = Array(whole[(96_000 * 5 / 4)..<(96_000 * 7 / 4)])
        #expect(!second.indices.dropLast(20).contains { index in second[index..<(index + 20)].allSatisfy { abs($0) < 1e-6 } })
    }
}
