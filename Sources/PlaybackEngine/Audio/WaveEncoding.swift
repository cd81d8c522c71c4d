import Platform

/// The encoding of samples in a WAV file. Samples are rounded to the nearest value, and for 16 bits dithered if the caller wants that (`Dither`).
public enum WaveEncoding: String, Sendable, Hashable, CaseIterable {
    /// Exact for audio of up to 16 bits.
    case int16 = "s16"
    /// Exact for audio of up to 24 bits.
    case int24 = "s24"
    /// 32 bits, of which only 24 are significant, because the engine's samples have no more.
    case int32 = "s32"
    /// Exact for all audio.
    case float32 = "f32"

    public var bytesPerSample: Int {
        switch self {
        case .int16: 2
        case .int24: 3
        case .int32, .float32: 4
        }
    }

    /// Whether dither applies: only an encoding of 16 bits loses some of the 24 significant bits of the engine's samples.
    public var takesDither: Bool { self == .int16 }

    /// The bytes of samples, little-endian. Samples outside the range of an integer are clipped, and NaN becomes silence.
    /// - Parameter noise: The noise for samples that 16 bits cannot represent; the others, such as audio of 16 bits and silence, stay exact.
    package func bytes(of samples: UnsafeBufferPointer<Float>, noise: inout DitherNoise?) -> [UInt8] {
        guard self == .int16, var source = noise else { return bytes(of: samples) }
        defer { noise = source }
        let channels = source.channelCount
        return [UInt8](unsafeUninitializedCapacity: samples.count * 2) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var channel = 0
            for (index, sample) in samples.enumerated() {
                var value = Self.integer(sample, bits: 16)
                let scaled = Double(sample) * 0x1p15
                if Double(value) != scaled, abs(scaled) < 0x1p15 {
                    value = Self.integer(scaled + source.next(channel), full: 0x1p15)
                }
                raw.storeBytes(of: Int16(truncatingIfNeeded: value).littleEndian, toByteOffset: index * 2, as: Int16.self)
                channel = channel + 1 == channels ? 0 : channel + 1
            }
            count = samples.count * 2
        }
    }

    /// The bytes of samples without dither.
    func bytes(of samples: UnsafeBufferPointer<Float>) -> [UInt8] {
        let size = samples.count * bytesPerSample
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            switch self {
            case .int16:
                for (index, sample) in samples.enumerated() {
                    raw.storeBytes(
                        of: Int16(truncatingIfNeeded: Self.integer(sample, bits: 16)).littleEndian, toByteOffset: index * 2, as: Int16.self)
                }
            case .int24:
                for (index, sample) in samples.enumerated() {
                    let value = Self.integer(sample, bits: 24)
                    raw[index * 3] = UInt8(truncatingIfNeeded: value)
                    raw[index * 3 + 1] = UInt8(truncatingIfNeeded: value >> 8)
                    raw[index * 3 + 2] = UInt8(truncatingIfNeeded: value >> 16)
                }
            case .int32:
                for (index, sample) in samples.enumerated() {
                    raw.storeBytes(of: Self.integer(sample, bits: 32).littleEndian, toByteOffset: index * 4, as: Int32.self)
                }
            case .float32:
                for (index, sample) in samples.enumerated() {
                    raw.storeBytes(of: sample.bitPattern.littleEndian, toByteOffset: index * 4, as: UInt32.self)
                }
            }
            count = size
        }
    }

    /// The nearest integer of `bits` bits, halves away from zero; clipped, and 0 for NaN.
    ///
    /// The function is inlined with a constant for `bits`, and calls no rounding function: such calls would take a third of the time of rendering
    /// a FLAC file.
    @inline(__always)
    static func integer(_ sample: Float, bits: Int) -> Int32 {
        let full = Double(Int64(1) << Int64(bits - 1))
        // Exact in a Double: a float has 24 significant bits.
        return integer(Double(sample) * full, full: full)
    }

    @inline(__always)
    private static func integer(_ scaled: Double, full: Double) -> Int32 {
        if scaled >= full - 1 { return Int32(full - 1) }
        if scaled > -full { return Int32(scaled + (scaled < 0 ? -0.5 : 0.5)) }
        return scaled.isNaN ? 0 : Int32(-full)
    }
}

/// The noise that is added to samples before they are rounded to 16 bits.
public enum Dither: String, Sendable, Hashable, CaseIterable {
    /// No noise: each sample is rounded to the nearest value, so that the error depends on the audio.
    case none
    /// The sum of two uniform random values from −½ to ½ of the last bit (triangular density). The error is on average zero whatever the audio is, so
    /// that it is heard as a steady faint noise and not as distortion.
    case tpdf
}

/// The random noise of dither, an independent sequence for each channel, the same in every run.
package struct DitherNoise: Sendable {
    private var generators: [SplitMix64]

    package init(channelCount: Int) {
        generators = (0..<max(1, channelCount)).map { SplitMix64(state: 0x5DEE_CE66_D1CE_4E5B &+ UInt64($0) &* 0xD1B5_4A32_D192_ED03) }
    }

    var channelCount: Int { generators.count }

    /// The next noise of a channel, −1…1 in units of the last bit: the sum of both halves of a random number, which are the two uniform values.
    mutating func next(_ channel: Int) -> Double {
        let bits = generators[channel].next()
        return (Double(bits >> 32) + Double(bits & 0xFFFF_FFFF) + 1) * 0x1p-32 - 1
    }
}
