import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Direct Stream Digital")
struct DirectStreamTests {
    private static let blocks = 12, blockSize = 4096

    /// A DSF file of stereo (Sony's DSF File Format Specification): a tone by a sigma-delta modulator of the first order.
    private static func file(_ rate: Int, hertz: Double) throws -> URL {
        try TestMedia.shared.file("stream-\(rate).dsf") { url in
            func little(_ value: Int, _ count: Int) -> [UInt8] { PulseCodeFile.little(value, count) }
            let bits = blocks * blockSize * 8
            var sound: [UInt8] = [], error = 0.0
            for byte in 0..<(bits / 8) {
                var packed: UInt8 = 0
                for bit in 0..<8 {
                    let angle = 2 * Double.pi * hertz * Double(8 * byte + bit) / Double(rate)
                    let value = 0.5 * sin(angle)
                    let output = value + error >= 0 ? 1.0 : -1.0
                    error += value - output
                    if output > 0 { packed |= 1 << UInt8(bit) }
                }
                sound.append(packed)
            }
            // The blocks of the channels alternate.
            let data = stride(from: 0, to: sound.count, by: blockSize).flatMap { start -> [UInt8] in
                let block = Array(sound[start..<(start + blockSize)])
                return block + block
            }
            var head = Array("DSD ".utf8) + little(28, 8) + little(28 + 52 + 12 + data.count, 8) + little(0, 8)
            head += Array("fmt ".utf8) + little(52, 8) + little(1, 4) + little(0, 4) + little(2, 4) + little(2, 4)
            head += little(rate, 4) + little(1, 4) + little(bits, 8) + little(blockSize, 4) + little(0, 4)
            head += Array("data".utf8) + little(12 + data.count, 8)
            try Data(head + data).write(to: url)
        }
    }

    @Test(
        "DSD64 to DSD1024 is decoded to an eighth of its rate, and converted to that of the device",
        arguments: [2_822_400, 5_644_800, 11_289_600, 22_579_200, 45_158_400, 49_152_000])
    func rates(_ rate: Int) throws {
        let hertz = Double(rate) / 49_152, frames = DirectStreamTests.blocks * DirectStreamTests.blockSize
        let url = try DirectStreamTests.file(rate, hertz: hertz)
        let reader = try Reading.open(url, precise: true)
        #expect(reader.info.format == AudioFormat(sampleRate: rate / 8, channelLayout: .stereo))
        #expect(reader.info.bitsPerSample == 1 && reader.info.neededBits == 24)
        #expect(reader.duration == .exact(frames: Int64(frames), sampleRate: rate / 8))
        let heard = try Reading.samples(DeliveryTests.open(url, rate: 48_000), channels: 2)
        let total = Double(frames) * 48_000 / Double(rate / 8)
        #expect(abs(Double(heard.count / 2) - total) <= 1)
        let tone = (0..<(heard.count / 2)).map { frame -> Float in
            let angle = 2 * Double.pi * hertz * Double(frame) / 48_000
            return Float(0.5 * sin(angle))
        }
        let found = SampleComparison.alignment(heard.channel(0, of: 2), tone, reach: min(40, tone.count / 8))
        // FFmpeg's filter of DSD delays the sound by fewer than 24 frames of its rate.
        #expect((0...Int(24 * 48_000 / Double(rate / 8))).contains(found.lag) && found.likeness > 0.999, "\(found)")
    }
}
