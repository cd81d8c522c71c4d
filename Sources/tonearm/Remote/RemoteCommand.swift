import Foundation
import Platform
import RemoteControl

/// The command `tonearm remote`, which drives a running daemon over the contract. Blocks.
struct RemoteCommand {
    /// The time, in seconds, after which a stream of events that sends nothing counts as lost. The server sends a heartbeat every 15 seconds.
    private static let silence = 50.0

    private let options: Options
    private let records: [RuntimeRecord]

    init(_ options: Options, environment: [String: String]) {
        self.options = options
        records = RuntimeFolder.ofClient(environment: environment, user: geteuid()).flatMap { $0.records() }.sorted { $0.started > $1.started }
    }

    /// Carries out the command, prints its result, and returns the exit status. After a failure, prints one line on standard error.
    func run() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do throws(RemoteFailure) {
            if options.remote.operation == .servers {
                return try printed(options.remote.isJSON ? records.map(\.json).joined() : RemoteText.servers(records))
            }
            let server = RemoteServer(options.remote, tokenFile: options.tokenFile.map(absolute), records: records)
            let token = try token(server.tokenFile)
            if options.remote.operation != .status || !options.remote.follows { try perform(on: server, token: token) }
            if options.remote.follows { try follow(server, token: token) }
            return 0
        } catch {
            Log.writeToStandardError("tonearm: \(Log.escaped(error.description))\n")
            return error.kind.rawValue
        }
    }

    private func perform(on server: RemoteServer, token: String?) throws(RemoteFailure) {
        let session = RemoteSession(
            address: server.address, directory: FileManager.default.currentDirectoryPath, isJSON: options.remote.isJSON,
            addsNext: options.remote.addsNext
        ) { (request) throws(RemoteFailure) -> RemoteResponse in
            var exchange = RemoteExchange(over: try SocketChannel.connect(to: server.address), to: server.address)
            return try exchange.response(to: request, token: token)
        }
        switch try session.perform(options.remote.operation) {
        case .line(let state, let time): try printed(RemoteText.line(state, time: time) + "\n")
        case .status(let state, let time): try printed(RemoteText.status(state, time: time))
        case .queue(let queue): try printed(RemoteText.queue(queue))
        case .outputs(let outputs): try printed(RemoteText.outputs(outputs))
        case .document(let bytes) where !bytes.isEmpty: try printed(String(decoding: bytes, as: UTF8.self) + "\n")
        case .document: break
        }
    }

    private func follow(_ server: RemoteServer, token: String?) throws(RemoteFailure) {
        var follow = RemoteFollow(isJSON: options.remote.isJSON, columns: TerminalText.columns(ofTerminal: STDOUT_FILENO))
        var exchange = RemoteExchange(over: try SocketChannel.connect(to: server.address), to: server.address)
        let request = RemoteRequest("GET", "/api/v1/events" + follow.query)
        let head = try exchange.begin(request, token: token)
        guard head.status == 200 else { throw RemoteFailure(try exchange.response(after: head), at: server.address) }
        var parser = RemoteEventParser()
        while true {
            let bytes = try exchange.more(within: Self.silence)
            if bytes.isEmpty || parser.hasOverflowed {
                throw RemoteFailure(.unreachable, "the server at \(server.address) ended the stream of events")
            }
            let text = parser.take(bytes).map { follow.take($0) }.joined()
            if !text.isEmpty { try printed(text) }
        }
    }

    // MARK: Parts

    @discardableResult private func printed(_ text: String) throws(RemoteFailure) -> Int32 {
        guard Log.write(text, to: STDOUT_FILENO) else {
            throw RemoteFailure(.refused, "standard output cannot be written: \(String(cString: strerror(errno)))")
        }
        return 0
    }

    private func absolute(_ path: String) -> String { MediaArgument.absolute(path, relativeTo: FileManager.default.currentDirectoryPath) }

    private func token(_ path: String?) throws(RemoteFailure) -> String? {
        guard let path else { return nil }
        do throws(TokenFile.Unusable) { return try TokenFile(path: path).existing().text } catch {
            throw RemoteFailure(.refused, error.description)
        }
    }
}
