import Foundation
import Platform
import PlaybackTesting

/// A real radio server, Icecast, with a real source that sends a tone to it in real time.
final class Icecast {
    /// An encoding of a station, by the extension of its address.
    enum Encoding: String, CaseIterable {
        case mp3, aac, ogg, opus

        fileprivate var arguments: [String] {
            switch self {
            case .mp3: ["-c:a", "libmp3lame", "-f", "mp3", "-content_type", "audio/mpeg"]
            case .aac: ["-c:a", "aac", "-f", "adts", "-content_type", "audio/aac"]
            case .ogg: ["-c:a", "libvorbis", "-f", "ogg", "-page_duration", "200000", "-content_type", "application/ogg"]
            case .opus: ["-c:a", "libopus", "-f", "ogg", "-page_duration", "200000", "-content_type", "application/ogg"]
            }
        }
        /// Whether titles are between the bytes, and not in the tags of the stream.
        var hasOwnTitles: Bool { self == .mp3 || self == .aac }
    }

    private let folder: MediaFolder
    private let port: UInt16
    private var server: Process?
    private var source: Process?
    private let password = "secret"

    init(in folder: MediaFolder) throws {
        self.folder = folder
        port = try HTTPSocket.freePort()
        _ = try folder.bytes("icecast.log", [])
        try startServer()
    }

    deinit {
        stopSource()
        stopServer()
    }

    func url(_ encoding: Encoding) -> String { "http://127.0.0.1:\(port)/live.\(encoding.rawValue)" }

    /// Starts the server, and waits until it accepts connections.
    func startServer() throws {
        // Icecast refuses to run as root. The burst of 32 KiB is 2 s of audio.
        let owner = geteuid() == 0 ? "<changeowner><user>nobody</user><group>nogroup</group></changeowner>" : ""
        let configuration = """
            <icecast>
            <limits><sources>8</sources><burst-size>32768</burst-size></limits>
            <authentication><source-password>\(password)</source-password><admin-user>admin</admin-user>
            <admin-password>\(password)</admin-password></authentication>
            <hostname>localhost</hostname>
            <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
            <paths><basedir>/usr/share/icecast2</basedir><logdir>/tmp</logdir><webroot>/usr/share/icecast2/web</webroot>
            <adminroot>/usr/share/icecast2/admin</adminroot></paths>
            <logging><accesslog>-</accesslog><errorlog>-</errorlog></logging>
            <security><chroot>0</chroot>\(owner)</security>
            </icecast>
            """
        server = try start(["icecast2", "-c", try folder.bytes("icecast.xml", Array(configuration.utf8))])
        let port = port
        try eventually("Icecast listens", within: 20) { (try? HTTPSocket(port: port, timeout: 5)) != nil ? true : nil }
    }

    /// Kills the server without a warning.
    func stopServer() { Self.end(&server) }

    /// Starts a source that sends a tone, with a title in its tags.
    func startSource(_ encoding: Encoding, title: String) throws {
        let arguments =
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "anoisesrc=c=pink:r=48000:a=0.7", "-ac", "2", "-b:a", "128k"]
            + ["-metadata", "title=\(title)", "-metadata", "artist=Artist", "-ice_name", "The Station"]
            + encoding.arguments + ["icecast://source:\(password)@127.0.0.1:\(port)/live.\(encoding.rawValue)"]
        let clock = MonotonicClock()
        var started: HostTime?
        do {
            try eventually("the source is connected", within: 30) {
                // Icecast 2.4.4 has a race at the arrival of a source: it reads a null pointer once in some hundred times, and is gone.
                if server?.isRunning != true { try startServer() }
                // Icecast refuses a source while it has not noticed that the former one is gone, and sometimes does not respond to one.
                if started.map({ clock.now - $0 > 4 }) == true { stopSource() }
                if source?.isRunning != true {
                    source = try start(arguments)
                    started = clock.now
                }
                return request("/status-json.xsl")?.contains("live.\(encoding.rawValue)") == true ? true : nil
            }
        } catch {
            let log = String(decoding: (try? Data(contentsOf: URL(filePath: folder.file("icecast.log")))) ?? Data(), as: UTF8.self)
            throw Daemon.Failure(description: "\(error)\n\(log.suffix(4000))")
        }
    }

    /// Kills the source without a warning.
    func stopSource() { Self.end(&source) }

    /// Changes the title that the server sends to its listeners.
    func setTitle(_ title: String, of encoding: Encoding) throws {
        let song = title.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard request("/admin/metadata?mount=/live.\(encoding.rawValue)&mode=updinfo&song=\(song)") != nil else {
            throw Daemon.Failure(description: "Icecast does not accept the title")
        }
    }

    /// Sends a request to the server, and returns the body of its response; nil if it does not respond, or refuses.
    private func request(_ target: String) -> String? {
        try? run("curl", ["-sf", "--max-time", "5", "-u", "source:\(password)", "http://127.0.0.1:\(port)\(target)"])
    }

    private func start(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        // Several processes write to the log at the same time.
        process.standardError = FileHandle(fileDescriptor: open(folder.file("icecast.log"), O_WRONLY | O_APPEND), closeOnDealloc: true)
        try process.run()
        return process
    }

    private static func end(_ process: inout Process?) {
        process?.end()
        process = nil
    }
}
