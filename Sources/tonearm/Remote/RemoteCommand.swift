import Foundation
import Platform
import RemoteControl

/// `tonearm remote`: controls a running daemon by its API. Blocks.
struct RemoteCommand {
    private let options: Options
    private let folders: [RuntimeFolder]

    init(_ options: Options, environment: [String: String]) {
        self.options = options
        folders = RuntimeFolder.ofClient(environment: environment, user: geteuid())
    }

    /// Prints the result, or one line on standard error, and returns the exit status.
    func run() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        do throws(RemoteFailure) {
            let records = records()
            if options.remote.operation == .servers {
                return try printed(options.remote.isJSON ? records.map(\.json).joined() : RemoteText.servers(records))
            }
            let server = RemoteServer(options.remote, tokenFile: options.tokenFile.map(absolute), records: records)
            let token = try token(server.tokenFile)
            if options.remote.operation != .status || !options.remote.follows { try perform(on: server, token: token) }
            if options.remote.follows { try follow(server) }
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
            try RemoteExchange.response(to: request, at: server.address, token: token)
        }
        switch try session.perform(options.remote.operation) {
        case .line(let state, let time): try printed(RemoteText.line(state, time: time) + "\n")
        case .status(let state, let time): try printed(RemoteText.status(state, time: time))
        case .queue(let queue): try printed(RemoteText.queue(queue))
        case .outputs(let outputs): try printed(RemoteText.outputs(outputs))
        case .document(let bytes) where !bytes.isEmpty: try printed(Log.escapedJSON(String(decoding: bytes, as: UTF8.self)) + "\n")
        case .document: break
        }
    }

    private func follow(_ first: RemoteServer) throws(RemoteFailure) -> Never {
        var server: RemoteServer? = first
        let follower = RemoteFollower(
            RemoteFollow(isJSON: options.remote.isJSON, columns: TerminalText.columns(ofTerminal: STDOUT_FILENO)),
            RemoteFollower.Surroundings(
                find: { () throws(RemoteFailure) -> RemoteFollower.Server in
                    let present = server ?? first.again(options.remote, tokenFile: options.tokenFile.map(absolute), records: records())
                    server = nil
                    guard let present else { throw RemoteFailure(.unreachable, "the daemon at \(first.address) does not run") }
                    let text = try token(present.tokenFile)
                    return RemoteFollower.Server(address: present.address) { (request, receive) throws(RemoteFailure) -> RemoteResponse in
                        try RemoteExchange.response(to: request, at: present.address, token: text, receive: receive)
                    }
                },
                print: { (text) throws(RemoteFailure) in try printed(text) },
                warn: { Log.writeToStandardError("tonearm: \(Log.escaped($0))\n") },
                wait: { _ = WakeSignal().wait(until: MonotonicClock().now + $0) }))
        try follower.run()
    }

    /// The records of all runtime folders, the newest first.
    private func records() -> [RuntimeRecord] { folders.flatMap { $0.records() }.sorted { $0.started > $1.started } }

    // MARK: Parts

    @discardableResult private func printed(_ text: String) throws(RemoteFailure) -> Int32 {
        guard Log.write(text, to: STDOUT_FILENO) else {
            throw RemoteFailure(.refused, "standard output cannot be written: \(String(cString: strerror(errno)))")
        }
        return 0
    }

    private func absolute(_ path: String) -> String { MediaArgument.absolute(path, relativeTo: FileManager.default.currentDirectoryPath) }

    /// Reads the token from the file at `path`; returns nil without a path. Throws `refused` if the file cannot be used.
    private func token(_ path: String?) throws(RemoteFailure) -> String? {
        guard let path else { return nil }
        do throws(Unusable) { return try TokenFile(path: path).existing().text } catch {
            throw RemoteFailure(.refused, error.description)
        }
    }
}
