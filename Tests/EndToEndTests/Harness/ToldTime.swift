/// Checks the positions that a client receives in events. A position may be lower than the preceding one only after an event that announces a change
/// of the position, such as `timeJumped`.
struct ToldTime {
    /// The number of received events `tick`.
    private(set) var ticks = 0
    /// The number of times that the position went back after an event that had announced it.
    private(set) var returns = 0
    /// Descriptions of the positions that went back without an event that had announced it.
    private(set) var faults: [String] = []
    /// The lowest position that the next event `tick` may have, in seconds.
    private var floor = 0.0
    private var newest = 0.0
    private var item: String?

    /// Checks the next event that the client has received.
    mutating func take(_ type: String, _ data: [String: Any]) {
        switch type {
        case "timeJumped": floor = data["time"] as? Double ?? 0
        case "state":
            let current = (data["currentItem"] as? [String: Any])?["id"] as? String
            if current != item || data["resync"] as? Bool == true || data["coalesced"] as? Bool == true { floor = 0 }
            item = current
        case "tick":
            let now = data["currentTime"] as? Double ?? -1
            if now < floor { faults.append("\(now) follows \(floor)") }
            if now < newest { returns += 1 }
            ticks += 1
            (floor, newest) = (now, now)
        default: break
        }
    }
}
