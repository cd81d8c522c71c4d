import CFFmpeg
@testable import FFmpegMedia
import Foundation
import PlaybackEngine
import Testing

@Suite("Hostile numbers")
struct HostileTests {
    // MARK: MP4 headers

    /// Big-endian, with leading zeros if `count` is more than 8.
    private func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { (place: Int) -> UInt8 in UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - place))) }
    }
    private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var all: [UInt8] = bytes(UInt64(content.count + 8), 4)
        all += Array(name.utf8)
        return all + content
    }

    /// The header of a file with one audio track, number 1, that has these edits.
    private func header(movieScale: UInt64, trackScale: UInt64, edits: [(duration: UInt64, time: Int64)]) throws -> MovieHeader? {
        let scale = { (value: UInt64) -> [UInt8] in [0, 0, 0, value, 0, 0].flatMap { self.bytes($0, 4) } }
        var list: [UInt8] = bytes(1 << 24, 4)
        list += bytes(UInt64(edits.count), 4)
        for edit in edits {
            list += bytes(edit.duration, 8)
            list += bytes(UInt64(bitPattern: edit.time), 8)
            list += bytes(1 << 16, 4)
        }
        let times: [UInt8] = [0, 1, 1000, 1024].flatMap { bytes($0, 4) }
        var media: [UInt8] = box("mdhd", scale(trackScale))
        media += box("hdlr", bytes(0, 8) + Array("soun".utf8) + bytes(0, 13))
        media += box("minf", box("stbl", box("stts", times)))
        let identity: [UInt8] = [0, 0, 0, 1, 0, 0].flatMap { bytes($0, 4) }
        var track: [UInt8] = box("tkhd", identity)
        track += box("edts", box("elst", list))
        track += box("mdia", media)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("header-\(UUID().uuidString).mp4")
        try Data(box("moov", box("mvhd", scale(movieScale)) + box("trak", track))).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        var io: UnsafeMutablePointer<AVIOContext>?
        try #require(avio_open(&io, url.path, AVIO_FLAG_READ) >= 0)
        defer { avio_closep(&io) }
        return try MovieHeader(#require(io))
    }

    @Test("an ordinary edit list gives its window")
    func ordinaryEdits() throws {
        let header = try #require(try header(movieScale: 1000, trackScale: 44_100, edits: [(1000, -1), (2000, 1024)]))
        #expect(header.window(ofTrack: 1) == RecordingWindow(origin: 1024 - 44_100, end: 1024 + 88_200, media: 1_024_000))
    }

    @Test("empty edits of extreme length, alone or together, give no window")
    func endlessLead() throws {
        let most: UInt64 = 1 << 40
        let scales: [(UInt64, UInt64)] = [(1, 1 << 22), (1, 1 << 31), (1 << 10, 1 << 31), (1, 1)]
        for (movie, track) in scales {
            let header = try #require(try header(movieScale: movie, trackScale: track, edits: [(most, -1), (most, -1), (most, -1), (1, 0)]))
            #expect(header.window(ofTrack: 1) == nil)
        }
    }

    @Test("an edit of extreme length gives no window")
    func endlessEdit() throws {
        let header = try #require(try header(movieScale: 1, trackScale: 1 << 22, edits: [(1 << 40, (1 << 40) - 1)]))
        #expect(header.window(ofTrack: 1) == nil)
    }

    // MARK: Timestamps

    private func packet(_ pts: Int64) -> AVPacket {
        var packet = AVPacket()
        packet.pts = pts
        return packet
    }

    static let distant: [Int64] = [Int64.max, Int64.max - 1, Int64.min + 1, 0x1000_0000_0000_0000, -0x1000_0000_0000_0000, 0x20_0000_0000_0001]

    @Test("a timestamp out of range counts as absent", arguments: HostileTests.distant)
    func distantTimestamp(_ stamp: Int64) {
        var clock = PacketClock(basis: .timestamps, timeBase: AVRational(num: 1, den: 48_000), sampleRate: 48_000)
        #expect(clock.raw(stamp) == nil)
        var first = packet(0), second = packet(stamp)
        #expect(clock.place(&first, samples: 1000) == 0)
        #expect(clock.place(&second, samples: 1000) == 1000)
    }

    @Test("a jump to Int64.min is handled like any other")
    func leastNumber() {
        var clock = PacketClock(basis: .packets, timeBase: AVRational(num: 1, den: 48_000), sampleRate: 48_000)
        var any = packet(0)
        clock.jumped(to: 0)
        #expect(clock.place(&any, samples: 10, own: .min) == 0)
        #expect(clock.place(&any, samples: 10, own: .min + 10) == 10)
    }

    @Test("timestamps that jump far are ignored, also after a packet of unknown length")
    func jumpBehindUnknownLength() {
        var clock = PacketClock(basis: .timestamps, timeBase: AVRational(num: 1, den: 1000), sampleRate: 1000)
        var first = packet(0), second = packet(1 << 40), third = packet(1 << 40 + 20)
        #expect(clock.place(&first, samples: nil) == 0)
        #expect(clock.place(&second, samples: 20) == 0)
        #expect(clock.place(&third, samples: 20) == 20)
    }

    // MARK: Changes of format

    private func adapted(from rate: Int32, to target: Int, count: Int32) throws -> Int {
        var frame = av_frame_alloc()
        defer { av_frame_free(&frame) }
        let raw = try #require(frame)
        raw.pointee.sample_rate = rate
        raw.pointee.nb_samples = count
        raw.pointee.format = AV_SAMPLE_FMT_FLT.rawValue
        av_channel_layout_default(&raw.pointee.ch_layout, 1)
        try #require(av_frame_get_buffer(raw, 0) >= 0)
        raw.pointee.data.0?.update(repeating: 0, count: Int(count) * 4)
        return try FrameAdapter(AudioFormat(sampleRate: target, channelLayout: ChannelLayout(count: 1))).adapt(raw, count: Int(count))
    }

    @Test("a stream that changes its rate keeps its duration")
    func changedRate() throws {
        #expect(try adapted(from: 22_050, to: 44_100, count: 1000) == 2000)
    }

    @Test(
        "a change to an implausible rate counts as damage", arguments: zip([1, 1, 655_350] as [Int32], [655_350, 768_000, 1] as [Int]))
    func absurdRate(_ rate: Int32, _ target: Int) throws {
        #expect(try adapted(from: rate, to: target, count: 65_535) == 0)
    }
}
