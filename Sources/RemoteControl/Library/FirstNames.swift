/// Selects the first `limit` names of a folder in the order of its listing, from names in any order, in memory for `limit` names.
struct FirstNames {
    /// The place of a name in a listing: folders before files, each in natural order. Two names of one folder never have equal places.
    struct Place: Sendable {
        var isFolder: Bool
        var name: NaturalOrder.Key

        func precedes(_ other: Place) -> Bool { isFolder == other.isFolder ? name.precedes(other.name) : isFolder }

        /// The order of a name: above 0 if it follows this place, below 0 if it precedes it, 0 if only the key (`NaturalOrder.Key`), which costs
        /// memory, can decide.
        func order(of name: UnsafeBufferPointer<UInt8>, isFolder: Bool) -> Int {
            isFolder == self.isFolder ? self.name.order(of: name) : isFolder ? -1 : 1
        }
    }

    /// A name as the system reports it.
    struct Name: Sendable {
        var place: Place
        /// The type of the file: `DT_REG`, …
        var type: UInt8
    }

    let limit: Int
    /// The names as a binary heap, whose first element is the last name in the order.
    private var heap: [Name] = []

    init(limit: Int) { self.limit = limit }

    /// The place of the last name; nil if fewer than `limit` names are kept, so that every name would be.
    var last: Place? { heap.count < limit ? nil : heap.first?.place }

    /// Keeps a name if it is among the first `limit` so far.
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
