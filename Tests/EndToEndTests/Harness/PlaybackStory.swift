import Foundation
import PlaybackTesting

/// The states of playback that a player has published, each once in a row: `paused`, `waiting` or `playing`, with `-lost` while the connection to the
/// server is lost. R-NET-16 names the sequences.
struct PlaybackStory: CustomStringConvertible {
    private(set) var states: [String] = []

    init(_ events: [EventListener.Event]) {
        var status = "", isLost = false
        for event in events where ["state", "network"].contains(event.type) {
            let state = event.object["state"] as? [String: Any] ?? event.object
            isLost = state["network"] != nil
            if let known = state["timeControlStatus"] as? String { status = known == "waitingToPlayAtSpecifiedRate" ? "waiting" : known }
            let text = status + (isLost ? "-lost" : "")
            if !status.isEmpty, states.last != text { states.append(text) }
        }
    }

    var description: String { states.joined(separator: " ") }
    var last: String? { states.last }
    /// The states after playback began. Waiting before that is no interruption.
    var afterStart: String { states.drop { !$0.hasPrefix("playing") }.joined(separator: " ") }

    /// Returns whether playback has never waited after it began, and has ended: the fault has healed before the buffered audio was heard. A fault
    /// that was there before playback began is healed then.
    var isUninterrupted: Bool { afterStart.wholeMatch(of: /(playing-lost )?playing( playing-lost playing)* paused/) != nil }
    /// Returns whether playback has waited once for a lost server, and has gone on to the end.
    var hasHealed: Bool { afterStart.wholeMatch(of: /playing( playing-lost)?( waiting)? waiting-lost( waiting)? playing paused/) != nil }
}

extension MediaStage {
    var story: PlaybackStory { PlaybackStory(events.events) }

    /// The frames that were played, without silent ones, after the recording has received half a second of silence.
    func heard() throws -> [Noise.Frame] {
        guard let recording = server.recording, recording.waitForSilence(of: Noise.rate / 2) else {
            throw Daemon.Failure(description: "the recording has stopped, or the audio has no end")
        }
        return Heard(recording.samples()).sound
    }

    func waitForEnd(within seconds: Double) throws {
        try eventually("the item has ended", within: seconds) { try daemon.client.state()["ended"] as? Bool == true ? true : nil }
    }

    /// The largest memory of a player while it plays one medium, in bytes: that of an idle one, and the compressed bytes that it may keep. The
    /// allocator of a sanitizer keeps freed memory too.
    static let memoryLimit = (isSanitized ? 480 : 120) << 20
    private static var isSanitized: Bool {
        ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }
    }
}
