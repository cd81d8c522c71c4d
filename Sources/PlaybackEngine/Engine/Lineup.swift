import CoreMedia

/// The engine's current item, and the items that follow it. The engine's thread owns the lineup.
final class Lineup {
    /// The item that was made current by the last load, advance or seek. If the next item is joined to the current item, the next item may already be
    /// heard.
    private(set) var current: ItemID?
    /// The start position of the current item, in media time: the `startTime` of the item's load request. The methods `begin` and `advance` set it.
    private(set) var startTime = CMTime.zero
    private(set) var upcoming: [LoadRequest] = []

    func removeAll() { (current, upcoming) = (nil, []) }

    /// Makes the item of a load request the current and only item.
    func begin(with request: LoadRequest) { (current, startTime, upcoming) = (request.item, request.startTime, []) }

    /// Makes the first of the following items the current item.
    func advance() {
        guard let next = upcoming.first else { return }
        (current, startTime) = (next.item, next.startTime)
        upcoming.removeFirst()
    }

    /// Makes an item the current item, and keeps the list of following items.
    func makeCurrent(_ item: ItemID) { current = item }

    /// Replaces the items that follow `item`.
    ///
    /// - Parameter heard: the item that is heard. The heard item may differ from the current item.
    /// - Returns: the items that the feeder has to join to the queued audio (`requests`), and the item that they follow (`anchor`).
    func follow(_ item: ItemID, with requests: [LoadRequest], heard: ItemID) -> (requests: [LoadRequest], anchor: ItemID) {
        if let index = requests.firstIndex(where: { $0.item == heard }) {
            // If the new list contains the item that is heard, only the items after that item still follow.
            upcoming = Array(requests[(index + 1)...])
            return (upcoming, heard)
        }
        if item != heard, let index = upcoming.firstIndex(where: { $0.item == item }) {
            // If the current item of the player (`item`) is not heard yet, the items before it in the lineup remain.
            upcoming = Array(upcoming[...index]) + requests
            return (requests, item)
        }
        upcoming = requests
        return (requests, item == current || item == heard ? item : heard)
    }

    /// The upcoming items and the current one.
    var items: [ItemID] { upcoming.map(\.item) + (current.map { [$0] } ?? []) }

    /// Returns the item that follows `item` in the lineup; nil if none follows. If `item` is not among the upcoming items, it counts as the current
    /// item.
    func follower(of item: ItemID) -> LoadRequest? {
        if let index = upcoming.firstIndex(where: { $0.item == item }) { return upcoming.dropFirst(index + 1).first }
        return upcoming.first
    }

    /// Whether another item follows `item` in the lineup.
    func hasFollower(of item: ItemID) -> Bool { upcoming.last.map { $0.item != item } ?? false }
}
