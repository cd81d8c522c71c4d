import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Sampling of the bit rate (R-SEEK-25)")
struct RateSamplingTests {
    /// Returns frames of MPEG audio of 1152 samples, whose bit rate has the code `rate`, until they have at least `count` bytes.
    private static func audio(_ count: Int, rate: UInt8) -> [UInt8] {
        let frame = FrameWalkTests.frame(rate)
        return Array(repeatElement(frame, count: count / frame.count + 1).joined())
    }

    /// Examines all windows of a round, and returns whether that completed it.
    private static func examineRound(_ sampling: RateSampling, _ bytes: [UInt8]) -> Bool {
        let answers = sampling.windows.map { window in
            sampling.examine(Excerpt(offset: window.lowerBound, bytes: Array(bytes[Int(window.lowerBound)..<Int(window.upperBound)])))
        }
        return answers.dropLast().allSatisfy { $0 == nil } && answers.last == sampling.windows
    }

    @Test("audio of one bit rate has the length that its first round shows")
    func oneRate() throws {
        let bytes = Self.audio(4_000_000, rate: 9)
        let sampling = try #require(RateSampling(0..<Int64(bytes.count), isADTS: false, sampleRate: 44_100))
        #expect(sampling.windows.count == 4 && sampling.takeEstimate() == nil)
        let isComplete = Self.examineRound(sampling, bytes)
        #expect(isComplete)
        let frames = Int64(bytes.count / 417 * 1152)
        #expect(try abs(#require(sampling.takeEstimate()).frames - frames) <= 2)
        #expect(sampling.isOver && sampling.windows.isEmpty && sampling.takeEstimate() == nil)
    }

    @Test("parts of different bit rates need further rounds, whose windows are new, and the length and the positions are close")
    func rates() throws {
        let slow = Self.audio(1_000_000, rate: 5), fast = Self.audio(7_000_000, rate: 14), bytes = slow + fast
        let sampling = try #require(RateSampling(0..<Int64(bytes.count), isADTS: false, sampleRate: 44_100))
        var counts: [Int] = [], offsets: Set<Int64> = []
        while !sampling.isOver {
            counts.append(sampling.windows.count)
            offsets.formUnion(sampling.windows.map(\.lowerBound))
            let isComplete = Self.examineRound(sampling, bytes)
            #expect(isComplete)
        }
        #expect(counts == [4, 8, 24] && offsets.count == 36)
        let estimate = try #require(sampling.takeEstimate())
        let border = Int64(slow.count / FrameWalkTests.frame(5).count * 1152),
            end = border + Int64(fast.count / FrameWalkTests.frame(14).count * 1152)
        #expect(abs(Double(estimate.frames - end)) < 0.05 * Double(end))
        #expect(abs(Double(estimate.position(of: Int64(slow.count)) - border)) < 0.05 * Double(end))
    }

    @Test("the windows of a round are at most an eighth of the bytes, and audio that is too short for four is not sampled")
    func share() throws {
        let window: Int64 = 12_288
        #expect(RateSampling(0..<(32 * window - 1), isADTS: false, sampleRate: 44_100) == nil)
        let bytes = Self.audio(200_000, rate: 5) + Self.audio(250_000, rate: 14)
        let sampling = try #require(RateSampling(0..<Int64(bytes.count), isADTS: false, sampleRate: 44_100))
        let isComplete = Self.examineRound(sampling, bytes)
        #expect(isComplete && sampling.isOver)
    }

    @Test("a window without frames counts as bytes without audio")
    func junk() throws {
        let audio = Self.audio(3_000_000, rate: 9), bytes = audio + [UInt8](repeating: 7, count: audio.count)
        let sampling = try #require(RateSampling(0..<Int64(bytes.count), isADTS: false, sampleRate: 44_100))
        while !sampling.isOver {
            let isComplete = Self.examineRound(sampling, bytes)
            #expect(isComplete)
        }
        let frames = Double(audio.count / 417 * 1152)
        #expect(try abs(Double(#require(sampling.takeEstimate()).frames) - frames) < 0.05 * frames)
    }

    @Test("a round without any frame gives no estimate, and the sampling ends")
    func noFrames() throws {
        let bytes = [UInt8](repeating: 7, count: 8_000_000)
        let sampling = try #require(RateSampling(0..<Int64(bytes.count), isADTS: false, sampleRate: 44_100))
        var rounds = 0
        while !sampling.isOver {
            rounds += 1
            let isComplete = Self.examineRound(sampling, bytes)
            try #require(rounds < 10 && isComplete)
        }
        #expect(sampling.takeEstimate() == nil)
    }

    @Test("bytes that belong to no window are ignored, and those of a window count once")
    func others() throws {
        let bytes = Self.audio(1_000_000, rate: 9)
        let sampling = try #require(RateSampling(0..<Int64(bytes.count), isADTS: false, sampleRate: 44_100))
        let windows = sampling.windows, window = windows[2]
        #expect(sampling.examine(Excerpt(offset: window.lowerBound + 1, bytes: [])) == windows)
        #expect(sampling.examine(Excerpt(offset: window.lowerBound, bytes: bytes)) == nil)
        #expect(sampling.examine(Excerpt(offset: window.lowerBound, bytes: bytes)) == sampling.windows)
        #expect(sampling.windows.count == 3 && !sampling.windows.contains(window))
    }

    @Test("a decoder that doubles the sample rate of ADTS doubles the length")
    func doubled() throws {
        let frame = FrameWalkTests.adts(400), bytes = Array(repeatElement(frame, count: 2000).joined())
        let sampling = try #require(RateSampling(0..<Int64(bytes.count), isADTS: true, sampleRate: 88_200))
        let isComplete = Self.examineRound(sampling, bytes)
        #expect(isComplete)
        #expect(try abs(#require(sampling.takeEstimate()).frames - 2000 * 2048) <= 2)
    }
}
