/// The inner loops of time stretching, eight samples at a time. Pointers are not checked: the callers own the bounds.
enum SampleLoops {
    typealias Lanes = SIMD8<Float>
    static let laneCount = Lanes.scalarCount

    @inline(__always)
    private static func lanes(_ pointer: UnsafePointer<Float>, _ index: Int) -> Lanes {
        UnsafeRawPointer(pointer + index).loadUnaligned(as: Lanes.self)
    }

    /// Σ (a − b)² and Σ a² + b², over `count` samples.
    static func difference(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> (squares: Float, energy: Float) {
        var (squares, energy) = (Lanes.zero, Lanes.zero)
        let whole = count & ~(laneCount - 1)
        var index = 0
        while index < whole {
            let (x, y) = (lanes(a, index), lanes(b, index))
            let d = x - y
            squares += d * d
            energy += x * x + y * y
            index += laneCount
        }
        var (restSquares, restEnergy): (Float, Float) = (0, 0)
        while index < count {
            let (x, y) = (a[index], b[index])
            restSquares += (x - y) * (x - y)
            restEnergy += x * x + y * y
            index += 1
        }
        return (squares.sum() + restSquares, energy.sum() + restEnergy)
    }

    /// Σ a·b over `count` samples.
    static func product(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
        var sum = Lanes.zero
        let whole = count & ~(laneCount - 1)
        var index = 0
        while index < whole {
            sum += lanes(a, index) * lanes(b, index)
            index += laneCount
        }
        var rest: Float = 0
        while index < count {
            rest += a[index] * b[index]
            index += 1
        }
        return sum.sum() + rest
    }

    /// output[i] = Σ taps[k] · input[i + k·stride]: interleaved channels are filtered at once, `stride` being their number.
    static func filter(
        _ input: UnsafePointer<Float>, stride: Int, taps: UnsafePointer<Float>, tapCount: Int, into output: UnsafeMutablePointer<Float>, count: Int
    ) {
        let whole = count & ~(2 * laneCount - 1)
        var index = 0
        while index < whole {
            var (first, second) = (Lanes.zero, Lanes.zero)
            var source = input + index
            for tap in 0..<tapCount {
                let weight = taps[tap]
                first += lanes(source, 0) * weight
                second += lanes(source, laneCount) * weight
                source += stride
            }
            UnsafeMutableRawPointer(output + index).storeBytes(of: first, as: Lanes.self)
            UnsafeMutableRawPointer(output + index + laneCount).storeBytes(of: second, as: Lanes.self)
            index += 2 * laneCount
        }
        while index < count {
            var sum: Float = 0
            for tap in 0..<tapCount { sum += taps[tap] * input[index + tap * stride] }
            output[index] = sum
            index += 1
        }
    }
}

extension SIMD where Scalar == Float {
    @inline(__always)
    func sum() -> Float {
        var total: Float = 0
        for index in 0..<scalarCount { total += self[index] }
        return total
    }
}
