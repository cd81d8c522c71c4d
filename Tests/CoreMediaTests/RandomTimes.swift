import CoreMedia
import Foundation
import PlaybackTesting
import Testing

extension SeededGenerator {
    /// Returns a random number: one of the extremes and other special values, or a number of 1 to 64 bits, each length with the same probability.
    mutating func anyInt64() -> Int64 {
        let word = next()
        switch word % 16 {
        case 0: return [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max, 1 << 32][Int(next() % 8)]
        default: return Int64(bitPattern: next()) >> Int64(word >> 8 % 64)
        }
    }

    mutating func anyInt32() -> Int32 {
        let word = next()
        switch word % 16 {
        case 0: return [Int32.min, .min + 1, -1, 0, 1, .max - 1, .max, 1_000_000_000][Int(next() % 8)]
        default: return Int32(truncatingIfNeeded: Int64(bitPattern: next()) >> 32) >> Int32(word >> 8 % 32)
        }
    }

    /// Returns a random time scale: a usual one of media, or any positive one.
    mutating func scale() -> Int32 {
        let usual: [Int32] = [1, 24, 25, 600, 1000, 44_100, 48_000, 90_000, 192_000, 1_000_000, 1_000_000_000, .max]
        if next() % 2 == 0 { return usual[Int(next() % UInt64(usual.count))] }
        return max(1, anyInt32() & .max)
    }

    /// Returns a random finite time of epoch 0.
    mutating func finiteTime() -> CMTime { CMTime(value: anyInt64(), timescale: scale()) }

    /// Returns a time of random fields, which may be invalid or contradict each other.
    mutating func anyTime() -> CMTime {
        let flags = next() % 4 == 0 ? UInt32(truncatingIfNeeded: next()) : UInt32(next() % 32)
        return CMTime(value: anyInt64(), timescale: anyInt32(), flags: CMTimeFlags(rawValue: flags), epoch: next() % 2 == 0 ? 0 : anyInt64())
    }

    mutating func anyDouble() -> Double {
        switch next() % 8 {
        case 0: [0, -0.0, 1, -1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.5][Int(next() % 10)]
        case 1: Double(bitPattern: next())
        default: Double(anyInt64()) / Double(scale())
        }
    }
}

/// The number of cases of one random test: the value of the environment variable TONEARM_TEST_CASES, or 200,000, which makes more than a million
/// cases in all tests together.
let caseCount = ProcessInfo.processInfo.environment["TONEARM_TEST_CASES"].flatMap(Int.init) ?? 200_000

/// Checks a condition as `#expect` does, but records only failures, because to record a million successes would take longer than the arithmetic.
func verify(_ condition: Bool, _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
    if !condition { Issue.record(comment(), sourceLocation: sourceLocation) }
}
