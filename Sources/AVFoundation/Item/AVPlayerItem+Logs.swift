import Foundation
import Platform
import PlaybackEngine

extension AVPlayerItem {
    /// A copy of the access log; nil before the item was played (R-LOG-01).
    public nonisolated func accessLog() -> AVPlayerItemAccessLog? {
        // The dates and addresses are formatted outside the turn, because that takes longer than other threads should wait.
        let (periods, startupTime, info) = Turn.perform {
            if let owner { log.settle(owner.environment.clock.now) }
            return (log.periods, log.startupTime, mediaInfo)
        }
        guard !periods.isEmpty else { return nil }
        let isRemote = if case .remote? = asset.source?.location { true } else { false }
        let reading = meter.reading, uri = loggedURI
        return AVPlayerItemAccessLog(
            events: periods.map { period in
                var event = AVPlayerItemAccessLogEvent(period, reading: isRemote ? period.after ?? reading : nil)
                event.uri = uri
                event.playbackSessionID = log.sessionID
                event.startupTime = startupTime ?? -1
                event.playbackType = info?.isLive == true ? "LIVE" : info?.isSegmented == true ? "VOD" : "FILE"
                if let bitRate = info?.bitRate {
                    event.indicatedBitrate = Double(bitRate)
                    event.averageAudioBitrate = Double(bitRate)
                }
                return event
            })
    }

    /// A copy of the error log; nil without errors (R-LOG-01).
    public nonisolated func errorLog() -> AVPlayerItemErrorLog? {
        let failures = Turn.perform { log.failures }
        guard !failures.isEmpty else { return nil }
        let uri = loggedURI
        return AVPlayerItemErrorLog(
            events: failures.map { failure in
                AVPlayerItemErrorLogEvent(
                    date: Date(timeIntervalSince1970: failure.date), uri: uri, serverAddress: failure.serverAddress,
                    playbackSessionID: log.sessionID, errorStatusCode: failure.status, errorDomain: failure.domain, errorComment: failure.comment)
            })
    }

    /// The URI without user name and password.
    private nonisolated var loggedURI: String? {
        switch asset.source?.location {
        case .file(let path): return path.exactText.map { URL(filePath: $0).absoluteString } ?? path.url
        case .remote(let url):
            guard var parts = URLComponents(string: url) else { return nil }
            (parts.user, parts.password) = (nil, nil)
            return parts.string
        case nil: return nil
        }
    }

    /// Logs the rate from now on; 0 means that the media time stops.
    @Turn func logMovement(_ rate: Double, _ environment: PlaybackEnvironment) {
        let began = log.moves(
            at: rate, now: environment.clock.now, date: environment.wallClock.secondsSince1970, offset: max(0, currentTime().seconds))
        if began { post(Self.newAccessLogEntryNotification) }
    }

    @Turn func logPeriodEnded(_ environment: PlaybackEnvironment) { log.endPeriod(meter.reading, now: environment.clock.now) }

    @Turn func logFailure(_ error: PlaybackError) {
        let shown = error.asAVFoundationError as NSError
        note(status: error.underlying?.code ?? shown.code, domain: error.underlying?.domain ?? shown.domain, error.message)
    }

    @Turn func logSkippedPackets(_ count: Int) {
        note(
            status: AVError.Code.decodeFailed.rawValue, domain: AVError.errorDomain, "Damaged packets were skipped: \(count) in total.", isSkip: true)
    }

    @Turn private func note(status: Int, domain: String, _ comment: String, isSkip: Bool = false) {
        let date = (owner?.environment ?? .default).wallClock.secondsSince1970
        let isNew = log.note(
            ItemLog.Failure(
                date: date, status: status, domain: domain, comment: comment, serverAddress: meter.reading.serverAddress, isSkip: isSkip))
        if isNew { post(Self.newErrorLogEntryNotification) }
    }
}
