import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Attacks the real program as an attacker would (SECURITY.md). After each attack, the player's state must be unchanged.
    @Suite("Security", .serialized)
    struct SecurityTests {
        private static let token = "the-token-of-security-tests"
        private let folder: MediaFolder
        private let daemon: Daemon
        private let root: String

        init() throws {
            folder = try MediaFolder()
            root = folder.file("music")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let noise = Noise(seconds: 10, seed: 40)
            try folder.wav("music/song.wav", noise.frames)
            // The files named "canary" are outside the media root. If a client can play one, it has broken out of the media root.
            try folder.wav("canary.wav", noise.frames)
            try folder.encode("canary.wav", to: "canary.aac")
            daemon = try Daemon(serving: ["--output", "null", "--media-root", root])
            try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("music/song.wav")])
        }

        private var revision: Int? { try? daemon.client.state()["revision"] as? Int }

        /// Sends bytes, and expects a 4xx response or a closed connection. The player must be unchanged.
        private func attack(_ bytes: [UInt8], _ name: String, expecting statuses: Set<Int> = []) throws {
            let before = revision
            let socket = try HTTPSocket(port: daemon.port, timeout: 10)
            try? socket.write(bytes)
            var answer: [UInt8] = []
            while let more = try? socket.read(), answer.count < 1 << 20 { answer += more }
            let text = String(decoding: answer, as: UTF8.self)
            // One request was sent, so one response is expected: a second response would belong to a smuggled request. (To a request with an invalid
            // length the HTTP library sends the same head twice; so different heads are counted.)
            let heads = Set(text.matches(of: /HTTP\/1\.[01] (\d+)/).map(\.1))
            #expect(heads.count <= 1, "\(name): \(heads)")
            if let head = HTTPHead(answer) {
                #expect((400..<500).contains(head.status) || head.status == 505, "\(name): \(head.status)")
                if !statuses.isEmpty { #expect(statuses.contains(head.status), "\(name): \(head.status)") }
            } else {
                #expect(answer.isEmpty, "\(name): \(text)")
            }
            #expect(revision == before, "\(name)")
            #expect(daemon.process.isRunning)
        }

        private func attack(_ text: String, _ name: String, expecting statuses: Set<Int> = []) throws {
            try attack(Array(text.utf8), name, expecting: statuses)
        }

        // MARK: Pages of other sites

        @Test(
            "pages of other sites and DNS rebinding achieve and learn nothing in a real Chromium; the own page works with a token")
        func pages() throws {
            let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let file = try folder.bytes("token", Self.token.utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let closed = try Daemon(serving: ["--output", "null", "--media-root", root, "--token-file", file])
            // If attacks succeed, `run` throws an error that lists them.
            try run(
                checkout.appending(path: ".venv/bin/python").path,
                [
                    checkout.appending(path: "Tests/EndToEndTests/Browser/attacks.py").path, "http://127.0.0.1:\(daemon.port)/",
                    "http://127.0.0.1:\(closed.port)/", Self.token,
                ])
        }

        // MARK: Requests

        @Test("ambiguous requests are refused, and none is read as two")
        func smuggling() throws {
            let host = "Host: 127.0.0.1:\(daemon.port)\r\n"
            let json = "Content-Type: application/json\r\n"
            let hidden = "PATCH /api/v1/player HTTP/1.1\r\n\(host)\(json)Content-Length: 14\r\nConnection: close\r\n\r\n{\"volume\":0.1}"
            let post = "POST /api/v1/player/pause HTTP/1.1\r\n"
            let end = "Connection: close\r\n\r\n"
            let shapes: KeyValuePairs<String, String> = [
                "two Host lines": "GET /api/v1/player HTTP/1.1\r\n\(host)Host: evil.example\r\n\(end)",
                "two equal Host lines": "GET /api/v1/player HTTP/1.1\r\n\(host)\(host)\(end)",
                "no Host": "GET /api/v1/player HTTP/1.1\r\n\(end)",
                "an empty Host": "GET /api/v1/player HTTP/1.1\r\nHost:\r\n\(end)",
                "a foreign Host": "GET /api/v1/player HTTP/1.1\r\nHost: evil.example\r\n\(end)",
                "an absolute target": "GET http://evil.example/api/v1/player HTTP/1.1\r\n\(host)\(end)",
                "length and coding": "\(post)\(host)\(json)Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\(end)0\r\n\r\n\(hidden)",
                "coding and length": "\(post)\(host)\(json)Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\(end)0\r\n\r\n\(hidden)",
                "two lengths": "\(post)\(host)\(json)Content-Length: 2\r\nContent-Length: 40\r\n\(end){}\(hidden)",
                "a list of lengths": "\(post)\(host)\(json)Content-Length: 2, 40\r\n\(end){}\(hidden)",
                "a signed length": "\(post)\(host)\(json)Content-Length: +2\r\n\(end){}\(hidden)",
                "a length in hexadecimal": "\(post)\(host)\(json)Content-Length: 0x2\r\n\(end){}\(hidden)",
                "two codings": "\(post)\(host)\(json)Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\(end)0\r\n\r\n\(hidden)",
                "a coding in disguise": "\(post)\(host)\(json)Transfer-Encoding: xchunked\r\n\(end)0\r\n\r\n\(hidden)",
                "a coding behind a tab": "\(post)\(host)\(json)Transfer-Encoding:\u{b}chunked\r\n\(end)0\r\n\r\n\(hidden)",
                "a space before the colon": "\(post)\(host)\(json)Transfer-Encoding : chunked\r\n\(end)0\r\n\r\n\(hidden)",
                "a folded line": "\(post)\(host)\(json)X: a\r\n Transfer-Encoding: chunked\r\n\(end)\(hidden)",
                "a bare line feed": "\(post)\(host)\(json)X: a\nContent-Length: 2\r\n\(end){}\(hidden)",
                "a bare carriage return": "\(post)\(host)\(json)X: a\rContent-Length: 2\r\n\(end){}\(hidden)",
                "a chunk of a signed size": "\(post)\(host)\(json)Transfer-Encoding: chunked\r\n\(end)-1\r\n{}\r\n0\r\n\r\n\(hidden)",
                "a chunk beyond 64 bits": "\(post)\(host)\(json)Transfer-Encoding: chunked\r\n\(end)10000000000000002\r\n{}\r\n0\r\n\r\n\(hidden)",
                "coding in HTTP/1.0": "POST /api/v1/player/pause HTTP/1.0\r\n\(host)\(json)Transfer-Encoding: chunked\r\n\(end)0\r\n\r\n\(hidden)",
                "another version": "GET /api/v1/player HTTP/2.0\r\n\(host)\(end)",
                "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "a body where there is none": "GET /api/v1/player HTTP/1.1\r\n\(host)\(json)Content-Length: 2\r\n\(end){}",
                "an expectation": "\(post)\(host)\(json)Expect: 200-ok\r\nContent-Length: 2\r\n\(end){}",
            ]
            for (name, text) in shapes { try attack(text, name) }
        }

        @Test("NUL and control bytes are refused at any position")
        func controlBytes() throws {
            let host = "Host: 127.0.0.1:\(daemon.port)\r\nConnection: close\r\n"
            for byte in ["\0", "\u{1}", "\u{7}", "\u{b}", "\u{1b}", "\u{7f}"] {
                try attack("GET /api/v1/pla\(byte)yer HTTP/1.1\r\n\(host)\r\n", "in the target")
                try attack("GET /api/v1/player HTTP/1.1\r\n\(host)X: a\(byte)b\r\n\r\n", "in a value")
                try attack("GET /api/v1/player HTTP/1.1\r\n\(host)X\(byte): a\r\n\r\n", "in a name")
                try attack("G\(byte)T /api/v1/player HTTP/1.1\r\n\(host)\r\n", "in the method")
            }
            for path in [
                "%00", "api/v1/items/%00/artwork", "api/v1/library?path=/%00", "api/v1/player%00.html", "%0d%0aX:%20y", "%1b[2J", "%7f", "%", "%2",
                "%zz",
            ] {
                try attack("GET /\(path) HTTP/1.1\r\n\(host)\r\n", path, expecting: [400, 404])
            }
            for body in [
                "{\"url\":\"/x\\u0000.wav\"}", "{\"url\":\"file:///x%00.wav\"}", "{\"url\":\"http://127.0.0.1/\\r\\nX: y\"}", "{\"url\":\"\u{1}\"}",
            ] {
                let answer = try daemon.client.send(
                    "PUT", "/api/v1/player/item", headers: ["Content-Type": "application/json"], body: Array(body.utf8))
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
        }

        @Test("oversized input is refused, and the server continues to run")
        func oversized() throws {
            let host = "Host: 127.0.0.1:\(daemon.port)\r\nConnection: close\r\n"
            func filler(_ count: Int) -> String { String(repeating: "a", count: count) }
            try attack("GET /\(filler(9000)) HTTP/1.1\r\n\(host)\r\n", "a long target", expecting: [414])
            try attack("GET /\(filler(200_000)) HTTP/1.1\r\n\(host)\r\n", "a very long target", expecting: [414, 431])
            try attack("GET / HTTP/1.1\r\n\(host)X: \(filler(17_000))\r\n\r\n", "a long field", expecting: [431])
            try attack("GET / HTTP/1.1\r\n\(host)X: \(filler(1_000_000))\r\n\r\n", "a very long field", expecting: [431])
            try attack("GET / HTTP/1.1\r\n\(host)\((0..<2000).map { "X\($0): y\r\n" }.joined())\r\n", "many fields", expecting: [431])
            try attack("\(filler(50_000)) / HTTP/1.1\r\n\(host)\r\n", "a long method")
            let json = "Content-Type: application/json\r\n"
            try attack(
                "PATCH /api/v1/player HTTP/1.1\r\n\(host)\(json)Content-Length: 99999999\r\n\r\n{}", "a long body, announced", expecting: [413])
            try attack(
                "PATCH /api/v1/player HTTP/1.1\r\n\(host)\(json)Content-Length: 99999999999999999999999\r\n\r\n{}", "a longer one",
                expecting: [400, 413])
            let chunks = (0..<20).map { _ in "20000\r\n\(filler(0x20000))\r\n" }.joined()
            try attack(
                "PATCH /api/v1/player HTTP/1.1\r\n\(host)\(json)Transfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n", "in chunks", expecting: [411])
            for body in [
                String(repeating: "[", count: 500_000), "{\"volume\":\(filler(10))}", "{\"volume\":1e999999999}",
                "{\"volume\":\(String(repeating: "9", count: 100_000))}", "{\"" + filler(900_000) + "\":1}",
            ] {
                let answer = try daemon.client.send("PATCH", "/api/v1/player", headers: ["Content-Type": "application/json"], body: Array(body.utf8))
                #expect(answer.status == 400, "\(answer.text.prefix(200))")
            }
            let entries = Array(repeating: "{\"url\":\"/x\"}", count: 10_001).joined(separator: ",")
            let answer = try daemon.client.send(
                "PUT", "/api/v1/queue", headers: ["Content-Type": "application/json"], body: Array("{\"entries\":[\(entries)]}".utf8))
            #expect(answer.status == 422)
        }

        // MARK: Files

        @Test("no file outside a media root is played, listed or inspected, by any spelling and through any link")
        func traversal() throws {
            let outside = folder.file("canary.wav")
            try FileManager.default.createSymbolicLink(atPath: root + "/link.wav", withDestinationPath: outside)
            try FileManager.default.createSymbolicLink(atPath: root + "/door", withDestinationPath: folder.path)
            try FileManager.default.createSymbolicLink(atPath: root + "/chain.wav", withDestinationPath: "link.wav")
            let name = folder.path
            let spellings = [
                outside, "file://\(outside)", "file://localhost\(outside)", "file:\(outside)", "\(root)/../canary.wav",
                "file://\(root)/../canary.wav",
                "file://\(root)/%2e%2e/canary.wav", "file://\(root)/%2E%2E%2Fcanary.wav", "\(root)/./../canary.wav", "\(root)//../canary.wav",
                "\(root)/x/../../canary.wav", "\(root)/link.wav", "\(root)/chain.wav", "\(root)/door/canary.wav", "\(root)/door/music/../canary.wav",
                "file://\(root)/door%2fcanary.wav", "\(root)/song.wav/../../canary.wav", "\(name)/musicx/../canary.wav", "/proc/self/root\(outside)",
                "/proc/self/cwd/../../..\(outside)", "/etc/passwd", "file:///etc/passwd", "/dev/stdin", "/proc/self/environ",
            ]
            for spelling in spellings {
                let put = try daemon.client.send("PUT", "/api/v1/player/item?wait=5", json: ["url": spelling])
                #expect([400, 403, 404].contains(put.status), "\(spelling): \(put.status) \(put.text)")
                #expect(put.json["status"] as? String != "readyToPlay")
                let queue = try daemon.client.send("POST", "/api/v1/queue", json: ["entries": [["url": spelling]]])
                #expect([400, 403].contains(queue.status), "\(spelling): \(queue.status)")
                let query = spelling.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                #expect([400, 403, 404].contains(try daemon.client.send("GET", "/api/v1/assets?url=\(query)").status), "\(spelling)")
                let path = spelling.hasPrefix("/") ? query : "x"
                #expect([400, 403, 404].contains(try daemon.client.send("GET", "/api/v1/library?path=\(path)").status), "\(spelling)")
            }
            // The response must be the same for an existing and a missing file, so that it does not reveal which files exist.
            let there = try daemon.client.send("PUT", "/api/v1/player/item", json: ["url": outside]).body
            #expect(try daemon.client.send("PUT", "/api/v1/player/item", json: ["url": folder.file("nothing.wav")]).body == there)
            let listing = try daemon.client.send("GET", "/api/v1/library?path=\(root)").text
            #expect(listing.contains("song.wav"))
            for link in ["link.wav", "chain.wav", "door"] { #expect(!listing.contains(link)) }
            for path in ["/../canary.wav", "/..%2fcanary.wav", "/%2e%2e/canary.wav", "//etc/passwd", "/js/../../../etc/passwd"] {
                #expect([400, 403, 404].contains(try daemon.client.send("GET", path).status), "\(path)")
            }
            #expect(try daemon.client.send("GET", "/api/v1/player/item").json["url"] as? String == folder.url("music/song.wav"))
        }

        @Test("other schemes are refused")
        func schemes() throws {
            for scheme in [
                "concat", "subfile", "data", "crypto", "pipe", "fd", "tcp", "udp", "rtmp", "ftp", "gopher", "smb", "unix", "async", "cache", "lavfi",
                "jar",
            ] {
                let url = "\(scheme):\(folder.file("canary.wav"))"
                let answer = try daemon.client.send("PUT", "/api/v1/player/item?wait=5", json: ["url": url])
                #expect(answer.status == 422, "\(scheme)")
                #expect(answer.json["type"] as? String == "/problems/unsupported-scheme", "\(scheme)")
            }
        }

        /// Addresses that must not be opened if a hostile playlist refers to them.
        private var targets: [String] {
            let canary = folder.file("canary.aac")
            return [
                "file://\(canary)", canary, "concat:\(canary)|\(canary)", "subfile,,start,0,end,100000,,:\(canary)", "../canary.aac",
                "crypto+file://\(canary)",
                "async:file://\(canary)", "cache:\(canary)", "file:///etc/passwd", "data:audio/aac;base64,AAAA",
            ]
        }

        private func playlists(_ target: String) -> [(name: String, text: String)] {
            [
                ("a.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10,\n\(target)\n#EXT-X-ENDLIST\n"),
                ("b.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000\n\(target)\n"),
                (
                    "c.m3u8",
                    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-KEY:METHOD=AES-128,URI=\"\(target)\"\n#EXTINF:10,\nmusic/song.wav\n#EXT-X-ENDLIST\n"
                ),
                ("d.ffconcat", "ffconcat version 1.0\nfile '\(target)'\n"), ("e.concat", "ffconcat version 1.0\nfile \(target)\n"),
                ("f.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n"),
                ("g.asx", "<asx version=\"3.0\"><entry><ref href=\"\(target)\"/></entry></asx>"),
                ("h.pls", "[playlist]\nFile1=\(target)\nNumberOfEntries=1\n"),
                (
                    "i.mpd",
                    "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\"><Period><AdaptationSet><Representation id=\"1\"><BaseURL>\(target)</BaseURL></Representation></AdaptationSet></Period></MPD>"
                ),
            ]
        }

        @Test("a playlist in a media root opens nothing: no file outside, no other protocol")
        func localPlaylists() throws {
            for target in targets {
                for (name, text) in playlists(target) {
                    try folder.bytes("music/\(name)", text.utf8)
                    let answer = try daemon.client.send("PUT", "/api/v1/player/item?wait=10", json: ["url": "\(root)/\(name)"])
                    #expect(answer.status == 422, "\(name) \(target): \(answer.status) \(answer.text)")
                }
            }
        }

        @Test("playlists and redirects of a server open no file and no other protocol")
        func remoteAttacks() throws {
            let served = folder.file("served")
            try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: true)
            for target in targets {
                for (name, text) in playlists(target) { try folder.bytes("served/\(name)", text.utf8) }
                let server = try HostileServer(folder: served, target: target)
                for (name, _) in playlists(target) {
                    let answer = try daemon.client.send("PUT", "/api/v1/player/item?wait=10", json: ["url": server.address + name])
                    #expect(answer.status == 422, "\(name) \(target): \(answer.status) \(answer.text)")
                }
                // A target without a scheme is a redirect to a path of the same server, which has no such file.
                let answer = try daemon.client.send("PUT", "/api/v1/player/item?wait=10", json: ["url": server.address + "redirect"])
                #expect(answer.status == 422, "redirect \(target): \(answer.status) \(answer.text)")
            }
        }

        @Test("no redirect of an internet server reaches the private network or a file")
        func redirectIntoPrivateNetwork() throws {
            let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            // The script runs in a network namespace, in which this machine has a public address. If the system permits no namespace (exit status
            // 77), nothing is tested.
            let output = try run(
                "sh",
                [
                    "-c",
                    "unshare --user --map-root-user --net true 2>&1 || exit 0; "
                        + "unshare --user --map-root-user --net python3 \"$@\" || { status=$?; [ $status = 77 ] || exit $status; }",
                    "sh", checkout.appending(path: "Tests/EndToEndTests/Browser/redirects.py").path, try Daemon.binary.path, folder.path,
                ])
            if !output.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty { print("not tried: \(output)") }
        }

        @Test("a remote client without token cannot make the server open private addresses")
        func privateNetwork() throws {
            let server = try HostileServer(folder: folder.path, target: "/canary.wav")
            guard let own = Self.addressOfThisMachine() else {
                // A machine without a network has no network address, which this test needs.
                return
            }
            let (daemon, port) = try daemonOfTheNetwork()
            // A client on this machine that connects to the machine's network address counts as a remote client.
            let response = try run(
                "curl",
                [
                    "--silent", "--max-time", "20", "--request", "PUT", "--json", "{\"url\":\"\(server.address)canary.wav\"}",
                    "http://\(own):\(port)/api/v1/player/item?wait=10",
                ])
            #expect(response.contains("addressNotAllowed"), "\(response)")
            #expect(server.requests.isEmpty)
            #expect(daemon.process.isRunning)
        }

        @Test("a remote address has at most 64 connections; these and loopback continue to work, and a closed one is replaced")
        func connectionsOfAnAddress() throws {
            // A machine without a network has no network address, so nothing can be tested.
            guard let own = Self.addressOfThisMachine() else { return }
            let (daemon, port) = try daemonOfTheNetwork()
            func isServed(_ socket: HTTPSocket) throws -> Bool {
                try? socket.write(Array("GET /healthz HTTP/1.1\r\nHost: \(own):\(port)\r\n\r\n".utf8))
                var bytes: [UInt8] = []
                while HTTPHead(bytes) == nil, let more = try? socket.read() { bytes += more }
                return HTTPHead(bytes)?.status == 200
            }
            var held = try (0..<64).map { _ in try HTTPSocket(host: own, port: port, timeout: 10) }
            for socket in held { #expect(try isServed(socket)) }
            for _ in 0..<8 { #expect(try !isServed(HTTPSocket(host: own, port: port, timeout: 10))) }
            for _ in 0..<8 { #expect(try HTTPClient(port: port).send("GET", "/healthz").status == 200) }
            for socket in held { #expect(try isServed(socket)) }
            held.removeLast()
            try eventually("a new connection is served") { try isServed(HTTPSocket(host: own, port: port, timeout: 10)) ? true : nil }
            #expect(daemon.process.isRunning)
        }

        /// Starts the program on every address of this machine, without a token. Returns the program and its port.
        private func daemonOfTheNetwork() throws -> (Daemon, UInt16) {
            let daemon = try Daemon(arguments: ["serve", "--listen", "0.0.0.0:0", "--no-auth", "--output", "null"])
            return try eventually("the program listens", within: 20) {
                daemon.log.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { UInt16($0.1) }.map { (daemon, $0) }
            }
        }

        /// Returns an IPv4 network address of this machine; nil if it has none.
        private static func addressOfThisMachine() -> String? {
            let addresses = try? run("hostname", ["-I"])
            return addresses?.split(whereSeparator: \.isWhitespace).map(String.init).first { $0.contains(".") && !$0.hasPrefix("127.") }
        }

        // MARK: Tokens

        @Test("the token file is readable only by its owner, network addresses need the token, and it cannot be guessed")
        func token() throws {
            let daemon = try Daemon(
                arguments: ["serve", "--listen", "0.0.0.0:0", "--output", "null"], environment: ["XDG_STATE_HOME": folder.file("state")])
            let port = try eventually("the program prints its address", within: 20) {
                daemon.log.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { UInt16($0.1) }
            }
            let file = folder.file("state/tonearm/token")
            let token = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
            #expect(token.utf8.count >= 32)
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            let client = HTTPClient(port: port)
            func get(_ token: String?) throws -> HTTPAnswer {
                try client.send("GET", "/api/v1/player", headers: token.map { ["Authorization": "Bearer " + $0] } ?? [:])
            }
            #expect(try get(nil).status == 401)
            #expect(try get(token).status == 200)
            #expect(try client.send("GET", "/api/v1/player?token=\(token)").status == 401)
            #expect(try client.send("GET", "/api/v1/events").status == 401)
            #expect(try client.send("GET", "/metrics").status == 401)
            #expect(try client.send("GET", "/").status == 200)
            #expect(try client.send("GET", "/openapi.yaml").status == 200)
            var refused = 0
            for guess in 0..<40 where try get("guess-guess-guess-\(guess)").status == 429 { refused += 1 }
            #expect(refused >= 28)
            let locked = try get("guess-guess-guess-40")
            #expect(locked.status == 429)
            #expect(try get(token).status == 200)
            #expect(Int(locked.headers["retry-after"] ?? "") ?? 0 > 0)
            // Neither responses nor log lines contain the token. The log names the token's file, and the addresses that a phone can open.
            #expect(!locked.text.contains(token))
            #expect(!daemon.log.contains(token))
            #expect(daemon.log.contains(file))
            if let own = Self.addressOfThisMachine() { #expect(daemon.log.contains("http://\(own):\(port)/")) }
        }
    }
}
