/// What a client was told of the time, looked at as it comes: it goes back only where an event has said so before.
struct ToldTime {
    /// The ticks that came.
    private(set) var ticks = 0
    /// How often the time went back, and an event had said so.
    private(set) var returns = 0
    /// Where it went back without one, in words.
    private(set) var faults: [String] = []
    /// No tick may be before it.
    private var floor = 0.0
    private var newest = 0.0
    private var item: String?

    /// Takes the next event.
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
