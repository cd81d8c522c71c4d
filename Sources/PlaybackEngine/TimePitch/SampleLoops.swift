/// The inner loops of time stretching, without checks of their pointers.
///
/// The loops have several separate sums, because the optimizer may not reorder the additions of a single one. They are not inlined, because it does
/// not vectorize loops among other code. In a debug build they are still fast, whereas Swift's SIMD types are thirty times slower.
enum SampleLoops {
    /// Σ (a − b)².
    @inline(never)
    static func squaredDifference(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
        var (s0, s1, s2, s3, s4, s5, s6, s7): (Float, Float, Float, Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0, 0, 0, 0)
        var index = 0
        while index + 8 <= count {
            let (p, q) = (a + index, b + index)
            let (d0, d1, d2, d3) = (p[0] - q[0], p[1] - q[1], p[2] - q[2], p[3] - q[3])
            let (d4, d5, d6, d7) = (p[4] - q[4], p[5] - q[5], p[6] - q[6], p[7] - q[7])
            s0 += d0 * d0; s1 += d1 * d1; s2 += d2 * d2; s3 += d3 * d3
            s4 += d4 * d4; s5 += d5 * d5; s6 += d6 * d6; s7 += d7 * d7
            index += 8
        }
        while index < count {
            s0 += (a[index] - b[index]) * (a[index] - b[index])
            index += 1
        }
        return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
    }

    /// Σ a·b.
    @inline(never)
    static func product(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
        var s: (Float, Float, Float, Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0, 0, 0, 0)
        var index = 0
        while index + 8 <= count {
            let (p, q) = (a + index, b + index)
            s.0 += p[0] * q[0]; s.1 += p[1] * q[1]; s.2 += p[2] * q[2]; s.3 += p[3] * q[3]
            s.4 += p[4] * q[4]; s.5 += p[5] * q[5]; s.6 += p[6] * q[6]; s.7 += p[7] * q[7]
            index += 8
        }
        while index < count {
            s.0 += a[index] * b[index]
            index += 1
        }
        return ((s.0 + s.1) + (s.2 + s.3)) + ((s.4 + s.5) + (s.6 + s.7))
    }

    /// output[i] = Σ taps[k] · input[i + k·stride]; with the channel count as `stride`, all channels at once. `tapCount` is a multiple of 4.
    @inline(never)
    static func filter(
        _ input: UnsafePointer<Float>, stride: Int, taps: UnsafePointer<Float>, tapCount: Int, into output: UnsafeMutablePointer<Float>, count: Int
    ) {
        // 256 samples remain in the nearest cache for all taps.
        let stretch = 256
        var start = 0
        while start < count {
            let length = min(stretch, count - start)
            let target = output + start
            var tap = 0
            while tap < tapCount {
                let (w0, w1, w2, w3) = (taps[tap], taps[tap + 1], taps[tap + 2], taps[tap + 3])
                let p0 = input + start + tap * stride
                let (p1, p2, p3) = (p0 + stride, p0 + 2 * stride, p0 + 3 * stride)
                var index = 0
                if tap == 0 {
                    while index < length {
                        target[index] = (w0 * p0[index] + w1 * p1[index]) + (w2 * p2[index] + w3 * p3[index])
                        index += 1
                    }
                } else {
                    while index < length {
                        target[index] += (w0 * p0[index] + w1 * p1[index]) + (w2 * p2[index] + w3 * p3[index])
                        index += 1
                    }
                }
                tap += 4
            }
            start += length
        }
    }
}
