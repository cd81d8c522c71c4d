/// Selects the first names of a folder in the order of its listing, from names that arrive in any order. Only `limit` names are kept at a time, so
/// that the memory does not depend on the number of names in the folder.
struct FirstNames {
    /// The place of a name in the order of a listing: folders before files, each in natural order. Two names of one folder never have equal places.
    struct Place: Sendable {
        /// Whether the name is listed among the folders.
        var isFolder: Bool
        var name: NaturalOrder.Key

        func precedes(_ other: Place) -> Bool { isFolder == other.isFolder ? name.precedes(other.name) : isFolder }

        /// Compares a name with this place, without its key (`NaturalOrder.Key`), which would cost memory. Returns a number above 0 if the name
        /// follows this place, below 0 if it precedes it, and 0 if only the key can decide.
        func order(of name: UnsafeBufferPointer<UInt8>, isFolder: Bool) -> Int {
            isFolder == self.isFolder ? self.name.order(of: name) : isFolder ? -1 : 1
        }
    }

    /// The name of an entry of a folder, as the system reports it.
    struct Name: Sendable {
        var place: Place
        /// The type that the system reports with the name (`DT_REG`, …).
        var type: UInt8
    }

    let limit: Int
    /// The kept names as a binary heap: no name precedes the names at twice its index plus 1 and plus 2. So the first element is the last name in the
    /// order.
    private var heap: [Name] = []

    init(limit: Int) { self.limit = limit }

    /// The place of the last of the kept names in the order; nil if fewer than `limit` names are kept, so that every name would be kept.
    var last: Place? { heap.count < limit ? nil : heap.first?.place }

    /// Keeps a name if it is among the first `limit` names so far. If another name is then no longer among them, that name is discarded.
    mutating func insert(_ name: Name) {
        guard limit > 0 else { return }
        if heap.count < limit {
            heap.append(name)
            rise(heap.count - 1)
        } else if name.place.precedes(heap[0].place) {
            heap[0] = name
            sink()
        }
    }

    /// Returns the kept names in their order.
    consuming func sorted() -> [Name] { heap.sorted { $0.place.precedes($1.place) } }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, heap[(index - 1) / 2].place.precedes(heap[index].place) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var largest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[largest].place.precedes(heap[child].place) {
                largest = child
            }
            guard largest != index else { return }
            heap.swapAt(index, largest)
            index = largest
        }
    }
}
