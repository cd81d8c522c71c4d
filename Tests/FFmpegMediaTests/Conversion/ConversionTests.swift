import CFFmpeg
@testable import FFmpegMedia
import PlaybackEngine
import Testing

@Suite("Sample rate conversion")
struct ConversionTests {
    /// Returns a source of samples that rise from frame to frame (a ramp).
    private func ramp(sampleRate: Int, count: Int64) -> FunctionSource {
        FunctionSource(sampleRate: sampleRate, count: count) { Float($0 % 1000) / 1000 }
    }

    private func format(_ rate: Int) -> AudioFormat { AudioFormat(sampleRate: rate, channelLayout: ChannelLayout(count: 1)) }

    @Test(
        "the converter reads no more input than it needs, and loses none",
        arguments: [(8000, 192_000), (11_025, 48_000), (44_100, 48_000), (192_000, 44_100), (1000, 768_000), (48_000, 48_000)])
    func takesWhatItNeeds(_ rate: Int, _ target: Int) throws {
        let source = ramp(sampleRate: rate, count: Int64(rate) * 3 + 17)
        let conversion = try Conversion(source, to: format(target))
        let capacity = 8192
        let buffer = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        var delivered: Int64 = 0, lead: Int64 = 0
        while case let count = try conversion.fill(buffer, capacity: capacity), count > 0 {
            delivered += Int64(count)
            lead = max(lead, source.position - delivered * Int64(rate) / Int64(target))
        }
        #expect(delivered == (source.count * Int64(target) + Int64(rate) / 2) / Int64(rate))
        #expect(lead <= 4096 + 128 * Int64(max(1, rate / target + 1)), "at most one input block and the filter's length are read ahead")
    }

    /// Converts a ramp from 44.1 to 48 kHz with a converter, which has the ramp's end in its filter afterwards.
    private func converted(_ handle: borrowing SwrHandle) -> [Float] {
        let ramp = (0..<1000).map { Float($0 % 100) / 100 }
        var output = [Float](repeating: 0, count: 2000)
        let count = output.withUnsafeMutableBytes { output in
            ramp.withUnsafeBytes { ramp in
                var to = output.baseAddress?.assumingMemoryBound(to: UInt8.self), from = ramp.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return swr_convert(handle.raw, &to, 2000, &from, 1000)
            }
        }
        return Array(output.prefix(Int(max(0, count))))
    }

    @Test("a medium gets the converter of an earlier one with the same formats, as new")
    func idleConverter() throws {
        let idle = IdleConverters(limit: 2)
        func use(_ rate: Int) throws -> (converter: OpaquePointer, output: [Float]) {
            let handle = try SwrHandle.make(from: format(rate), to: format(48_000), idle: idle)
            return (handle.raw, converted(handle))
        }
        let first = try use(44_100), second = try use(44_100)
        #expect(first.converter == second.converter)
        #expect(!first.output.isEmpty && first.output == second.output)
        #expect(try use(32_000).converter != first.converter)
    }

    @Test("of idle converters only the latest are kept")
    func idleLimit() throws {
        let idle = IdleConverters(limit: 2)
        for rate in [8000, 32_000, 44_100] { _ = try SwrHandle.make(from: format(rate), to: format(48_000), idle: idle) }
        let kept = [8000, 32_000, 44_100].map { rate in
            let key = IdleConverters.Key(input: format(rate), output: format(48_000), quality: .best)
            // An `if` consumes the optional converter, which is then idle again.
            if idle.take(key) != nil { return true } else { return false }
        }
        #expect(kept == [false, true, true])
    }

    @Test("a seek far beyond the end stays beyond the end at another rate")
    func distantSeek() throws {
        let conversion = try Conversion(ramp(sampleRate: 192_000, count: 1000), to: format(44_100))
        #expect(try conversion.seek(to: .max, before: 0, after: 0) == .max)
        let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 16)
        defer { buffer.deallocate() }
        #expect(try conversion.fill(buffer, capacity: 16) == 0)
    }

    @Test("frames are converted between rates exactly")
    func ratios() {
        let ratio = Ratio(from: 44_100, to: 48_000)
        #expect(ratio.input == 147 && ratio.output == 160)
        #expect(ratio.outputFrames(147) == 160 && ratio.outputFrames(1) == 1 && ratio.inputFrame(at: 159) == 146)
        #expect(Ratio(from: 48_000, to: 48_000).outputFrames(12_345) == 12_345)
    }
}
