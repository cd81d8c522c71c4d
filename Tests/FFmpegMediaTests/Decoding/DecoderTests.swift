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
        // FFmpeg's encoder replaces noise by the instruction to make noise (PNS).
        let signal = TestSignal(channelCount: 1, frameCount: 88_200)
        let reader = try Reading.open(TestMedia.shared.encoded(signal, as: "noise", "m4a", ["-c:a", "aac", "-aac_pns", "1", "-b:a", "24k"]))
        let whole = try Reading.samples(reader)
        #expect(try reader.seek(to: 44_100, before: 0, after: 0) == 44_100)
        let rest = try Reading.samples(reader, limit: 4_000)
        #expect(SampleComparison.difference(rest, whole, from: 44_100) > 0x1p-15)
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

    @Test("MPEG-4 audio of an object type without a decoder is called that (ISO 14496-3, table 1.17: 7 is TwinVQ, 8 is CELP)", arguments: [7, 8])
    func unknownObjectType(_ type: Int) throws {
        let plain = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100), as: "object-type", "m4a", ["-c:a", "aac"])
        let url = try TestMedia.shared.file("object-type-\(type).m4a") { url in
            var bytes = try [UInt8](Data(contentsOf: plain))
            // The configuration of AAC at 44.1 kHz in stereo, with the statement that there is no SBR.
            let old: [UInt8] = [0x12, 0x10, 0x56, 0xE5, 0x00]
            let place = try #require(bytes.indices.dropLast(5).first { Array(bytes[$0..<$0 + 5]) == old })
            bytes.replaceSubrange(place..<(place + 5), with: [UInt8(type << 3 | 2), 0x10, 0, 0, 0])
            try Data(bytes).write(to: url)
        }
        let error = Reading.failure(MediaSource(.file(path: url.path)))
        #expect(error?.code == .unsupportedFormat && error?.message.contains("no decoder") == true)
    }

    @Test("FLAC of 32 bits is played by FFmpeg from 6.0 on, and has no decoder before (RFC 9639, section 9.1.4)")
    func deepFLAC() throws {
        /// Returns a checksum of `width` bits, as in RFC 9639, sections 9.1.8 and 9.3.
        func checksum(_ bytes: [UInt8], _ width: UInt32, _ polynomial: UInt32) -> [UInt8] {
            var value: UInt32 = 0
            for byte in bytes {
                value ^= UInt32(byte) << (width - 8)
                for _ in 0..<8 { value = value >> (width - 1) & 1 == 1 ? value << 1 ^ polynomial : value << 1 }
            }
            return AudioTag.big(Int(value), Int(width) / 8)
        }
        // One channel at 44.1 kHz of 20 frames of 4,096 samples, each of one value.
        let values = (0..<20).map { $0 % 2 == 0 ? 1 << 30 : -(1 << 29) }
        let facts = AudioTag.big(44_100 << 44 | 31 << 36 | values.count * 4096, 8)
        var bytes: [UInt8] = Array("fLaC".utf8) + [0x80, 0, 0, 34] + AudioTag.big(4096 << 16 | 4096, 4)
        bytes += [UInt8](repeating: 0, count: 6) + facts + [UInt8](repeating: 0, count: 16)
        for (number, value) in values.enumerated() {
            let head: [UInt8] = [0xFF, 0xF8, 0xC9, 0x0E, UInt8(number)]
            let frame = head + checksum(head, 8, 0x07) + [0] + AudioTag.big(value, 4)
            bytes += frame + checksum(frame, 16, 0x8005)
        }
        let url = try DurationTests.file("deep.flac", bytes)
        guard avcodec_version() >> 16 >= 60 else {
            let error = Reading.failure(MediaSource(.file(path: url.path)))
            #expect(error?.code == .unsupportedFormat && error?.message.contains("no decoder") == true)
            return
        }
        #expect(try Reading.samples(Reading.open(url)) == values.flatMap { [Float](repeating: Float($0) * 0x1p-31, count: 4096) })
    }
}
