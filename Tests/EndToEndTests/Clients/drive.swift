// Uses a player through a generated client: loads, plays, seeks, edits the queue, and checks errors.
//
// usage: drive ADDRESS URL [TOKEN]      ADDRESS is the address of the server, URL that of a medium of ten seconds
import Foundation
import FoundationNetworking
import Tonearm

struct Failure: Error, CustomStringConvertible {
    let description: String
}

@main
enum Drive {
    static func check(_ condition: Bool, _ what: String) throws {
        if !condition { throw Failure(description: what) }
    }

    /// Sends a request that the server must refuse. Returns the problem document of the response.
    static func problem<Answer: Sendable>(_ request: @Sendable () async throws(ErrorResponse) -> Answer) async throws -> Problem {
        do throws(ErrorResponse) {
            _ = try await request()
        } catch {
            guard case .error(_, let data?, _, _) = error else { throw error }
            return try JSONDecoder().decode(Problem.self, from: data)
        }
        throw Failure(description: "it was not refused")
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        let medium = arguments[2]
        TonearmAPIConfiguration.shared.basePath = arguments[1]
        if arguments.count > 3 { TonearmAPIConfiguration.shared.customHeaders["Authorization"] = "Bearer " + arguments[3] }

        // Loads and plays the medium.
        let item = try await ItemAPI.putItem(itemRequest: ItemRequest(url: medium, play: false), wait: 10)
        try check(item.status.rawValue == "readyToPlay" && abs((item.duration ?? 0) - 10) < 0.1, "loaded \(item)")
        var state = try await PlayerAPI.play(tonearmClient: "generated", playRequest: PlayRequest(rate: 1))
        try check(state.rate == 1 && state.lastChange.origin == "generated", "played \(state)")
        try check(state.currentItem?.id == item.id, "the current item is the one that was loaded")

        // Seeks, and changes settings of the player.
        try check(try await PlayerAPI.pause().rate == 0, "paused")
        let result = try await PlayerAPI.seek(seekRequest: SeekRequest(time: 4.5))
        try check(result.finished && result.time == 4.5, "sought \(result)")
        state = try await PlayerAPI.updatePlayer(playerUpdate: PlayerUpdate(volume: 0.25, isMuted: true))
        try check(state.volume == 0.25 && state.isMuted, "updated \(state)")

        // A host time has a precision of microseconds, even if the server's machine has been up for months.
        while true {
            var request = URLRequest(url: URL(string: arguments[1] + "/api/v1/player")!)
            if arguments.count > 3 { request.setValue("Bearer " + arguments[3], forHTTPHeaderField: "Authorization") }
            let raw = try JSONSerialization.jsonObject(with: try await URLSession.shared.data(for: request).0) as? [String: Any] ?? [:]
            state = try await PlayerAPI.getPlayer()
            guard (raw["revision"] as? NSNumber)?.int64Value == state.revision else { continue }
            let sent = ((raw["anchor"] as? [String: Any])?["hostTime"] as? NSNumber)?.doubleValue ?? .nan
            try check(abs(state.anchor.hostTime - sent) < 1e-6, "a host time lost digits")
            break
        }

        // Edits the queue. A request that is repeated with its key is not carried out again.
        let queue = try await QueueAPI.putQueue(queueRequest: QueueRequest(entries: [NewEntry(url: medium), NewEntry(url: medium, title: "Second")]))
        try check(queue.count == 2 && queue.entries[1].title == "Second", "queued \(queue)")
        let key = UUID().uuidString
        for _ in 0..<2 { _ = try await QueueAPI.addToQueue(queueAddition: QueueAddition(entries: [NewEntry(url: medium)]), idempotencyKey: key) }
        try check(try await QueueAPI.getQueue().count == 3, "added once")
        try check(try await QueueAPI.nextEntry().queue.index == 1, "the next entry is current")
        try check(try await ItemAPI.getItemDetails(id: queue.entries[1].id).title == "Second", "details")
        try check(try await ItemAPI.getWaveform(id: queue.entries[0].id, points: 50, wait: 60).maximum.count == 50, "waveform")

        // Each refused request has a problem document that names the error.
        let beyond = try await problem { () async throws(ErrorResponse) in try await PlayerAPI.seek(seekRequest: SeekRequest(time: 1000)) }
        try check(beyond.type == "/problems/seek-out-of-range" && abs((beyond.end ?? 0) - 10) < 0.1, "\(beyond)")
        let outside = try await problem { () async throws(ErrorResponse) in
            try await ItemAPI.putItem(itemRequest: ItemRequest(url: "file:///etc/passwd"))
        }
        try check(outside.status == 403 && outside.pointer == "/url", "\(outside)")
        let stale = try await problem { () async throws(ErrorResponse) in
            try await PlayerAPI.updatePlayer(playerUpdate: PlayerUpdate(volume: 1), ifMatch: "\"x\"")
        }
        try check(stale.status == 412, "\(stale)")
        print("ok")
    }
}
