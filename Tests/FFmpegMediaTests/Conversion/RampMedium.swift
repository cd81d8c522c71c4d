import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting

/// A WAV file of which each sample tells its position: all channels rise from 0.3 to 0.9. A conversion of the sample rate keeps a rising line, so the
/// position of a converted frame follows from its value.
struct RampMedium {
    let url: URL
    let rate: Int
    let channelCount: Int
    let frames: Int
    let bits: Int

    /// - Parameter hasLayout: Whether the file names the speakers of its channels.
    init(rate: Int, channels: Int, frames: Int, bits: Int = 24, hasLayout: Bool = true) throws {
        (self.rate, self.channelCount, self.frames, self.bits) = (rate, channels, frames, bits)
        url = try TestMedia.shared.file("ramp-\(rate)-\(channels)-\(frames)-\(bits)-\(hasLayout).wav") { url in
            var samples = [Int32](repeating: 0, count: frames * channels)
            for frame in 0..<frames {
                let value = Int32((Self.value(Double(frame), of: frames) * Double(Int64(1) << Int64(bits - 1))).rounded())
                for channel in 0..<channels { samples[frame * channels + channel] = value }
            }
            var data = WaveFile.data(samples, bits: bits, sampleRate: rate, channelCount: channels)
            // The mask of the speakers is in an extensible format only, at offset 40.
            if !hasLayout, data[20] == 0xFE { for index in 40..<44 { data[index] = 0 } }
            try data.write(to: url)
        }
    }

    static func value(_ frame: Double, of frames: Int) -> Double { 0.3 + 0.6 * frame / Double(frames) }

    /// Returns the length in frames at another rate, not rounded.
    func length(at rate: Int) -> Double { Double(frames) * Double(rate) / Double(self.rate) }

    /// Returns the number of frames at another rate, near both ends, that depend on what is before and after the medium.
    func reach(at rate: Int) -> Double { rate == self.rate ? 0 : 112 * max(1, Double(rate) / Double(self.rate)) }

    /// Returns the factor of the first channel if the medium is mixed into the channels of `layout`, from a frame in its middle.
    func gain(into layout: ChannelLayout) throws -> Double {
        let reader = try DeliveryTests.open(url, rate: rate, layout: layout)
        let samples = try Reading.samples(reader, channels: layout.count)
        return Double(samples[frames / 2 * layout.count]) / Self.value(Double(frames / 2), of: frames)
    }
}
