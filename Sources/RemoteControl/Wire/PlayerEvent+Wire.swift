import Playlist

extension PlayerEvent {
    /// The event's type, as clients listen for it.
    var name: String {
        switch self {
        case .rateDidChange: "rateDidChange"
        case .timeJumped: "timeJumped"
        case .didPlayToEndTime: "didPlayToEndTime"
        case .failedToPlayToEndTime: "failedToPlayToEndTime"
        case .playbackStalled: "playbackStalled"
        case .queueDidChange: "queue"
        }
    }

    /// The event's data. `hostTime`: when it was told, seconds of the server's monotonic clock.
    func json(hostTime: Double) -> [UInt8] {
        JSONWriter.object { writer in
            switch self {
            case .rateDidChange(let rate, let reason, let origin):
                writer.member("rate", rate)
                writer.member("reason", reason)
                writer.member("origin", origin)
            case .timeJumped(let itemID, let time):
                writer.member("itemId", itemID)
                writer.member("time", time)
            case .didPlayToEndTime(let itemID), .playbackStalled(let itemID):
                writer.member("itemId", itemID)
            case .failedToPlayToEndTime(let itemID, let failure):
                writer.member("itemId", itemID)
                writer.member("error", object: failure.write)
            case .queueDidChange(let summary): summary.write(&writer)
            }
            writer.member("hostTime", hostTime)
        }
    }
}

extension PlayerTime {
    /// The data of a `tick`, and of `GET /api/v1/player/time` where there is a revision.
    func json(revision: Int? = nil) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("currentTime", currentTime)
            writer.member("rate", rate)
            writer.member("hostTime", hostTime)
            writer.member("revision", ifPresent: revision)
        }
    }
}
