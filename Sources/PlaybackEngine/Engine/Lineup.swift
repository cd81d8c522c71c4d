import CoreMedia

/// The current item and those that follow. The engine's thread owns it.
final class Lineup {
    /// The item of the last load, advance or seek. If the next item is joined to it, the next item may be heard already.
    private(set) var current: ItemID?
    /// The `startTime` of the current item's request.
    private(set) var startTime = CMTime.zero
    private(set) var upcoming: [LoadRequest] = []

    func removeAll() { (current, upcoming) = (nil, []) }

    func begin(with request: LoadRequest) { (current, startTime, upcoming) = (request.item, request.startTime, []) }

    func advance() {
        guard let next = upcoming.first else { return }
        (current, startTime) = (next.item, next.startTime)
        upcoming.removeFirst()
    }

    func makeCurrent(_ item: ItemID) { current = item }

    /// Replaces the items that follow `item` by `requests`. Returns the items that the feeder has to join to the audio read so far, and the item that
    /// they follow (`anchor`).
    /// - Parameter heard: The heard item, which may differ from the current one.
    func follow(_ item: ItemID, with requests: [LoadRequest], heard: ItemID) -> (requests: [LoadRequest], anchor: ItemID) {
        if let index = requests.firstIndex(where: { $0.item == heard }) {
            // Only the items after the heard one still follow.
            upcoming = Array(requests[(index + 1)...])
            return (upcoming, heard)
        }
        if item != heard, let index = upcoming.firstIndex(where: { $0.item == item }) {
            // If `item` is not heard yet, the items before it remain.
            upcoming = Array(upcoming[...index]) + requests
            return (requests, item)
        }
        upcoming = requests
        return (requests, item == current || item == heard ? item : heard)
    }

    var items: [ItemID] { upcoming.map(\.item) + (current.map { [$0] } ?? []) }

    /// The item that follows `item`. If `item` is not among the upcoming ones, it counts as the current one.
    func follower(of item: ItemID) -> LoadRequest? {
        if let index = upcoming.firstIndex(where: { $0.item == item }) { return upcoming.dropFirst(index + 1).first }
        return upcoming.first
    }

    func hasFollower(of item: ItemID) -> Bool { upcoming.last.map { $0.item != item } ?? false }
}
