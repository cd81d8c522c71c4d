import PlaybackEngine
import PlaybackTesting
import Testing

@testable import RemoteControl

/// Sends random input, made from a seed. The code must never trap, and must give only answers that the contract documents.
@MainActor @Suite struct FuzzTests {
    private static let fragments = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "0", "-", "1", ".", "e", "E+", "9999999999999999999", "1e400", "true",
        "false", "null", " ", "\n",
        "\"volume\"", "\"rate\"", "\"time\"", "\"exactTime\"", "\"value\"", "\"timescale\"", "\"tolerance\"", "\"url\"", "\"range\"", "\u{0}",
        "\u{7F}", "é", "😀", "\u{FEFF}",
    ]

    private func text(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...count, using: &generator) {
            if Int.random(in: 0..<8, using: &generator) == 0 {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            } else {
                bytes.append(contentsOf: Self.fragments.randomElement(using: &generator)?.utf8 ?? "".utf8)
            }
        }
        return bytes
    }

    private func value(_ depth: Int, _ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: "null"
        case 1: Bool.random(using: &generator) ? "true" : "false"
        case 2: JSONWriter.text(Double(bitPattern: generator.next()))
        case 3: String(Int64(bitPattern: generator.next()))
        case 4: String(Int.random(in: -2...64, using: &generator))
        case 5:
            "\"" + ["exact", "any", "range", "off", "file:///x", "2026-01-01T00:00:00Z", "\\u0000", ""][Int.random(in: 0..<8, using: &generator)]
                + "\""
        case 6: JSONWriter.text(Double.random(in: -1...1, using: &generator))
        case 7: "[" + (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth - 1, &generator) }.joined(separator: ",") + "]"
        default: object(["value", "timescale", "x"], depth - 1, &generator)
        }
    }

    private func object(_ names: [String], _ depth: Int, _ generator: inout SeededGenerator) -> String {
        let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            "\"\(names.randomElement(using: &generator) ?? "x")\":" + value(depth, &generator)
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    @Test("random texts are parsed or refused; an accepted text that is written again parses to the same value")
    func parser() throws {
        var generator = SeededGenerator(seed: 11)
        var accepted = 0
        for _ in 0..<(TestDepth.isThorough ? 50_000 : 15_000) {
            guard let value = try? JSONParser.parse(text(12, &generator)) else { continue }
            accepted += 1
            #expect(try JSONParser.parse(Array(value.serialized.utf8)) == value)
        }
        #expect(accepted > 100)
    }

    @Test("random bodies give a documented answer, never a trap or a 5xx")
    func bodies() async throws {
        var generator = SeededGenerator(seed: 12)
        let rig = try TestRig()
        let operations = Contract.shared.operations.filter { $0.value["requestBody"] != nil }
        var statuses: [Int: Int] = [:]
        let count = TestDepth.isThorough ? 5000 : 1500
        for index in 0..<count {
            let operation = operations[index % operations.count]
            let schema = Contract.shared.resolved(operation.value["requestBody"]?["content"]?["application/json"]?["schema"])
            let names = (schema?["properties"]?.names ?? []) + ["typo"]
            let body = Bool.random(using: &generator) ? object(names, 2, &generator) : String(decoding: text(20, &generator), as: UTF8.self)
            let reply = await rig.send(operation.method, operation.path, json: body)
            statuses[reply.status, default: 0] += 1
        }
        #expect(statuses.keys.allSatisfy { (200..<500).contains($0) })
        #expect(statuses[200, default: 0] > count / 100)
        #expect(statuses[400, default: 0] > count / 5)
    }

    @Test("random requests with random headers get an answer below 500")
    func requests() async throws {
        var generator = SeededGenerator(seed: 13)
        let rig = try TestRig { $0.requestGuard = RequestGuard(allowedHosts: ["a"], allowedOrigins: ["http://a"]) }
        let methods = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "FOO", "", "é"]
        let parts = [
            "/", "/api", "/v1", "/player", "/api/v1/player", "/items/", "artwork", "/library", "/events", "%2e%2e", "..", "%00", "%", "%zz", "?", "&",
            "=", "path=", "wait=1e9",
            "wait=0", "tick=", "lastEventId=", "0.5", "é", "\u{0}", "//", "*", "{id}", "+", "#", ";",
        ]
        let names = [
            "Host", "host", "Origin", "Content-Type", "Content-Length", "Transfer-Encoding", "If-Match", "If-None-Match", "Last-Event-ID",
            "Sec-Fetch-Site", "Sec-Fetch-Mode",
            "Tonearm-Client", "Access-Control-Request-Method", "", "é",
        ]
        let values = [
            "a", "localhost", "127.0.0.1:7711", "[::1]", "[", "]:", ":", "", "http://a", "http://127.0.0.1:7711", "null", "application/json",
            "text/plain", ";", "\"e0:1\"", "*", ",",
            "W/", "e0:0", "e0:99999999999999999999", "same-origin", "cross-site", "navigate", "\u{0}", "\r\n", "é", "GET",
        ]
        var statuses: Set<Int> = []
        for _ in 0..<(TestDepth.isThorough ? 20_000 : 8000) {
            var headers: [(name: String, value: String)] = Bool.random(using: &generator) ? [("Host", "localhost")] : []
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                headers.append((names.randomElement(using: &generator) ?? "", values.randomElement(using: &generator) ?? ""))
            }
            let target = (0..<Int.random(in: 0...4, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let request = HTTPRequest(
                method: methods.randomElement(using: &generator) ?? "", path: pieces.first ?? "", query: pieces.count > 1 ? pieces[1] : nil,
                headers: headers,
                body: Int.random(in: 0..<4, using: &generator) == 0 ? text(4, &generator) : [])
            _ = rig.api.precheck(request, contentLength: request.body.count)
            let response = await rig.respond(to: request)
            statuses.insert(response.status)
            if case .events(let stream) = response.body { stream.close() }
        }
        #expect(statuses.allSatisfy { $0 < 500 })
        #expect(statuses.isSuperset(of: [200, 204, 400, 403, 404, 405]))
    }
}
