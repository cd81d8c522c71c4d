import Foundation

/// The HTTP server of an attacker. It serves the files of a folder, and redirects requests for `/redirect` to a target that the test sets.
final class HostileServer {
    private let process = Process()
    private let output = Pipe()
    private let logPath: String
    private let port: Int

    private static let program = """
        import http.server, os, sys
        folder, target, log = sys.argv[1:4]
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments): super().__init__(*arguments, directory=folder)
            def do_GET(self):
                with open(log, "a") as file: file.write(self.path + "\\n")
                if self.path == "/redirect":
                    self.send_response(302)
                    self.send_header("Location", target)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else: super().do_GET()
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    init(folder: String, target: String) throws {
        logPath = FileManager.default.temporaryDirectory.appending(path: "tonearm-hostile-\(UUID().uuidString).log").path
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, folder, target, logPath]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let line = String(decoding: try process.nextOutput(of: output), as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Daemon.Failure(description: "the hostile server does not start")
        }
        self.port = port
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(atPath: logPath)
    }

    /// The URL of the server, with a slash at its end.
    var address: String { "http://127.0.0.1:\(port)/" }
    /// The paths that clients have requested, in order.
    var requests: [String] { ((try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init) }
}
