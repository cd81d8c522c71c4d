import AVFoundation
import Player
import Synchronization

struct MetricsController: Sendable {
    let player: any RemotePlayer
    let broadcast: EventBroadcast
    let metrics: RequestMetrics

    func text(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            let body = text(player.statistics, player.state)
            return HTTPResponse(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", cache: .noStore, body: Array(body.utf8))
        }
    }

    private func text(_ statistics: PlayerStatistics, _ state: PlayerState) -> String {
        var writer = PrometheusText()
        requests(&writer)
        writer.single(
            "tonearm_event_clients", "gauge", "Clients that are connected to the event stream or the WebSocket.", Double(broadcast.streamCount))
        writer.single("tonearm_events_total", "counter", "Numbered events, each of which is sent to every client.", Double(broadcast.newestSequence))
        writer.single("tonearm_events_sent_total", "counter", "Events that were sent, as the sum over all clients.", Double(broadcast.counts.sent))
        writer.single(
            "tonearm_events_dropped_total", "counter", "Events that a slow client did not receive. It received the newest state instead.",
            Double(broadcast.counts.dropped))
        writer.single(
            "tonearm_underruns_total", "counter", "Underruns: the output needed frames that had not been rendered.", Double(statistics.underruns))
        writer.single("tonearm_stalls_total", "counter", "Stalls: playback waited for data.", Double(statistics.stalls))
        writer.single("tonearm_decode_errors_total", "counter", "Corrupt packets that were replaced by silence.", Double(statistics.skippedPackets))
        writer.single(
            "tonearm_clipped_frames_total", "counter", "Frames over full scale, which a device clips.", Double(statistics.clippedFrames))
        writer.single(
            "tonearm_failed_items_total", "counter", "Items that could not be opened, or whose playback failed.", Double(statistics.failedItems))
        writer.single(
            "tonearm_buffer_seconds", "gauge", "Duration of the audio that has been rendered and is not heard yet.", statistics.bufferSeconds ?? 0)
        writer.single("tonearm_playing", "gauge", "Whether the player is playing (1) or not (0).", state.timeControlStatus == .playing ? 1 : 0)
        writer.single("tonearm_queue_entries", "gauge", "Number of entries in the queue.", Double(state.queue.count))
        return writer.text
    }

    private func requests(_ writer: inout PrometheusText) {
        writer.describe("tonearm_http_requests_total", "counter", "Answered HTTP requests and WebSocket commands, by operation and status.")
        for (id, statuses) in metrics.all {
            for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
                writer.sample("tonearm_http_requests_total", ["operation": id, "status": String(status)], Double(count))
            }
        }
    }
}

/// Writes the text format of Prometheus, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    mutating func describe(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// Writes a sample. The values of `labels` are constants or validated texts, so they need no escaping.
    mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: Double) {
        text += name
        if !labels.isEmpty { text += "{" + labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",") + "}" }
        text += " \(JSONWriter.text(value))\n"
    }

    mutating func single(_ name: String, _ kind: String, _ help: String, _ value: Double) {
        describe(name, kind, help)
        sample(name, [:], value)
    }
}

/// The numbers of requests by operation and status. WebSocket commands count too.
final class RequestMetrics: Sendable {
    /// The number of answers with each status, by the id of the operation.
    private let operations = Mutex<[String: [Int: Int]]>([:])

    /// Counts an answer, unless its client has left and the task was cancelled for it: the failure of ended work is nobody's answer.
    /// - Parameter operation: The id of the operation; nil for a file, and for a request that was refused before its route was known.
    func count(operation: String?, status: Int) {
        guard !Task.isCancelled else { return }
        operations.withLock { $0[operation ?? "other", default: [:]][status, default: 0] += 1 }
    }

    /// The number of answers with each status, for all operations, sorted by id.
    var all: [(id: String, statuses: [Int: Int])] {
        operations.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
