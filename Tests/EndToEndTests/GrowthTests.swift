import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Checks that the processor time of a hostile request grows clearly slower than the square of the length of the request. Processor time is
    /// measured instead of real time, so that other programs have no effect.
    @Suite("Growth of costs", .serialized)
    struct GrowthTests {
        private let folder: MediaFolder
        private let daemon: Daemon

        init() throws {
            folder = try MediaFolder()
            daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            _ = try daemon.client.state()
        }

        /// Returns the processor time that all threads of the program have used so far, in nanoseconds, by the scheduler's statistics.
        private func used() throws -> UInt64 {
            let tasks = "/proc/\(daemon.process.processIdentifier)/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
                // A thread that ends during this loop has no file any more. It counts as zero.
                let text = (try? String(contentsOfFile: "\(tasks)/\(task)/schedstat", encoding: .utf8)) ?? ""
                return sum + (text.split(separator: " ").first.flatMap { UInt64($0) } ?? 0)
            }
        }

        /// Calls `send` three times. Returns the lowest processor time that the program used for one call, in milliseconds.
        private func cost(_ send: () throws -> Void) throws -> Double {
            try (0..<3).map { _ in
                let before = try used()
                try send()
                return Double(try used() &- before) / 1e6
            }.min() ?? 0
        }

        /// Checks that a request of four times the length costs at most nine times as much processor time. Costs below 20 ms count as 20 ms.
        private func expectGrowth(_ what: String, _ length: Int, _ send: (Int) throws -> Void) throws {
            let short = max(20, try cost { try send(length / 4) })
            let long = try cost { try send(length) }
            #expect(long <= 9 * short, "\(what): \(short) ms, then \(long) ms")
        }

        /// The cases of this run: all of them, or those that differ in the way of their processing.
        private static func cases<Case>(_ all: [Case], usually: [Int]) -> [Case] { TestDepth.isThorough ? all : usually.map { all[$0] } }

        private static let texts: [(name: String, part: String)] = [
            ("marks", "\u{301}\u{323}"), ("flags", "\u{1F1E9}"), ("families", "👩‍👩‍👧‍👦"), ("commas", ","), ("slashes", "/a"), ("letters", "x"),
        ]

        @Test(
            "the cost of a body grows linearly with the names and values of members, for any characters",
            arguments: cases(texts.map(\.name), usually: [0, 1, 5]))
        func bodies(_ name: String) throws {
            let part = try #require(Self.texts.first { $0.name == name }).part
            for (route, before, behind) in [
                ("PUT /api/v1/player/item", #"{""#, #"":1}"#), ("PUT /api/v1/player/item", #"{"url":""#, #""}"#),
                ("PUT /api/v1/queue", #"{"entries":[{"url":"/x","title":""#, #""}]}"#), ("PUT /api/v1/output", #"{"id":""#, #""}"#),
            ] {
                let words = route.split(separator: " ").map(String.init)
                try expectGrowth("\(route) \(before)", 1_000_000) { length in
                    let text = before + String(repeating: part, count: length / part.utf8.count) + behind
                    let answer = try daemon.client.send(words[0], words[1], headers: ["Content-Type": "application/json"], body: Array(text.utf8))
                    #expect((400..<500).contains(answer.status))
                }
            }
        }

        @Test(
            "the cost of a body grows linearly with the number of members, elements and levels",
            arguments: cases(
                [#"{"a":[{"#, "[", "[[[[]]]],", "{},", "0,", "-", "1", " ", #""\u0301","#, #"{"a":0},"#], usually: [0, 1, 4, 8, 9]))
        func structures(_ part: String) throws {
            try expectGrowth(part, 1_000_000) { length in
                let text = #"{"entries":["# + String(repeating: part, count: length / part.utf8.count) + "0]}"
                let answer = try daemon.client.send("PUT", "/api/v1/queue", headers: ["Content-Type": "application/json"], body: Array(text.utf8))
                #expect((400..<500).contains(answer.status))
            }
        }

        @Test(
            "the cost of a WebSocket message grows linearly with commands, ids and parameters, for any characters",
            arguments: cases(
                [
                    (#"{"id":"1","command":""#, #""}"#), (#"{"id":"1","command":"removeEntry","arguments":{"id":""#, #""}}"#),
                    (#"{"id":"1","command":"getArtwork","arguments":{"id":""#, #""}}"#),
                    (#"{"id":"1","command":"getAsset","arguments":{"url":"/x","keys":""#, #""}}"#),
                    (#"{"id":"1","command":"putItem","arguments":{"url":""#, #""}}"#), (#"{"id":"1","command":"play","arguments":{""#, #"":1}}"#),
                ], usually: [0, 4, 5]))
        func messages(_ before: String, _ behind: String) throws {
            for (name, part) in Self.texts.prefix(2) {
                try expectGrowth("\(before) \(name)", 400_000) { length in
                    let text = before + String(repeating: part, count: length / part.utf8.count) + behind
                    let client = try TestClient(port: daemon.port)
                    defer { client.close() }
                    try client.get(
                        "/api/v1/socket",
                        headers: "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                            + "Sec-WebSocket-Version: 13\r\n")
                    _ = try client.read(through: #""event":"state""#)
                    try client.send(ClientFrame.text(text).bytes)
                    _ = try client.read(through: "/problems/")
                }
            }
        }
    }
}
