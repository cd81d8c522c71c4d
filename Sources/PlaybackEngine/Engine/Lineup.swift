import CoreMedia

/// The current item and those that follow it. Owned by the engine's thread.
final class Lineup {
    /// The item of the last load, advance or seek; items joined to it follow.
    private(set) var current: ItemID?
    /// The position at which the item of the last load or advance begins.
    private(set) var startTime = CMTime.zero
    private(set) var upcoming: [LoadRequest] = []

    func removeAll() { (current, upcoming) = (nil, []) }

    /// Makes an item the only one.
    func begin(with request: LoadRequest) { (current, startTime, upcoming) = (request.item, request.startTime, []) }

    /// Makes the first upcoming item the current one.
    func advance() {
        guard let next = upcoming.first else { return }
        (current, startTime) = (next.item, next.startTime)
        upcoming.removeFirst()
    }

    /// Makes an item of the list the current one.
    func makeCurrent(_ item: ItemID) { current = item }

    /// Replaces the followers of an item.
    ///
    /// - Parameter heard: the item that is heard, which need not be the current one.
    /// - Returns: the items that the feeder has to join, and the item after which it joins them.
    func follow(_ item: ItemID, with requests: [LoadRequest], heard: ItemID) -> (requests: [LoadRequest], anchor: ItemID) {
        if let index = requests.firstIndex(where: { $0.item == heard }) {
            // An item of the list is heard already.
            upcoming = Array(requests[(index + 1)...])
            return (upcoming, heard)
        }
        if item != heard, let index = upcoming.firstIndex(where: { $0.item == item }) {
            // The player's current item is one that is not heard yet.
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
