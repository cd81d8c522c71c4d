/// Elements that leave in the order in which they came. On average, both take constant time.
struct Queue<Element> {
    private var coming: [Element] = []
    /// The oldest elements, in reverse order.
    private var leaving: [Element] = []

    var isEmpty: Bool { coming.isEmpty && leaving.isEmpty }
    var first: Element? { leaving.last ?? coming.first }

    mutating func append(_ element: Element) { coming.append(element) }

    mutating func popFirst() -> Element? {
        if leaving.isEmpty { (leaving, coming) = (coming.reversed(), []) }
        return leaving.popLast()
    }
}
