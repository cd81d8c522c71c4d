import CoreMedia

/// The current item and those that follow it. Owned by the engine's thread.
final class Lineup {
    /// The item that was made current by the last load, advance or seek. Items that are joined to it may already be heard.
    private(set) var current: ItemID?
    /// The media position at which the item of the last load or advance begins.
    private(set) var startTime = CMTime.zero
    private(set) var upcoming: [LoadRequest] = []

    func removeAll() { (current, upcoming) = (nil, []) }

    /// Makes the item of a request the current one and the only one.
    func begin(with request: LoadRequest) { (current, startTime, upcoming) = (request.item, request.startTime, []) }

    /// Makes the first upcoming item the current one.
    func advance() {
        guard let next = upcoming.first else { return }
        (current, startTime) = (next.item, next.startTime)
        upcoming.removeFirst()
    }

    /// Makes an item the current one, and keeps the following items.
    func makeCurrent(_ item: ItemID) { current = item }

    /// Replaces the items that follow `item`.
    ///
    /// - Parameter heard: the item that is heard. It may differ from the current item.
    /// - Returns: the items that the feeder has to join (`requests`), and the item to whose end it joins them (`anchor`).
    func follow(_ item: ItemID, with requests: [LoadRequest], heard: ItemID) -> (requests: [LoadRequest], anchor: ItemID) {
        if let index = requests.firstIndex(where: { $0.item == heard }) {
            // The item that is heard is in the new list, so only the items after it still follow.
            upcoming = Array(requests[(index + 1)...])
            return (upcoming, heard)
        }
        if item != heard, let index = upcoming.firstIndex(where: { $0.item == item }) {
            // `item` is the player's current item and is not heard yet. The items before it in the list remain.
            upcoming = Array(upcoming[...index]) + requests
            return (requests, item)
        }
        upcoming = requests
        return (requests, item == current || item == heard ? item : heard)
    }

    /// The upcoming items and the current one.
    var items: [ItemID] { upcoming.map(\.item) + (current.map { [$0] } ?? []) }

    /// Whether another item follows this one.
    func hasFollower(of item: ItemID) -> Bool { upcoming.last.map { $0.item != item } ?? false }
}
