import CFFmpeg
import PlaybackEngine
import Testing

@testable import FFmpegMedia

@Suite("Changes of format within a stream")
struct FrameAdapterTests {
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
    func impossibleRate(_ rate: Int32, _ target: Int) throws {
        #expect(try adapted(from: rate, to: target, count: 65_535) == 0)
    }
}
