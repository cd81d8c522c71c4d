/// The times that a client received, checked on arrival: time may go back only after an event that says so.
struct ToldTime {
    /// The number of ticks received.
    private(set) var ticks = 0
    /// How often the time went back after such an event.
    private(set) var returns = 0
    /// Descriptions of the times that went back without such an event.
    private(set) var faults: [String] = []
    /// The lower limit of the next tick.
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
