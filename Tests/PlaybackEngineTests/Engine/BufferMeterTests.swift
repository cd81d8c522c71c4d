import CoreMedia
import Platform
import Testing

@testable import PlaybackEngine

@Suite("The level of the buffer") struct BufferMeterTests {
    private let meter = BufferMeter(), facts = ItemFacts(), monitor = ConnectionMonitor(), item = ItemID(rawValue: 1)

    /// Opens the item over a connection with a reserve, and plays it until its buffer is empty. Returns the seconds that must be buffered then.
    private func needAfterStall(isLive: Bool) throws -> Double {
        var source = MediaSource(.remote(url: "http://example.org/"))
        source.monitor = monitor
        facts.add(LoadRequest(item: item, source: source))
        var info = MediaInfo(
            containerName: "mp3", codecName: "mp3", format: AudioFormat(sampleRate: 48_000, channelLayout: .stereo), duration: .unknown)
        info.isLive = isLive
        info.bitRate = 128_000
        facts.noteOpened(item, info, sampleRate: 48_000)
        monitor.setReserve(ConnectionMonitor.Reserve(ahead: 0, missing: nil, length: nil, isFull: false), notifies: false)
        _ = level(seconds: 1)
        _ = level(seconds: 0)
        return try #require([0.3, 1, 3].first { level(seconds: $0)?.isLikelyToKeepUp == true })
    }
    private func level(seconds: Double) -> BufferLevel? {
        let decoded = BufferMeter.Decoded(frames: seconds * 48_000, seconds: seconds, isEnded: false, isFull: false, rate: 1)
        return meter.level(of: item, decoded, facts, wantsRunning: true)
    }
    private func loseConnection() {
        monitor.setWait(ConnectionMonitor.Wait(error: PlaybackError(.network, "lost"), attempt: 2, retryTime: HostTime(seconds: 1)))
    }

    /// Opens a remote medium of 16,000 bytes a second, with `ahead` seconds of it transferred.
    private func open(ahead: Double) {
        var source = MediaSource(.remote(url: "http://example.org/"))
        source.monitor = monitor
        facts.add(LoadRequest(item: item, source: source))
        var info = MediaInfo(
            containerName: "mp3", codecName: "mp3", format: AudioFormat(sampleRate: 48_000, channelLayout: .stereo), duration: .unknown)
        info.bitRate = 128_000
        facts.noteOpened(item, info, sampleRate: 48_000)
        transfer(ahead)
    }
    private func transfer(_ ahead: Double) {
        monitor.setReserve(
            ConnectionMonitor.Reserve(ahead: Int64(ahead * 16_000), missing: 1_000_000, length: nil, isFull: false), notifies: false)
    }
    /// The end of the buffered audio that is reported at a position, in seconds; nil if no level is reported.
    private func end(at position: Double, rate: Double = 1) -> Double? {
        let time = CMTime(seconds: position, preferredTimescale: 48_000)
        let decoded = BufferMeter.Decoded(position: time, frames: 96_000, seconds: 2, isEnded: false, isFull: false, rate: rate)
        return meter.level(of: item, decoded, facts, wantsRunning: true)?.end?.seconds
    }

    @Test("while a transfer is lost, the reported end of the buffered audio stays true, so no level is reported (R-BUF-01)")
    func lostTransfer() {
        open(ahead: 1_200)
        #expect(end(at: 10) == 1_212)
        for passed in [1.0, 60, 600, 1_198] {
            transfer(1_200 - passed)
            #expect(end(at: 10 + passed) == nil)
        }
    }

    @Test("while a transfer fills the buffer, the end is reported when it has moved by 1 s, or by a sixteenth of a long buffer (R-BUF-01)")
    func filling() {
        open(ahead: 1)
        #expect(end(at: 0) == 3)
        transfer(1.75)
        #expect(end(at: 0) == nil)
        transfer(2)
        #expect(end(at: 0) == 4)
        transfer(1_598)
        #expect(end(at: 0) == 1_600)
        transfer(1_698)
        #expect(end(at: 0) == nil)
        transfer(1_718)
        #expect(end(at: 0) == 1_720)
        transfer(1_620)
        #expect(end(at: 0) == nil)
        transfer(15)
        #expect(end(at: 1_601) == 1_618, "the nearer the end, the more exact it is")
    }

    @Test("in reverse playback the decoded audio ends before the position, at the start of the item at the latest (R-BUF-01)")
    func reverse() {
        open(ahead: 1_200)
        #expect(end(at: 100) == 1_302)
        #expect(end(at: 100, rate: -1) == 98)
        #expect(end(at: 99.5, rate: -1) == nil)
        #expect(end(at: 99, rate: -2) == 97)
        #expect(end(at: 1, rate: -2) == 0)
    }

    @Test("of a local file a movement of the end alone is not reported")
    func localFile() {
        #expect(end(at: 0) == 2)
        #expect(end(at: 50) == nil)
        meter.forget()
        #expect(end(at: 50) == 52)
    }

    @Test("after a stall two seconds are buffered first (R-NET-08)")
    func stall() throws { #expect(try needAfterStall(isLive: true) == 3) }

    @Test("a live stream whose connection was lost continues without that (R-NET-08)")
    func lostStation() throws {
        loseConnection()
        #expect(try needAfterStall(isLive: true) == 0.3)
    }

    @Test("a finite medium whose connection was lost buffers as after any stall (R-NET-08)")
    func lostFile() throws {
        loseConnection()
        #expect(try needAfterStall(isLive: false) == 3)
    }
}
