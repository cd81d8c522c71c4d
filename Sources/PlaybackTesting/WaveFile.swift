public import Foundation

/// Encodes samples as WAV files, and reads those that the program has written.
public enum WaveFile {
    /// Returns a WAV file of interleaved samples. Samples of 8 bits are unsigned; samples of 16, 24 and 32 bits are signed.
    public static func data(_ samples: [Int32], bits: Int, sampleRate: Int, channelCount: Int) -> Data {
        let width = bits / 8
        var bytes = [UInt8](repeating: 0, count: samples.count * width)
        for (number, sample) in samples.enumerated() {
            let value = bits == 8 ? sample + 128 : sample
            for index in 0..<width { bytes[number * width + index] = UInt8(truncatingIfNeeded: value >> Int32(8 * index)) }
        }
        return header(bits: bits, sampleRate: sampleRate, channelCount: channelCount, size: bytes.count) + bytes
    }

    /// Returns a WAV file of the samples of each channel.
    public static func data(channels: [[Int32]], bits: Int, sampleRate: Int) -> Data {
        var samples = [Int32](repeating: 0, count: channels.count * (channels.first?.count ?? 0))
        for (number, channel) in channels.enumerated() {
            for (frame, sample) in channel.enumerated() { samples[frame * channels.count + number] = sample }
        }
        return data(samples, bits: bits, sampleRate: sampleRate, channelCount: channels.count)
    }

    /// Returns a WAV file of 16 bits, in stereo.
    public static func data(_ frames: [Noise.Frame], sampleRate: Int) -> Data {
        var bytes = [UInt8](repeating: 0, count: 4 * frames.count)
        for (number, frame) in frames.enumerated() {
            let (left, right) = (UInt16(bitPattern: frame.left), UInt16(bitPattern: frame.right))
            (bytes[4 * number], bytes[4 * number + 1]) = (UInt8(left & 0xFF), UInt8(left >> 8))
            (bytes[4 * number + 2], bytes[4 * number + 3]) = (UInt8(right & 0xFF), UInt8(right >> 8))
        }
        return header(bits: 16, sampleRate: sampleRate, channelCount: 2, size: bytes.count) + bytes
    }

    /// Returns the frames of a stereo file of 16 bits, whatever length its header states; nil if it has no samples.
    public static func frames(of file: Data) -> [Noise.Frame]? {
        body(of: file)?.withUnsafeBytes { bytes in
            (0..<(bytes.count / 4)).map { number in
                let left = bytes.loadUnaligned(fromByteOffset: 4 * number, as: Int16.self)
                let right = bytes.loadUnaligned(fromByteOffset: 4 * number + 2, as: Int16.self)
                return Noise.Frame(left: left, right: right)
            }
        }
    }

    /// Returns the bytes of the samples of a file, whatever length its header states; nil if it has none.
    public static func body(of file: Data) -> Data? { file.range(of: Data("data".utf8)).map { file[($0.upperBound + 4)...] } }

    /// - Parameter size: The number of bytes of the samples.
    private static func header(bits: Int, sampleRate: Int, channelCount: Int, size: Int) -> Data {
        let width = bits / 8
        var data = Data()
        func append(_ value: Int, _ bytes: Int) { for index in 0..<bytes { data.append(UInt8(truncatingIfNeeded: value >> (8 * index))) } }
        let isExtensible = channelCount > 2 || bits > 16
        data.append(contentsOf: Array("RIFF".utf8))
        append((isExtensible ? 60 : 36) + size, 4)
        data.append(contentsOf: Array("WAVEfmt ".utf8))
        append(isExtensible ? 40 : 16, 4)
        append(isExtensible ? 0xFFFE : 1, 2)
        append(channelCount, 2)
        append(sampleRate, 4)
        append(sampleRate * channelCount * width, 4)
        append(channelCount * width, 2)
        append(bits, 2)
        if isExtensible {
            append(22, 2)
            append(bits, 2)
            append([0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F][channelCount], 4)
            data.append(contentsOf: [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        }
        data.append(contentsOf: Array("data".utf8))
        append(size, 4)
        return data
    }
}
