import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Access and error logs") @MainActor struct ItemLogTests {
    let rig = ScriptedRig()
    let log = Recorder()

    func item(_ url: String, _ medium: ScriptedMedium = ScriptedMedium(seconds: 100)) -> AVPlayerItem {
        rig.host.setMedium(medium, at: url)
        let item = AVPlayerItem(asset: AVAsset(source: MediaSource(.remote(url: url)), environment: rig.environment))
        log.observe(AVPlayerItem.newAccessLogEntryNotification, item, as: "access")
        log.observe(AVPlayerItem.newErrorLogEntryNotification, item, as: "error")
        return item
    }

    @Test("a log is nil before its first event; then each uninterrupted period is one event with a notification (R-LOG-01, R-NOTE-06)")
    func periods() throws {
        let item = item("http://example.org/a")
        let player = rig.player(item)
        rig.run()
        #expect(item.accessLog() == nil && item.errorLog() == nil)
        player.play()
        rig.advance(2)
        #expect(log.log == ["access"])
        #expect(item.accessLog()?.events.map(\.durationWatched) == [2])
        player.rate = 2
        rig.advance(1)
        #expect(item.accessLog()?.events.map(\.durationWatched) == [4], "media time, in the same period")
        player.pause()
        rig.advance(5)
        player.play()
        rig.advance(1)
        player.seek(to: ms(50_000), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.advance(1)
        #expect(log.log == ["access", "access", "access"])
        let events = try #require(item.accessLog()?.events)
        #expect(events.map(\.durationWatched) == [4, 1, 1])
        #expect(events.map(\.playbackStartOffset) == [0, 4, 50])
        #expect(events.map(\.playbackStartDate) == Array(repeating: Date(timeIntervalSince1970: 1_767_225_600), count: 3))
        #expect(Set(events.map(\.playbackSessionID)).count == 1 && events[0].playbackSessionID != nil)
    }

    @Test("a stall is counted and does not end the period (R-LOG-01)")
    func stalls() throws {
        let item = item("http://example.org/a")
        let player = rig.player(item)
        player.play()
        rig.advance(1)
        rig.engine.cutTimeline()
        rig.engine.emit(.bufferChanged(item.id, BufferLevel(seconds: 0, isEmpty: true, isFull: false, isLikelyToKeepUp: false)))
        rig.advance(3)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        rig.engine.emit(.bufferChanged(item.id, BufferLevel(seconds: 2, isEmpty: false, isFull: false, isLikelyToKeepUp: true)))
        rig.advance(0)
        let event = try #require(item.accessLog()?.events.last)
        #expect(event.numberOfStalls == 1 && item.accessLog()?.events.count == 1)
        #expect(abs(event.durationWatched - 1) < 0.05)
    }

    @Test("requests and bytes of a remote medium are counted for each period; those of a file are unknown (R-LOG-02, R-LOG-03)")
    func transfers() throws {
        let item = item("http://user:secret@example.org/a?b=c")
        let player = rig.player(item)
        item.meter.countRequest(to: "192.0.2.1")
        item.meter.count(bytes: 100_000, seconds: 0.5)
        player.play()
        rig.advance(1)
        player.pause()
        item.meter.countRequest(to: "192.0.2.2")
        item.meter.count(bytes: 50_000, seconds: 0.1)
        player.play()
        rig.advance(1)
        let events = try #require(item.accessLog()?.events)
        #expect(events.map(\.numberOfMediaRequests) == [1, 1])
        #expect(events.map(\.numberOfBytesTransferred) == [100_000, 50_000])
        #expect(events[0].observedBitrate == 1_600_000 && events[0].observedMaxBitrate == 1_600_000)
        #expect(events.map(\.serverAddress) == ["192.0.2.1", "192.0.2.2"] && events.map(\.numberOfServerAddressChanges) == [0, 1])
        #expect(events[0].uri == "http://example.org/a?b=c", "without the password")
        #expect(events[0].playbackType == "FILE" && events[0].numberOfDroppedVideoFrames == -1)

        player.replaceCurrentItem(with: rig.item("local"))
        rig.advance(1)
        let local = try #require(player.currentItem?.accessLog()?.events.first)
        #expect(local.numberOfMediaRequests == -1 && local.numberOfBytesTransferred == -1 && local.serverAddress == nil)
        #expect(local.uri == "file:///local" && local.durationWatched == 1)
    }

    @Test("the playback type of a live stream is LIVE, that of a complete playlist of segments VOD (R-LOG-02)", arguments: [true, false])
    func playbackType(_ isLive: Bool) {
        var medium = ScriptedMedium(seconds: isLive ? nil : 60, isSeekable: !isLive, isLive: isLive)
        medium.info.isSegmented = true
        let item = item("http://example.org/list.m3u8", medium)
        let player = rig.player(item)
        player.play()
        rig.advance(1)
        #expect(item.accessLog()?.events.first?.playbackType == (isLive ? "LIVE" : "VOD"))
        _ = player
    }

    @Test("errors are logged with the code of their source, and damaged packets share one entry (R-LOG-01, R-NOTE-06)")
    func errors() throws {
        let item = item("http://example.org/a")
        let player = rig.player(item)
        rig.run()
        rig.engine.emit(.packetsSkipped(item.id, 1))
        rig.engine.emit(.packetsSkipped(item.id, 2))
        rig.run()
        let underlying = PlaybackError.Underlying(domain: "HTTP", code: 503, message: "status 503")
        rig.engine.setTimeline(Timeline(sampleRate: 1_000))
        rig.engine.emit(.failed(item.id, PlaybackError(.network, "The server answered with error 503.", underlying: underlying)))
        rig.run()
        let events = try #require(item.errorLog()?.events)
        #expect(events.map(\.errorStatusCode) == [-11821, 503])
        #expect(events.map(\.errorDomain) == [AVFoundationErrorDomain, "HTTP"])
        #expect(events[0].errorComment == "Damaged packets were skipped: 2 in total.")
        #expect(log.log == ["error", "error"])
        _ = player
    }

    @Test("the text form has one line for each event with W3C's field names, and no value can break a line (R-LOG-01)")
    func text() throws {
        let line = ItemLog()
        let bad = ItemLog.Failure(date: 0, status: -1, domain: "a b", comment: "x\ny \"z\" %\u{7F}é", serverAddress: nil)
        let isNew = Turn.perform { line.note(bad) }
        #expect(isNew)
        let event = AVPlayerItemErrorLogEvent(
            date: Date(timeIntervalSince1970: 0), uri: nil, serverAddress: nil, playbackSessionID: "s", errorStatusCode: -1, errorDomain: bad.domain,
            errorComment: bad.comment)
        let log = AVPlayerItemErrorLog(events: [event])
        let text = String(decoding: try #require(log.extendedLogData()), as: UTF8.self)
        #expect(
            text == """
                #Version: 1.0
                #Fields: date uri s-ip cs-guid status domain comment
                1970-01-01T00:00:00Z - - s -1 a%20b x%0Ay%20%22z%22%20%25%7F%C3%A9

                """)
        #expect(log.extendedLogDataStringEncoding == String.Encoding.utf8.rawValue)
        #expect(AVPlayerItemAccessLogEvent.fields.count == AVPlayerItemAccessLogEvent().values.count)
        let access = AVPlayerItemAccessLog(events: [AVPlayerItemAccessLogEvent()])
        let row = String(decoding: try #require(access.extendedLogData()), as: UTF8.self).split(separator: "\n")[2]
        #expect(row.split(separator: " ").allSatisfy { $0 == "-" }, "every value is unknown")
    }

    @Test("a log keeps the newest hundred entries")
    func capacity() {
        let line = ItemLog()
        for number in 0..<150 {
            Turn.perform {
                _ = line.note(ItemLog.Failure(date: Double(number), status: number, domain: "d", comment: "c", serverAddress: nil))
                _ = line.moves(at: 1, now: HostTime(nanoseconds: 0), date: 0, offset: Double(number))
                line.endPeriod(TransferMeter.Reading(), now: HostTime(nanoseconds: 0))
            }
        }
        let (failures, periods) = Turn.perform { (line.failures, line.periods) }
        #expect(failures.map(\.status) == Array(50..<150))
        #expect(periods.map(\.startOffset) == (50..<150).map(Double.init))
    }
}
