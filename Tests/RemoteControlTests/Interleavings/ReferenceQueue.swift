/// A simple model of the queue. It defines the effect of each operation, and knows nothing of tags, keys or a player.
struct ReferenceQueue: Equatable {
    struct Entry: Equatable {
        var id: String
        var title: String
    }

    var entries: [Entry] = []
    var current: String?
    var history: [String] = []
    var volume = 1.0
    var nextNumber = 1

    var ids: [String] { entries.map(\.id) }
    func index(_ id: String) -> Int? { entries.firstIndex { $0.id == id } }

    /// Applies an operation to the model. Returns the status that the response must have. If that is not 2xx, the operation changes nothing.
    mutating func apply(_ operation: Operation) -> Int {
        switch operation {
        case .add(let title, let after):
            if let after, index(after) == nil { return 404 }
            let new = make(title)
            entries.insert(new, at: after.flatMap(index).map { $0 + 1 } ?? entries.count)
            if current == nil { current = new.id }
            return 201
        case .remove(let id):
            guard let index = index(id) else { return 404 }
            entries.remove(at: index)
            history.removeAll { $0 == id }
            if current == id { current = entries.indices.contains(index) ? entries[index].id : nil }
            return 204
        case .move(let id, let target):
            guard let index = index(id) else { return 404 }
            let entry = entries.remove(at: index)
            entries.insert(entry, at: min(target, entries.count))
            return 204
        case .put(let ids, let title): return put(ids, title)
        case .clear:
            entries = []
            history = []
            current = nil
            return 204
        case .next:
            guard let target = current.flatMap(index).map({ $0 + 1 }) ?? (entries.isEmpty ? nil : 0), entries.indices.contains(target) else {
                return 409
            }
            go(to: entries[target].id)
            return 200
        case .previous:
            if let last = history.popLast() {
                current = last
                return 200
            }
            guard let index = current.flatMap(index), index > 0 else { return 409 }
            current = entries[index - 1].id
            return 200
        case .play(let id):
            guard index(id) != nil else { return 404 }
            go(to: id)
            return 200
        case .toggle: return 200
        case .setVolume(let value):
            volume = value
            return 200
        }
    }

    private mutating func make(_ title: String) -> Entry {
        defer { nextNumber += 1 }
        return Entry(id: "e\(nextNumber)", title: title)
    }

    private mutating func go(to id: String) {
        if let current, current != id { history.append(current) }
        current = id
    }

    private mutating func put(_ wanted: [String], _ title: String?) -> Int {
        var new: [Entry] = []
        for id in wanted {
            guard let index = index(id) else { return 404 }
            new.append(entries[index])
        }
        if let title { new.append(make(title)) }
        entries = new
        if let current, index(current) != nil {
            history = history.filter(Set(ids).contains)
        } else {
            history = []
            current = entries.first?.id
        }
        return 200
    }
}

/// A change that a client requests.
enum Operation: Equatable {
    case add(title: String, after: String?)
    case remove(String)
    case move(String, to: Int)
    /// Replaces the queue with some of its present entries, by their ids, and with a new entry, unless `new` is nil.
    case put([String], new: String?)
    case clear
    case next, previous
    case play(String)
    case toggle
    case setVolume(Double)

    /// Whether the operation edits the queue, so that its request may have the queue's tag as a condition.
    var isEdit: Bool {
        switch self {
        case .add, .remove, .move, .put, .clear: true
        default: false
        }
    }
    /// Whether the operation is a step from the current entry to another one (`next` or `previous`).
    var isStep: Bool {
        switch self {
        case .next, .previous, .play: true
        default: false
        }
    }

    /// Returns the request of the operation.
    /// - Parameters:
    ///   - folder: The folder of the media. The file of a new entry has the name of its title.
    ///   - current: The id of the entry that a step must leave; nil if the request has no such condition.
    func request(folder: String, current: String?) -> (method: String, path: String, json: String?) {
        let guarded = current.map { #"{"current":"\#($0)"}"# } ?? "{}"
        func new(_ title: String) -> String { #"{"url":"\#(folder)/\#(title).flac","title":"\#(title)"}"# }
        switch self {
        case .add(let title, let after):
            return ("POST", "/api/v1/queue", #"{"entries":[\#(new(title))]\#(after.map { #","after":"\#($0)""# } ?? "")}"#)
        case .remove(let id): return ("DELETE", "/api/v1/queue/\(id)", nil)
        case .move(let id, let index): return ("POST", "/api/v1/queue/\(id)/move", #"{"index":\#(index)}"#)
        case .put(let ids, let title):
            let entries = ids.map { #"{"id":"\#($0)"}"# } + (title.map { [new($0)] } ?? [])
            return ("PUT", "/api/v1/queue", #"{"entries":[\#(entries.joined(separator: ","))]}"#)
        case .clear: return ("DELETE", "/api/v1/queue", nil)
        case .next: return ("POST", "/api/v1/queue/next", guarded)
        case .previous: return ("POST", "/api/v1/queue/previous", guarded)
        case .play(let id): return ("POST", "/api/v1/queue/\(id)/play", guarded)
        case .toggle: return ("POST", "/api/v1/player/toggle", nil)
        case .setVolume(let value): return ("PATCH", "/api/v1/player", #"{"volume":\#(value)}"#)
        }
    }
}
