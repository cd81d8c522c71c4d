import Platform
import PlaybackEngine

/// The texts that `tonearm remote` prints. Text from media is escaped, so that it cannot control the terminal.
enum RemoteText {
    /// The title of the current item, and the facts of the state in aligned lines.
    static func status(_ state: RemoteState, time: Double) -> String {
        var lines: [(name: String, value: String)] = [("State", "\(activity(state)), \(position(state, time: time))")]
        if let album = state.currentItem?.album { lines.append(("Album", Log.escaped(album))) }
        if let error = state.currentItem?.error { lines.append(("Error", Log.escaped(error.message))) }
        lines.append(("Queue", queueSummary(state)))
        lines.append(("Volume", "\(percent(state.volume))\(state.isMuted ? ", muted" : "")"))
        let rate = state.rate == 0 ? state.defaultRate : state.rate
        if rate != 1 { lines.append(("Rate", number(rate))) }
        lines.append(("Output", output(state.output)))
        // A reason of a newer server has no sentence here.
        if let silence = state.audioSession?.silence { lines.append(("Silent", SilenceReason(rawValue: silence)?.sentence ?? Log.escaped(silence))) }
        if state.sleepTimer.kind != "off" {
            let items = state.sleepTimer.remainingItems.map { $0 == 1 ? "at the end of the item" : "after \($0) items" }
            lines.append(("Sleep", items ?? (state.sleepTimer.kind == "endOfItem" ? "at the end of the item" : "the timer runs")))
        }
        lines.append(("Change", change(state)))
        let body = lines.map { "  \(TerminalText.padded($0.name, 6))  \($0.value)\n" }
        return title(state) + "\n" + body.joined()
    }

    /// Activity, position, title, and the reason of the last change.
    static func line(_ state: RemoteState, time: Double) -> String {
        guard state.currentItem != nil else { return "\(activity(state))  (\(change(state)))" }
        return "\(activity(state))  \(position(state, time: time))  \(title(state))  (\(change(state)))"
    }

    /// The entries with numbers; the current one is marked.
    static func queue(_ queue: RemoteQueue) -> String {
        guard !queue.entries.isEmpty else { return "the queue is empty\n" }
        let width = String(queue.entries.count).count
        var text = ""
        for (index, entry) in queue.entries.enumerated() {
            let isCurrent = entry.id.utf8.elementsEqual((queue.currentId ?? "").utf8)
            text += "\(isCurrent ? ">" : " ") \(TerminalText.indented(String(index + 1), width))  \(title(entry))"
            if let duration = entry.duration { text += "  \(clock(duration))" }
            if let error = entry.error { text += "  (failed: \(Log.escaped(error.message)))" }
            text += "\n"
        }
        return text
    }

    /// The outputs; the chosen one is marked.
    static func outputs(_ outputs: RemoteOutputs) -> String {
        guard !outputs.outputs.isEmpty else { return "the server offers no choice of outputs\n" }
        let ids = outputs.outputs.map { Log.escaped($0.id) }
        let width = ids.map(TerminalText.columns).max() ?? 0
        return zip(outputs.outputs, ids).map { choice, id in
            let isChosen = choice.id.utf8.elementsEqual((outputs.chosenId ?? "").utf8)
            return "\(isChosen ? ">" : " ") \(TerminalText.padded(id, width))  \(Log.escaped(choice.name))\n"
        }.joined()
    }

    /// The daemons; the one that is used without `--address` is marked.
    static func servers(_ records: [RuntimeRecord]) -> String {
        guard !records.isEmpty else { return "no daemon of this user runs on this machine; \"tonearm serve\" starts one\n" }
        let width = records.map { TerminalText.columns(of: $0.address) }.max() ?? 0
        return records.enumerated().map { index, record in
            let token = record.tokenFile.map { "token in \(Log.escaped($0))" } ?? "no token"
            return "\(index == 0 ? ">" : " ") \(TerminalText.padded(Log.escaped(record.address), width))  process \(record.process)  \(token)\n"
        }.joined()
    }

    // MARK: Parts

    private static func activity(_ state: RemoteState) -> String {
        if state.currentItem == nil { return "nothing is loaded" }
        switch state.timeControlStatus {
        case "playing": return "playing"
        case "paused": return state.ended ? "ended" : "paused"
        default: break
        }
        switch state.reasonForWaitingToPlay {
        case "toMinimizeStalls": return "buffering"
        case "evaluatingBufferingRate": return "loading"
        case "noItemToPlay": return "waiting for an item"
        default: return "waiting"
        }
    }

    private static func position(_ state: RemoteState, time: Double) -> String {
        guard let item = state.currentItem else { return "queue empty" }
        return item.duration.map { "\(clock(time)) / \(clock($0))" } ?? clock(time)
    }

    private static func title(_ state: RemoteState) -> String { state.currentItem.map(title) ?? "nothing is loaded" }

    /// The title of an entry; the last part of the URL replaces a missing title.
    private static func title(_ entry: RemoteEntry) -> String {
        let title = entry.title ?? lastPart(entry.url)
        return Log.escaped(entry.artist.map { "\(title) – \($0)" } ?? title)
    }

    private static func lastPart(_ url: String) -> String {
        guard let last = url.utf8.split(separator: UInt8(ascii: "/")).last else { return url }
        let name = String(Substring(last))
        return PercentEncoding.decodedBytes(name).map { String(decoding: $0, as: UTF8.self) } ?? name
    }

    private static func queueSummary(_ state: RemoteState) -> String {
        var parts = [state.queue.count == 0 ? "empty" : "\(state.queue.index + 1) of \(state.queue.count)"]
        if state.repeatMode != "off" { parts.append("repeat \(Log.escaped(state.repeatMode))") }
        if state.isShuffled { parts.append("shuffled") }
        return parts.joined(separator: ", ")
    }

    private static func output(_ output: RemoteState.Output) -> String {
        let name = output.name.isEmpty ? output.kind : output.name
        return Log.escaped(output.error.map { "\(name) (\($0.message))" } ?? name)
    }

    private static func change(_ state: RemoteState) -> String { Log.escaped("\(state.lastChange.reason) by \(state.lastChange.origin)") }

    private static func percent(_ volume: Double) -> String { number((volume * 1000).rounded() / 10) + " %" }

    /// A number with at most three decimals.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "unknown" }
        return value == value.rounded() ? String(Int(value)) : String((value * 1000).rounded() / 1000)
    }

    /// A time such as `0:04` or `1:02:03`.
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return "unknown" }
        let all = Int(abs(seconds))
        let head = all >= 3600 ? "\(all / 3600):\(Log.digits(all / 60 % 60, 2))" : String(all / 60)
        return "\(seconds <= -1 ? "-" : "")\(head):\(Log.digits(all % 60, 2))"
    }
}
