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
