import Foundation
import Platform

/// Performs operations on a daemon, each with one or several requests. Blocks.
struct RemoteSession {
    /// Sends a request, and returns the response even if its status is an error.
    typealias Transport = (RemoteRequest) throws(RemoteFailure) -> RemoteResponse

    enum Reply {
        /// The state after a change, in one line.
        case line(RemoteState, time: Double)
        case status(RemoteState, time: Double)
        case queue(RemoteQueue)
        case outputs(RemoteOutputs)
        /// The document for `--json`; empty if there is none.
        case document([UInt8])
    }

    private static let api = "/api/v1/"
    /// The number of attempts to change a setting that other clients may change too. The last one has no `If-Match`, so it does not depend on them.
    private static let attempts = 5

    let address: RemoteAddress
    /// The folder to which relative paths refer.
    let directory: String
    let isJSON: Bool
    /// Whether media are added after the current entry, not at the end.
    let addsNext: Bool
    let transport: Transport

    func perform(_ operation: RemoteOperation) throws(RemoteFailure) -> Reply {
        switch operation {
        case .status: return try shown(try get("player"), isWhole: true)
        case .queue: return isJSON ? .document(try get("queue").body) : .queue(try queue())
        case .outputs: return try outputs(try get("outputs"))
        case .servers: return .document([])
        case .transport(let command): return try shown(try post(command.rawValue, [:]))
        case .playMedia(let media):
            // Without the index, a track that plays already would play on.
            return try afterwards(try send("PUT", "queue", ["entries": .entries(requested(media)), "play": .flag(true), "startIndex": .number(0)]))
        case .seek(.time(let time)): return try afterwards(try post("player/seek", ["time": .number(time)]))
        case .seek(.offset(let offset)): return try afterwards(try post("player/seek", ["offset": .number(offset)]))
        case .seek(.fraction(let fraction)): return try afterwards(try post("player/seek", ["fraction": .number(fraction)]))
        case .volume(.absolute(let level)): return try shown(try update(["volume": .number(level / 100)]))
        case .volume(.relative(let change)):
            return try shown(try update { ["volume": .number(min(1, max(0, (($0.volume * 100 + change) / 100 * 1e6).rounded() / 1e6)))] })
        case .mute(let isMuted?): return try shown(try update(["isMuted": .flag(isMuted)]))
        case .mute(nil): return try shown(try update { ["isMuted": .flag(!$0.isMuted)] })
        // Setting `rate` would start a paused player, so the default rate of a paused player is changed instead.
        case .rate(let rate): return try shown(try update { [$0.rate == 0 ? "defaultRate" : "rate": .number(rate)] })
        case .repeatMode(let mode): return try shown(try update(["repeatMode": .text(mode)]))
        case .shuffle(let isOn): return try shown(try update(["isShuffled": .flag(isOn)]))
        case .sleepTimer(.after(let seconds)): return try afterwards(try send("PUT", "sleep-timer", ["seconds": .number(seconds)]))
        case .sleepTimer(.endOfItem): return try afterwards(try send("PUT", "sleep-timer", ["endOfItem": .flag(true)]))
        case .sleepTimer(.off): return try afterwards(try send("DELETE", "sleep-timer"))
        case .output(let name): return try choose(name)
        case .add(let media): return try add(media)
        case .jump(let number): return try shown(try post("queue/\(try entry(number).id)/play", [:]))
        case .remove(let numbers): return try remove(numbers)
        case .move(let from, let to):
            let found = try entry(from)
            return try afterwards(try send("POST", "queue/\(found.id)/move", ["index": .number(Double(to - 1))], match: found.tag))
        case .clear: return try afterwards(try send("DELETE", "queue"))
        }
    }

    // MARK: Requests

    private func get(_ path: String) throws(RemoteFailure) -> RemoteResponse { try send(RemoteRequest("GET", Self.api + path)) }

    private func post(_ path: String, _ members: [String: RemoteValue]) throws(RemoteFailure) -> RemoteResponse { try send("POST", path, members) }

    private func send(_ method: String, _ path: String, _ members: [String: RemoteValue]? = nil, match: String? = nil) throws(RemoteFailure)
        -> RemoteResponse
    {
        try send(RemoteRequest(method, Self.api + path, members.map(RemoteValue.object), match: match))
    }

    private func send(_ request: RemoteRequest) throws(RemoteFailure) -> RemoteResponse {
        let response = try transport(request)
        guard (200..<300).contains(response.status) else { throw RemoteFailure(response, at: address) }
        return response
    }

    private func decoded<Document: Decodable>(_ response: RemoteResponse) throws(RemoteFailure) -> Document {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(response.body)) else {
            throw RemoteFailure(.refused, "the server at \(address) does not speak version 1 of the contract")
        }
        return document
    }

    // MARK: Replies

    private func shown(_ response: RemoteResponse, isWhole: Bool = false) throws(RemoteFailure) -> Reply {
        if isJSON { return .document(response.body) }
        let state: RemoteState = try decoded(response)
        // The state contains the position at its last change, and the server's clock is not known, so the present position is requested.
        let time: RemoteTime = try decoded(try get("player/time"))
        return isWhole ? .status(state, time: time.currentTime) : .line(state, time: time.currentTime)
    }

    /// The reply to an operation whose response is another document than the state: with `isJSON` that document, otherwise the new state.
    private func afterwards(_ response: RemoteResponse) throws(RemoteFailure) -> Reply {
        isJSON ? .document(response.body) : try shown(try get("player"))
    }

    private func outputs(_ response: RemoteResponse) throws(RemoteFailure) -> Reply {
        isJSON ? .document(response.body) : .outputs(try decoded(response))
    }

    // MARK: Settings

    private func update(_ members: [String: RemoteValue]) throws(RemoteFailure) -> RemoteResponse { try send("PATCH", "player", members) }

    /// Changes settings depending on their present values, which are read again if another client has changed the state, except in the last attempt.
    private func update(_ members: (RemoteState) -> [String: RemoteValue]) throws(RemoteFailure) -> RemoteResponse {
        for _ in 1..<Self.attempts {
            let present = try get("player")
            let request = RemoteRequest("PATCH", Self.api + "player", RemoteValue.object(members(try decoded(present))), match: present.entityTag)
            let response = try transport(request)
            if response.status == 412 { continue }
            guard (200..<300).contains(response.status) else { throw RemoteFailure(response, at: address) }
            return response
        }
        return try update(members(try decoded(try get("player"))))
    }

    private func choose(_ name: String) throws(RemoteFailure) -> Reply {
        let known: RemoteOutputs = try decoded(try get("outputs"))
        let found =
            known.outputs.first { $0.id.utf8.elementsEqual(name.utf8) } ?? known.outputs.first { $0.name.utf8.equalsIgnoringCase(name.utf8) }
        guard let found else {
            throw RemoteFailure(.refused, "there is no output \"\(name)\"; \"tonearm remote outputs\" shows the outputs")
        }
        return try outputs(try send("PUT", "output", ["id": .text(found.id)]))
    }

    // MARK: The queue

    private func requested(_ media: [String]) -> [String] { media.map { MediaArgument($0, relativeTo: directory).request } }

    private func add(_ media: [String]) throws(RemoteFailure) -> Reply {
        var members: [String: RemoteValue] = ["entries": .entries(requested(media))]
        if addsNext { members["position"] = .text("next") }
        return try afterwards(try post("queue", members))
    }

    private func remove(_ numbers: [Int]) throws(RemoteFailure) -> Reply {
        // The removal of an entry changes the numbers of the entries after it, so all ids are found first.
        let sorted = Set(numbers).sorted()
        let queue = try queue(upTo: sorted.last ?? 0)
        var ids: [String] = []
        for number in sorted { ids.append(try id(of: number <= queue.entries.count ? queue.entries[number - 1] : nil, number, queue)) }
        var response: RemoteResponse?
        for id in ids { response = try send("DELETE", "queue/\(id)") }
        return try afterwards(response ?? RemoteResponse(status: 204))
    }

    /// The entry's id, percent-encoded, and the queue's entity tag.
    private func entry(_ number: Int) throws(RemoteFailure) -> (id: String, tag: String?) {
        let response = try get("queue?offset=\(number - 1)&limit=1")
        let page: RemoteQueue = try decoded(response)
        return (try id(of: page.entries.first, number, page), response.entityTag)
    }

    private func id(of entry: RemoteEntry?, _ number: Int, _ queue: RemoteQueue) throws(RemoteFailure) -> String {
        guard let entry else {
            throw RemoteFailure(.refused, "there is no entry \(number): the queue has \(queue.count == 1 ? "1 entry" : "\(queue.count) entries")")
        }
        return PercentEncoding.encoded(entry.id.utf8, keeping: PercentEncoding.isUnreserved)
    }

    /// The entries of one revision from the first one to that with a number, and perhaps more: the server sends them by pages.
    private func queue(upTo number: Int = .max) throws(RemoteFailure) -> RemoteQueue {
        for _ in 0..<Self.attempts {
            var queue: RemoteQueue = try decoded(try get("queue"))
            while queue.entries.count < min(number, queue.count) {
                let next: RemoteQueue = try decoded(try get("queue?offset=\(queue.entries.count)"))
                guard next.revision == queue.revision, !next.entries.isEmpty else { break }
                queue.entries += next.entries
            }
            if queue.entries.count >= min(number, queue.count) { return queue }
        }
        throw RemoteFailure(.refused, "other clients change the queue all the time; try again")
    }
}
