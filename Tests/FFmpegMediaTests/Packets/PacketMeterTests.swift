import CFFmpeg
import Testing

@testable import FFmpegMedia

@Suite("Measuring of packets")
struct PacketMeterTests {
    @Test("damage between frames of implausibly small size has a bounded length")
    func invalidBytes() throws {
        var parameters = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&parameters) }
        let raw = try #require(parameters)
        raw.pointee.codec_id = AV_CODEC_ID_MP3
        let meter = PacketMeter(raw, sampleRate: 44_100, firstFrame: 1152, firstPacket: 417, meanFrameSize: 1e-15)
        // A packet counts only if it begins with a header, here of MPEG-1 layer 3 at 128 kbit/s. The first content has none.
        for (content, samples) in [([UInt8](repeating: 1, count: 5000), 0), ([0xFF, 0xFB, 0x90, 0] + [UInt8](repeating: 0, count: 413), 1152)] {
            var content = content
            let measured = content.withUnsafeMutableBufferPointer { bytes in
                var packet = AVPacket()
                (packet.data, packet.size) = (bytes.baseAddress, Int32(bytes.count))
                return meter.samples(in: &packet)
            }
            #expect(measured == Int64(samples))
        }
        #expect(meter.gap > 0 && meter.gap <= PacketClock.furthest)
    }

    @Test("an AC-3 frame with another bit stream identification has the length of its neighbours")
    func bitStreamIdentification() throws {
        var parameters = avcodec_parameters_alloc()
        defer { avcodec_parameters_free(&parameters) }
        let raw = try #require(parameters)
        raw.pointee.codec_id = AV_CODEC_ID_AC3
        let meter = PacketMeter(raw, sampleRate: 48_000, firstFrame: 1536, firstPacket: 768)
        for identification: UInt8 in [8, 31, 11, 8] {
            var content: [UInt8] = [0x0B, 0x77, 0, 0, 0, identification << 3, 0, 0]
            let measured = content.withUnsafeMutableBufferPointer { bytes in
                var packet = AVPacket()
                (packet.data, packet.size) = (bytes.baseAddress, Int32(bytes.count))
                return meter.samples(in: &packet)
            }
            #expect(measured == 1536)
        }
    }
}
