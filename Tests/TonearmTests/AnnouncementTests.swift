import HTTPServer
import RemoteControl
import Synchronization
import Testing

@testable import tonearm

@Suite("Log messages at the start")
struct AnnouncementTests {
    private static let secret = "a-token-of-the-tests"

    private func lines(_ style: Log.Style, token: String? = secret, isKept: Bool) throws -> [String] {
        let written = Mutex<[String]>([])
        let log = Log(level: .info, style: style, timestamp: { "now" }, write: { line in written.withLock { $0.append(line) } })
        Announcement(
            address: try ListenAddress("0.0.0.0:7711"), interfaces: [InterfaceAddress(host: "192.168.1.5")], token: token.flatMap { AccessToken($0) },
            tokenFile: token == nil ? nil : "/state/token", isLogKept: isKept
        ).write(to: log)
        return written.withLock { $0 }
    }

    @Test("on a terminal the addresses contain the token")
    func terminal() throws {
        #expect(
            try lines(.plain, isKept: false) == [
                "now info: the remote is ready at=\"http://127.0.0.1:7711/#token=\(Self.secret)\"\n",
                "now info: the address for a phone in the same network at=\"http://192.168.1.5:7711/#token=\(Self.secret)\"\n",
            ])
    }

    @Test("a journal contains the path of the token file and not the token")
    func journal() throws {
        let lines = try lines(.journal, isKept: true)
        #expect(
            lines == [
                "<6>the remote is ready at=http://127.0.0.1:7711/\n", "<6>the address for a phone in the same network at=http://192.168.1.5:7711/\n",
                "<6>the page requires the token, which is in a file that only its owner can read file=/state/token\n",
            ])
    }

    @Test("a log file does not contain the token either")
    func file() throws { #expect(try lines(.plain, isKept: true).allSatisfy { !$0.contains(Self.secret) }) }

    @Test("without a token none is mentioned")
    func noToken() throws {
        #expect(try lines(.journal, token: nil, isKept: true).count == 2)
        #expect(try lines(.plain, token: nil, isKept: false).allSatisfy { !$0.contains("token") })
    }

    @Test("a warning with the remedy is logged for root, and not for other users")
    func root() {
        #expect(Options.warnings(ofUser: 0).count == 1)
        #expect(Options.warnings(ofUser: 0).first?.contains("User=") == true)
        #expect(Options.warnings(ofUser: 1000).isEmpty)
    }
}
