import FFmpegMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Interrupts")
struct InterruptTests {
    static func media() throws -> URL {
        try TestMedia.shared.encoded(TestSignal(frameCount: 44_100 * 6), as: "interrupt", "mp3", ["-c:a", "libmp3lame", "-write_xing", "0"])
    }

    @Test("open fails if the interrupt is already raised")
    func opening() throws {
        let interrupt = Interrupt(), url = try InterruptTests.media()
        interrupt.raise()
        #expect(throws: PlaybackError.Code.cancelled.error) { try FFmpegOpener().open(MediaSource(.file(path: url.path)), interrupt: interrupt) }
    }

    @Test("after a cancelled read and seek the reader is still exact")
    func continuing() throws {
        let interrupt = Interrupt(), url = try InterruptTests.media()
        let whole = try Reading.samples(Reading.open(url))
        let reader = try FFmpegOpener().open(MediaSource(.file(path: url.path)), interrupt: interrupt)
        var heard = try Reading.samples(reader, limit: 8192)
        interrupt.raise()
        // Frames that were decoded before the interrupt may still be returned. Then a call fails.
        var failure: PlaybackError?
        while failure == nil {
            do { heard += Array(try #require(try reader.read()).samples) } catch let error as PlaybackError { failure = error }
        }
        #expect(failure?.code == .cancelled)
        #expect(throws: PlaybackError.self) { try reader.seek(to: 200_000, before: 0, after: 0) }
        interrupt.clear()
        let place = heard.count / 2
        #expect(try reader.seek(to: Int64(place), before: 0, after: 0) == Int64(place))
        #expect(try Reading.samples(reader, limit: 30_000) == whole.frames(place..<(place + 30_000), of: 2))
        #expect(try reader.seek(to: 200_000, before: 0, after: 0) == 200_000)
        #expect(try Reading.samples(reader, limit: 4000) == whole.frames(200_000..<204_000, of: 2))
    }

    @Test("an exact duration is measured on demand, and the scan can be cancelled (R-ASSET-10, R-ASSET-11)")
    func precise() throws {
        let url = try InterruptTests.media()
        let guess = try Reading.open(url).duration, measured = try Reading.open(url, precise: true)
        #expect(!guess.isExact)
        let whole = try Reading.samples(Reading.open(url))
        #expect(measured.duration == .exact(frames: Int64(whole.count / 2), sampleRate: 44_100))
        #expect(abs((guess.seconds ?? 0) - 6) < 0.6)
        #expect(try Reading.samples(measured) == whole, "measuring leaves the reader at the start")
        let interrupt = Interrupt()
        interrupt.raise()
        #expect(throws: PlaybackError.self) {
            try FFmpegOpener().open(MediaSource(.file(path: url.path), prefersPreciseDuration: true), interrupt: interrupt)
        }
    }
}

extension PlaybackError.Code {
    /// The error with this code and the message of a cancelled operation. `#expect(throws:)` compares errors with their messages.
    var error: PlaybackError { PlaybackError(self, "The operation was cancelled.") }
}
