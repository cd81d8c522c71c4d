import Glibc
public import PlaybackEngine

/// Generates, stretches and measures audio.
public enum Sound {
    /// The sample rate, in frames per second.
    public static let sampleRate = 44_100

    /// A sum of sines, with frequencies in Hz. The samples are rounded to 24 bits, like those in a file.
    public static func sines(_ frequencies: [Double], amplitude: Double, seconds: Double, sampleRate: Int = Sound.sampleRate) -> [Float] {
        var sound = [Float](repeating: 0, count: Int(seconds * Double(sampleRate)))
        for frame in sound.indices {
            var sum = 0.0
            for frequency in frequencies {
                sum += amplitude * sin(2 * .pi * (frequency * Double(frame) / Double(sampleRate)).truncatingRemainder(dividingBy: 1))
            }
            sound[frame] = Float((sum * 8_388_608).rounded() / 8_388_608)
        }
        return sound
    }

    /// A sine in integers, with its frequency in Hz, which rises by `rise` Hz per second.
    public static func sine(
        _ frequency: Double, rise: Double = 0, amplitude: Double, seconds: Double, sampleRate: Int = Sound.sampleRate
    ) -> [Int32] {
        (0..<Int(seconds * Double(sampleRate))).map { frame in
            let time = Double(frame) / Double(sampleRate)
            let turns: Double = (frequency + rise / 2 * time) * time
            return Int32((amplitude * sin(2 * .pi * turns)).rounded())
        }
    }

    /// White noise; equal seeds give equal noise.
    public static func noise(_ count: Int, amplitude: Float = 0.3, seed: UInt64 = 1) -> [Float] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in random.sample() * amplitude }
    }

    /// Stretches interleaved samples. Each call of the stretcher gets at most `chunk` frames, and returns at most `capacity`.
    public static func stretch(
        _ input: [Float], by stretcher: some TimePitch, rate: Double, channels: Int = 1, chunk: @autoclosure () -> Int = 1024,
        capacity: @autoclosure () -> Int = 1024
    ) -> [Float] {
        stretcher.reset(rate: rate)
        let frames = input.count / channels
        var output: [Float] = []
        var position = 0
        input.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            while true {
                let (offered, limit) = (min(chunk(), frames - position), capacity())
                var counts = (consumed: 0, produced: 0)
                output += [Float](unsafeUninitializedCapacity: limit * channels) { buffer, count in
                    guard let target = buffer.baseAddress else { return }
                    counts = stretcher.process(
                        base + position * channels, frameCount: offered, isEnd: position + offered == frames, into: target, capacity: limit)
                    count = counts.produced * channels
                }
                position += counts.consumed
                if counts == (0, 0) && position == frames { break }
            }
        }
        return output
    }

    /// The ratio of the energy within 4 Hz of the tones to all other energy, in dB. Measured over the middle three seconds with a Blackman window.
    public static func purity(_ sound: [Float], tones: [Double], sampleRate: Int = Sound.sampleRate) -> Double {
        let count = 3 * sampleRate
        guard sound.count >= count else { return -.infinity }
        let first = (sound.count - count) / 2
        var windowed = [Double](repeating: 0, count: count)
        var total = 0.0
        for index in 0..<count {
            let phase = 2 * Double.pi * Double(index) / Double(count - 1)
            let value = Double(sound[first + index]) * (0.42 - 0.5 * cos(phase) + 0.08 * cos(2 * phase))
            windowed[index] = value
            total += value * value
        }
        // By Parseval's theorem, the energy of all bins follows from the samples.
        total *= Double(count) / 2
        var kept = 0.0
        let width = Double(sampleRate) / Double(count)
        let bins = Set(
            tones.flatMap { tone in Int((tone - 4) / width)...Int((tone + 4) / width + 1) }.filter { bin in
                tones.contains { abs(Double(bin) * width - $0) < 4 }
            })
        for bin in bins { kept += energy(windowed, bin: bin) }
        return 10 * log10(kept / max(total - kept, kept * 1e-16))
    }

    /// Finds the amplitude of a tone with the frequency `frequency`, in Hz, by the method of least squares. What remains after the tone was subtracted is
    /// noise and distortion; `purity` is the ratio of the tone to them, in dB.
    public static func fit(_ frequency: Double, to samples: [Double], sampleRate: Int) -> (amplitude: Double, purity: Double) {
        let step = 2 * Double.pi * frequency / Double(sampleRate)
        var (ss, cc, sc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (index, x) in samples.enumerated() {
            let (s, c) = (sin(step * Double(index)), cos(step * Double(index)))
            ss += s * s
            cc += c * c
            sc += s * c
            xs += x * s
            xc += x * c
        }
        let determinant = ss * cc - sc * sc
        let (a, b) = ((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant)
        var (tone, rest) = (0.0, 0.0)
        for (index, x) in samples.enumerated() {
            let fitted = a * sin(step * Double(index)) + b * cos(step * Double(index))
            tone += fitted * fitted
            rest += (x - fitted) * (x - fitted)
        }
        return ((a * a + b * b).squareRoot(), 10 * log10(tone / max(rest, 1e-300)))
    }

    /// The energy |DFT|² of one bin. The phasor is recomputed every 1,024 samples, because rounding errors would add up.
    private static func energy(_ samples: [Double], bin: Int) -> Double {
        let step = 2 * Double.pi * Double(bin) / Double(samples.count)
        let (stepCosine, stepSine) = (cos(step), sin(step))
        var (real, imaginary) = (0.0, 0.0)
        var (c, s) = (1.0, 0.0)
        samples.withUnsafeBufferPointer { samples in
            var index = 0
            while index < samples.count {
                if index & 1023 == 0 {
                    let phase = 2 * Double.pi * (Double(bin) * Double(index) / Double(samples.count)).truncatingRemainder(dividingBy: 1)
                    (c, s) = (cos(phase), sin(phase))
                }
                real += samples[index] * c
                imaginary += samples[index] * s
                (c, s) = (c * stepCosine - s * stepSine, s * stepCosine + c * stepSine)
                index += 1
            }
        }
        return real * real + imaginary * imaginary
    }
}
