import Foundation
import Testing

/// A daemon with a few media, and the scripts of `Examples/Shell`, which drive it.
final class ShellStage {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/Shell")
    private static let sample = folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "packaging/sample")

    /// A silent medium of 60 s, one of 1 s, and a song of 24 s with tags, lyrics and a cover.
    static let long = "long.wav", short = "short.wav", song = "first-light.opus"

    let media: MediaFolder
    private(set) var daemon: Daemon
    private let outputs: MediaFolder
    private let options: [String]
    private var started: [Process] = []

    init(output: String = "null", options: [String] = []) throws {
        media = try MediaFolder()
        outputs = try MediaFolder()
        for name in [Self.song, "first-light.lrc", "cover.png"] {
            try FileManager.default.copyItem(at: Self.sample.appending(path: name), to: URL(filePath: media.file(name)))
        }
        try media.silence(Self.long, seconds: 60)
        try media.silence(Self.short, seconds: 1)
        self.options = ["--output", output == "file" ? "file:" + outputs.file("out.wav") : output, "--media-root", media.path] + options
        daemon = try Daemon(serving: self.options)
    }

    /// Ends the daemon and starts another one on the same port.
    func restart() throws {
        let port = daemon.port
        _ = try daemon.end(with: SIGTERM)
        daemon = try Daemon(serving: options, port: port)
    }

    /// Writes a silent medium of two chapters of a second each.
    func book() throws {
        try media.silence("book.wav", seconds: 2)
        let chapters = [(0, 1000), (1000, 2000)].map { "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0.0)\nEND=\($0.1)\ntitle=x\n" }.joined()
        let list = try media.bytes("book.txt", ";FFMETADATA1\n\(chapters)".utf8)
        try media.encode("book.wav", to: "book.mka", ["-i", list, "-map_metadata", "1", "-codec:a", "flac"])
    }

    deinit {
        // A script that waits for events has children, which end with it.
        for process in started { process.end() }
    }

    // MARK: Scripts

    private func environment(_ more: [String: String]) -> [String: String] {
        ["TONEARM": "http://127.0.0.1:\(daemon.port)", "HOME": outputs.path].merging(more) { _, new in new }
    }

    /// Runs a script, and returns its output. Throws if it fails.
    @discardableResult
    func perform(_ script: String, _ arguments: String..., environment more: [String: String] = [:]) throws -> String {
        try run(Self.folder.appending(path: script + ".sh").path, arguments, environment: environment(more))
    }

    /// Starts a script that runs until the end of the test.
    @discardableResult
    func start(_ script: String, _ arguments: [String] = []) throws -> Process {
        let process = Process()
        process.executableURL = Self.folder.appending(path: script + ".sh")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment([:])) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        started.append(process)
        return process
    }

    /// Starts a script that follows events, and returns after it receives them.
    func follow(_ script: String, _ arguments: [String]) throws {
        try start(script, arguments)
        try eventually("\(script).sh follows the events") { try metric("tonearm_event_clients") == "1" ? true : nil }
    }

    // MARK: The player

    /// Replaces the queue by media, and waits until the first is open.
    func load(_ names: String..., at time: Double = 0, playing: Bool = false) throws {
        try daemon.client.command("PUT", "/player/item?wait=10", ["url": media.url(names[0]), "startTime": time, "play": playing])
        if names.count > 1 { try daemon.client.command("POST", "/queue", ["entries": names.dropFirst().map { ["url": media.url($0)] }]) }
        if playing { try until("it plays") { $0["timeControlStatus"] as? String == "playing" } }
    }

    /// Waits until the state of the player fulfils a condition, and returns the state.
    @discardableResult
    func until(_ what: String, _ condition: ([String: Any]) -> Bool) throws -> [String: Any] {
        try eventually(what) {
            let state = try daemon.client.state()
            return condition(state) ? state : nil
        }
    }

    func state() throws -> [String: Any] { try daemon.client.state() }
    func object(_ member: String) throws -> [String: Any] { try state()[member] as? [String: Any] ?? [:] }
    /// The name of the current medium's file; empty if there is none.
    func current() throws -> String { Self.name(try object("currentItem")["url"]) }
    /// The names of the files in the queue.
    func queue() throws -> [String] {
        let entries = try daemon.client.send("GET", "/api/v1/queue").json["entries"] as? [[String: Any]] ?? []
        return entries.map { Self.name($0["url"]) }
    }
    func metric(_ name: String) throws -> String? {
        let lines = try daemon.client.send("GET", "/metrics").text.split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    private static func name(_ url: Any?) -> String { (url as? String).flatMap { URL(string: $0)?.lastPathComponent } ?? "" }

    // MARK: Files

    /// The path of a file that a script writes.
    func written(_ name: String) -> String { outputs.file(name) }
    func text(_ name: String) -> String { (try? String(contentsOfFile: written(name), encoding: .utf8)) ?? "" }
}

extension MediaFolder {
    /// Writes a silent WAV file: 8 kHz, 16 bit, mono.
    @discardableResult
    func silence(_ name: String, seconds: Int) throws -> String {
        let size = seconds * 16_000
        var header: [UInt8] = []
        func put(_ number: Int, _ count: Int) { header += (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        header += "RIFF".utf8
        put(36 + size, 4)
        header += "WAVEfmt ".utf8
        put(16, 4)
        put(1, 2)
        put(1, 2)
        put(8000, 4)
        put(16_000, 4)
        put(2, 2)
        put(16, 2)
        header += "data".utf8
        put(size, 4)
        return try bytes(name, header + [UInt8](repeating: 0, count: size))
    }
}
