import CFFmpeg
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Decoders")
struct DecoderTests {
    /// Decodes the first packets of a medium. Returns the number of samples that each packet gave.
    private static func samples(_ decoder: Decoder, _ demuxer: Demuxer, packets: Int) throws -> [Int] {
        let packet = try PacketHandle()
        return try (0..<packets).map { _ in
            _ = try demuxer.read(into: packet.raw)
            _ = try decoder.send(packet.raw)
            var count = 0
            while try decoder.receive() == .frame { count += Int(decoder.frame.pointee.nb_samples) }
            return count
        }
    }

    @Test("a decoder whose noise runs on from packet to packet has other samples after a seek, and the medium says so")
    func noise() throws {
        let signal = TestSignal(sampleRate: 22_050, channelCount: 1, frameCount: 44_100)
        let reader = try Reading.open(TestMedia.shared.encoded(signal, as: "noise", "flv", ["-c:a", "nellymoser"]))
        let whole = try Reading.samples(reader)
        #expect(try reader.seek(to: 22_050, before: 0, after: 0) == 22_050)
        let rest = try Reading.samples(reader, limit: 4_000)
        #expect(SampleComparison.difference(rest, whole, from: 22_050) > 0x1p-15)
        #expect(!reader.info.isRepeatable)
    }

    @Test("the first packet of Vorbis gives no samples, at the start and after a flush (Vorbis I, 4.3.8)", arguments: ["ogg", "webm"])
    func vorbis(_ fileExtension: String) throws {
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100 * 2), as: "decoder", fileExtension, ["-c:a", "libvorbis"])
        let demuxer = try Demuxer(FileSource(path: FilePath(url.path)), interrupt: Interrupt())
        let decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters)
        let start = try Self.samples(decoder, demuxer, packets: 6)
        #expect(start[0] == 0 && start[1...].allSatisfy { $0 > 0 })
        decoder.flush()
        let middle = try Self.samples(decoder, demuxer, packets: 4)
        #expect(middle[0] == 0 && middle[1...].allSatisfy { $0 > 0 })
    }

    @Test("the frames that a decoder returns after the last packet have no timestamp")
    func delayed() throws {
        let url = try DurationTests.file("delayed.shn", ShortenTests.bytes())
        let demuxer = try Demuxer(FileSource(path: FilePath(url.path)), interrupt: Interrupt())
        let decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters), packet = try PacketHandle()
        var position: Int64 = 0
        while try demuxer.read(into: packet.raw) {
            packet.raw.pointee.pts = position
            #expect(try decoder.send(packet.raw))
            while try decoder.receive() == .frame { position += Int64(decoder.frame.pointee.nb_samples) }
        }
        #expect(try decoder.send(nil))
        var count = 0
        while try decoder.receive() == .frame {
            #expect(decoder.frame.pointee.pts == CFFmpeg_noTimestamp())
            count += 1
        }
        #expect(count > 1)
    }
}
