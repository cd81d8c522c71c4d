import Player

extension PlayerEvent {
    var name: String {
        switch self {
        case .rateDidChange: "rateDidChange"
        case .timeJumped: "timeJumped"
        case .didPlayToEndTime: "didPlayToEndTime"
        case .failedToPlayToEndTime: "failedToPlayToEndTime"
        case .playbackStalled: "playbackStalled"
        case .queueDidChange: "queue"
        case .metadataDidChange: "metadata"
        case .interruption: "interruption"
        case .routeDidChange: "routeChange"
        case .currentItemDidChange: "currentItemChanged"
        case .entryDidFail: "entryFailed"
        case .networkDidChange: "network"
        }
    }

    /// - Parameter hostTime: The time in seconds of the server's monotonic clock.
    func json(hostTime: Double) -> [UInt8] {
        JSONWriter.object { writer in
            switch self {
            case .rateDidChange(let rate, let reason, let origin):
                writer.member("rate", rate)
                writer.member("reason", reason.rawValue)
                writer.member("origin", origin)
            case .timeJumped(let itemID, let time):
                writer.member("itemId", itemID)
                writer.member("time", time)
            case .didPlayToEndTime(let itemID), .playbackStalled(let itemID):
                writer.member("itemId", itemID)
            case .failedToPlayToEndTime(let itemID, let failure):
                writer.member("itemId", itemID)
                writer.member("error", object: failure.write)
            case .networkDidChange(let itemID, let network):
                writer.member("itemId", itemID)
                if let network { writer.member("network", object: network.write) }
            case .queueDidChange(let update): update.write(&writer)
            case .metadataDidChange(let item):
                writer.member("itemId", item.id)
                writer.member("title", ifPresent: item.title)
                writer.member("artist", ifPresent: item.artist)
                writer.member("album", ifPresent: item.album)
                writer.member("streamTitle", ifPresent: item.streamTitle)
                writer.member("stationName", ifPresent: item.stationName)
                writer.member("hasArtwork", item.hasArtwork)
            case .interruption(.began(let reason)):
                writer.member("type", "began")
                writer.member("reason", reason.name)
            case .interruption(.ended(let shouldResume)):
                writer.member("type", "ended")
                writer.member("shouldResume", shouldResume)
            case .routeDidChange(let change):
                writer.member("reason", change.reason.name)
                writer.member("currentRoute", object: { Self.write(change.outputs, &$0) })
                writer.member("previousRoute", object: { Self.write(change.previousOutputs, &$0) })
            case .currentItemDidChange(let change): change.write(&writer)
            case .entryDidFail(let id, let url, let failure):
                writer.member("entryId", id)
                writer.member("url", url)
                writer.member("error", object: failure.write)
            }
            writer.member("hostTime", hostTime)
        }
    }
}

extension CurrentItemChange {
    func write(_ writer: inout JSONWriter) {
        writer.member("entryId", ifPresent: item?.id)
        writer.member("url", ifPresent: item?.url)
        writer.member("status", ifPresent: item?.status.name)
        writer.member("title", ifPresent: item?.title)
        writer.member("artist", ifPresent: item?.artist)
        writer.member("album", ifPresent: item?.album)
        writer.member("duration", ifPresent: item?.duration)
        writer.member("index", index)
        cause.write(&writer)
    }
}

extension PlayerEvent {
    private static func write(_ outputs: [AudioSessionState.Port], _ writer: inout JSONWriter) {
        writer.member("outputs", array: outputs) { writer, port in
            writer.object { writer in
                writer.member("portType", port.portType)
                writer.member("portName", port.portName)
                writer.member("uid", port.uid)
            }
        }
    }
}

extension BufferState {
    /// - Parameter hostTime: The time in seconds of the server's monotonic clock.
    func json(hostTime: Double) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("itemId", itemID)
            writer.member("loadedTimeRanges", array: loaded) { $0.object($1.write) }
            writer.member("seekableTimeRanges", array: seekable) { $0.object($1.write) }
            writer.member("isPlaybackBufferEmpty", isEmpty)
            writer.member("isPlaybackBufferFull", isFull)
            writer.member("isPlaybackLikelyToKeepUp", isLikelyToKeepUp)
            writer.member("hostTime", hostTime)
        }
    }
}

extension PlayerTime {
    /// The JSON of a `tick` event; with a `revision`, the answer to `GET /api/v1/player/time`.
    func json(revision: Int? = nil) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("currentTime", currentTime)
            writer.member("rate", rate)
            writer.member("hostTime", hostTime)
            writer.member("revision", ifPresent: revision)
        }
    }
}
