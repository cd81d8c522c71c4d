import Player
import Synchronization
import Testing

@testable import RemoteControl

@MainActor @Suite struct MetricsTests {
    private let rig: TestRig
    init() throws { rig = try TestRig() }

    /// Requests /metrics. Returns the values by the name of the metric with its labels.
    private func samples() async -> [String: Double] {
        let reply = await rig.send("GET", "/metrics")
        var samples: [String: Double] = [:]
        var described: Set<String> = []
        for line in reply.text.split(separator: "\n") {
            if line.hasPrefix("#") {
                described.insert(String(line.split(separator: " ")[2]))
                continue
            }
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                Issue.record("not a sample: \(line)")
                continue
            }
            let name = String(line[..<space])
            let family = name.prefix { $0 != "{" }
            #expect(described.contains(String(family)), "\(name) has no type")
            #expect(samples[name] == nil, "\(name) is a duplicate")
            samples[name] = value
        }
        return samples
    }

    @Test("the metrics have the text format of Prometheus and are not cached")
    func format() async throws {
        let reply = await rig.send("GET", "/metrics")
        #expect(reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        #expect(reply.header("Cache-Control") == "no-store")
        #expect(reply.text.hasSuffix("\n"))
        _ = await samples()
    }

    @Test("requests are counted by operation and status")
    func requests() async throws {
        _ = await rig.send("GET", "/api/v1/player/time")
        _ = await rig.send("GET", "/api/v1/player/time")
        _ = await rig.send("GET", "/api/v1/player/item")
        _ = await rig.send("GET", "/nothing")
        let samples = await samples()
        #expect(samples["tonearm_http_requests_total{operation=\"getPlayerTime\",status=\"200\"}"] == 2)
        #expect(samples["tonearm_http_requests_total{operation=\"getItem\",status=\"404\"}"] == 1)
        #expect(samples["tonearm_http_requests_total{operation=\"other\",status=\"404\"}"] == 1)
    }

    @Test("commands over the WebSocket are counted like requests; unknown ones count as other")
    func commands() async throws {
        let socket = try await TestSocket(rig)
        _ = await socket.ask("pause")
        _ = await socket.ask("pause")
        _ = await socket.ask("getItem")
        _ = await socket.ask("updatePlayer", #"{"volume":2}"#)
        _ = await socket.ask("dance")
        let samples = await samples()
        #expect(samples["tonearm_http_requests_total{operation=\"pause\",status=\"200\"}"] == 2)
        #expect(samples["tonearm_http_requests_total{operation=\"getItem\",status=\"404\"}"] == 1)
        #expect(samples["tonearm_http_requests_total{operation=\"updatePlayer\",status=\"400\"}"] == 1)
        #expect(samples["tonearm_http_requests_total{operation=\"other\",status=\"404\"}"] == 1)
    }

    @Test("the end of an inspection whose client has left is no answer that is counted")
    func abandoned() async throws {
        rig.player.fakeOpener.hold()
        let head = TestRig.request("GET", "/api/v1/assets?url=http://example.com/a")
        guard case .admitted(let request) = rig.api.admit(head, contentLength: 0) else { throw TestRig.NoStream() }
        let hasEnded = Mutex(false)
        _ = request.respond(body: []) { _ in hasEnded.withLock { $0 = true } }
        await rig.until { rig.player.fakeOpener.waitingCount == 1 }
        request.abandon()
        await rig.until { hasEnded.withLock { $0 } }
        let names = await samples().keys
        #expect(!names.contains { $0.contains("getAsset") })
    }

    @Test("refusals by the HTTP server before the API are counted")
    func refusals() async throws {
        _ = rig.api.response(refusing: Problem(.headTooLarge, ""))
        #expect(await samples()["tonearm_http_requests_total{operation=\"other\",status=\"431\"}"] == 1)
    }

    @Test("names invented by clients create no samples")
    func cardinality() async throws {
        _ = await samples()
        for number in 0..<50 { _ = await rig.send("GET", "/made-up-\(number)") }
        let before = await samples().count
        for number in 50..<100 { _ = await rig.send("GET", "/made-up-\(number)") }
        #expect(await samples().count == before)
    }

    @Test("clients, sent events and dropped events are counted")
    func events() async throws {
        let rig = try TestRig(limits: EventBroadcast.Limits(backlog: 4))
        let quick = try await rig.events()
        let slow = try await rig.events()
        #expect(quick.read().count == 1 && slow.read().count == 1)
        for number in 0..<10 {
            rig.player.change { $0.volume = Double(number) / 100 }
            _ = quick.read()
        }
        #expect(slow.read().count == 1)
        #expect(rig.broadcast.streamCount == 2)
        #expect(rig.broadcast.counts.sent == 2 + 10 + 1)
        #expect(rig.broadcast.counts.dropped == 10)
        let text = await rig.send("GET", "/metrics").text
        #expect(text.contains("tonearm_event_clients 2\n"))
        #expect(text.contains("tonearm_events_dropped_total 10\n"))
    }

    @Test("underruns, stalls, decode errors, failed items and buffered seconds are reported")
    func player() async throws {
        rig.player.statistics.underruns = 1
        rig.player.statistics.stalls = 2
        rig.player.statistics.skippedPackets = 3
        rig.player.statistics.failedItems = 4
        rig.player.statistics.bufferSeconds = 1.5
        let samples = await samples()
        #expect(samples["tonearm_underruns_total"] == 1)
        #expect(samples["tonearm_stalls_total"] == 2)
        #expect(samples["tonearm_decode_errors_total"] == 3)
        #expect(samples["tonearm_failed_items_total"] == 4)
        #expect(samples["tonearm_buffer_seconds"] == 1.5)
    }
}
