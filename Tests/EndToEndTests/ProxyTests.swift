import Foundation
import Testing

extension EndToEndTests {
    /// Tests the configurations of Documentation/Proxy.md with the real proxies. Only the ports differ from those in the document.
    @Suite("Proxies", .serialized)
    struct ProxyTests {
        private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        /// A kind of proxy whose configuration is in Documentation/Proxy.md.
        enum Kind: String, CaseIterable, Sendable {
            case nginx, caddy, apache
        }

        /// A process of a proxy.
        private final class Proxy {
            let port: UInt16
            private let kind: Kind
            private let process = Process()

            init(_ kind: Kind, to daemon: Daemon, in folder: MediaFolder) throws {
                self.kind = kind
                port = try HTTPSocket.freePort()
                let text = try String(contentsOf: ProxyTests.checkout.appending(path: "Documentation/Proxy.md"), encoding: .utf8)
                let printed = try #require(
                    text.components(separatedBy: "```\(kind.rawValue)\n").dropFirst().first?.components(separatedBy: "```").first)
                let configuration = printed.replacing("127.0.0.1:7711", with: "127.0.0.1:\(daemon.port)")
                process.standardOutput = FileHandle.nullDevice
                process.standardInput = FileHandle.nullDevice
                process.executableURL = URL(filePath: "/usr/bin/env")
                process.environment = ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { _, new in new }
                let log = folder.file("log")
                try Data().write(to: URL(filePath: log))
                process.standardError = FileHandle(forWritingAtPath: log)
                switch kind {
                case .nginx:
                    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder.file($0));" }
                    let whole = """
                        \(geteuid() == 0 ? "user root;" : "")
                        daemon off; pid \(folder.file("pid")); error_log stderr;
                        events {}
                        http { access_log off; \(temporary.joined(separator: " "))
                        \(configuration.replacing("listen 80;", with: "listen 127.0.0.1:\(port);"))
                        }
                        """
                    process.arguments = ["nginx", "-c", try folder.bytes("nginx.conf", Array(whole.utf8))]
                    process.environment?["PATH", default: ""] += ":/usr/sbin"
                case .caddy:
                    let ports = configuration.replacing("http://music.example {", with: "http://music.example:\(port) {")
                        .replacing("http://home.example {", with: "http://home.example:\(port) {")
                    let whole = "{\n    admin off\n}\n" + ports
                    process.arguments = ["caddy", "run", "--adapter", "caddyfile", "--config", try folder.bytes("Caddyfile", Array(whole.utf8))]
                case .apache:
                    // The documentation names the last three modules; Debian's configuration loads the others.
                    let modules = ["mpm_event", "authz_core", "proxy", "proxy_http", "proxy_wstunnel"]
                    let whole = """
                        ServerRoot \(folder.path)
                        ServerName localhost
                        PidFile \(folder.file("pid"))
                        ErrorLog \(log)
                        Listen 127.0.0.1:\(port)
                        \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
                        \(configuration.replacing("<VirtualHost *:80>", with: "<VirtualHost 127.0.0.1:\(port)>"))
                        """
                    process.arguments = ["apache2", "-X", "-f", try folder.bytes("apache.conf", Array(whole.utf8))]
                    process.environment?["PATH", default: ""] += ":/usr/sbin"
                }
                try process.run()
                let port = port, process = process
                try eventually("the proxy listens", within: 20) { () -> Bool? in
                    guard process.isRunning else {
                        throw Daemon.Failure(description: "the proxy ended: \((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
                    }
                    return (try? HTTPSocket(port: port, timeout: 5)) != nil ? true : nil
                }
            }

            deinit {
                // Apache in one process (`-X`) waits for open connections, for seconds, before it ends at SIGTERM.
                if kind == .apache { kill(process.processIdentifier, SIGKILL) } else { process.terminate() }
                process.waitUntilExit()
            }
        }

        private let folder: MediaFolder
        private let daemon: Daemon
        private let token: String

        init() throws {
            folder = try MediaFolder()
            token = "0123456789abcdef0123456789abcdef"
            let file = try folder.bytes("token", Array(token.utf8))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            daemon = try Daemon(serving: [
                "--output", "null", "--token-file", file, "--allow-host", "music.example", "--allow-host", "home.example", "--trusted-proxy",
                "127.0.0.1",
                "--path-prefix", "/tonearm", "--media-root", Self.checkout.appending(path: "packaging/sample").path,
            ])
        }

        private func fields(_ host: String, _ proxy: Proxy, _ more: [String: String] = [:]) -> [String: String] {
            ["Host": "\(host):\(proxy.port)", "Authorization": "Bearer \(token)"].merging(more) { _, new in new }
        }
        /// The two sites in the proxy's configuration: the host name, and the prefix of paths under which the site has the player.
        private static let sites = [("music.example", ""), ("home.example", "/tonearm")]

        @Test("requests, the page and its files pass, and Location and the cookie have the prefix", arguments: Kind.allCases)
        func requests(kind: Kind) throws {
            let proxy = try Proxy(kind, to: daemon, in: folder)
            let client = HTTPClient(port: proxy.port)
            let sample = Self.checkout.appending(path: "packaging/sample/first-light.opus").path
            for (host, prefix) in Self.sites {
                #expect(try client.send("GET", prefix + "/api/v1/player", headers: fields(host, proxy)).json["epoch"] != nil)
                #expect(try client.send("GET", prefix + "/api/v1/player", headers: ["Host": "\(host):\(proxy.port)"]).status == 401)
                let page = try client.send("GET", prefix + "/", headers: ["Host": "\(host):\(proxy.port)"])
                #expect(page.status == 200)
                // The page refers to its files by relative addresses, so that it works under any prefix.
                #expect(!page.text.contains("=\"/"))
                #expect(try client.send("GET", prefix + "/js/main.js", headers: ["Host": "\(host):\(proxy.port)"]).status == 200)
                let origin = ["Content-Type": "application/json", "Origin": "http://\(host):\(proxy.port)", "Sec-Fetch-Site": "same-origin"]
                let loaded = try client.send(
                    "PUT", prefix + "/api/v1/player/item", headers: fields(host, proxy, origin), body: Array("{\"url\":\"\(sample)\"}".utf8))
                #expect(loaded.status < 300)
                let location = try #require(loaded.headers["location"])
                #expect(location == prefix + "/api/v1/player/item")
                #expect(try client.send("GET", location, headers: fields(host, proxy)).status == 200)
                let login = try client.send(
                    "POST", prefix + "/api/v1/login", headers: fields(host, proxy, origin), body: Array("{\"token\":\"\(token)\"}".utf8))
                #expect(login.headers["set-cookie"]?.contains("; Path=\(prefix)/; ") == true)
            }
            let folder = try client.send("GET", "/tonearm", headers: ["Host": "home.example:\(proxy.port)"])
            #expect(folder.status == 308)
            #expect(folder.headers["location"] == "/tonearm/")
        }

        @Test("events pass as they occur", arguments: Kind.allCases)
        func events(kind: Kind) throws {
            let proxy = try Proxy(kind, to: daemon, in: folder)
            for (host, prefix) in Self.sites {
                let socket = try HTTPSocket(port: proxy.port, timeout: 20)
                let head = fields(host, proxy).map { "\($0): \($1)\r\n" }.joined()
                try socket.write(Array("GET \(prefix)/api/v1/events HTTP/1.1\r\n\(head)\r\n".utf8))
                var text = ""
                func receive(until marker: String) throws {
                    while !text.contains(marker) {
                        guard let more = try socket.read() else { throw Daemon.Failure(description: "the stream ended: \(text)") }
                        text += String(decoding: more, as: UTF8.self)
                    }
                }
                try receive(until: "event: state")
                let volume = host == "music.example" ? 0.25 : 0.75
                let change = try daemon.client.send(
                    "PATCH", "/api/v1/player", headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                    body: Array("{\"volume\":\(volume)}".utf8))
                #expect(change.status == 200)
                try receive(until: "\"volume\":\(volume)")
            }
        }

        @Test("a WebSocket passes in both directions", arguments: Kind.allCases)
        func sockets(kind: Kind) throws {
            let proxy = try Proxy(kind, to: daemon, in: folder)
            for (host, prefix) in Self.sites {
                let socket = try HTTPSocket(port: proxy.port, timeout: 20)
                let upgrade = [
                    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                ]
                let head = fields(host, proxy, upgrade).map { "\($0): \($1)\r\n" }.joined()
                try socket.write(Array("GET \(prefix)/api/v1/socket HTTP/1.1\r\n\(head)\r\n".utf8))
                var text = ""
                func receive(until marker: String) throws {
                    while !text.contains(marker) {
                        guard let more = try socket.read() else { throw Daemon.Failure(description: "the socket ended: \(text)") }
                        text += String(decoding: more, as: UTF8.self)
                    }
                }
                try receive(until: "\"event\":\"state\"")
                #expect(text.hasPrefix("HTTP/1.1 101"))
                // Sends the command as a WebSocket text frame. Clients must mask their frames; a mask of zeros does not change the data.
                let command = Array("{\"id\":\"q7\",\"command\":\"pause\"}".utf8)
                try socket.write([0x81, 0x80 | UInt8(command.count), 0, 0, 0, 0] + command)
                try receive(until: "\"id\":\"q7\"")
            }
        }

        @Test("each client of the proxy has its own limit of wrong tokens, whatever address it claims", arguments: Kind.allCases)
        func limits(kind: Kind) throws {
            let proxy = try Proxy(kind, to: daemon, in: folder)
            func status(from address: String, claiming claimed: String) throws -> String {
                try run(
                    "curl",
                    [
                        "--silent", "--interface", address, "--output", "/dev/null", "--write-out", "%{http_code}", "--header",
                        "Host: music.example:\(proxy.port)", "--header", "X-Forwarded-For: \(claimed)", "--header",
                        "Authorization: Bearer wrong-wrong-wrong-wrong",
                        "http://127.0.0.1:\(proxy.port)/api/v1/player",
                    ])
            }
            for attempt in 0..<10 { #expect(try status(from: "127.0.0.2", claiming: "203.0.113.\(attempt)") == "401") }
            #expect(try status(from: "127.0.0.2", claiming: "203.0.113.99") == "429")
            #expect(try status(from: "127.0.0.3", claiming: "127.0.0.2") == "401")
        }
    }
}
