import Platform

@testable import tonearm

/// A fake connection to a server, which sends prepared bytes, whatever it receives.
final class ScriptedChannel: ByteChannel {
    private(set) var written: [UInt8] = []
    private var incoming: [[UInt8]]

    /// - Parameter incoming: The bytes that the calls of `read` return: the first element for the first call, and so on. Then the connection ends.
    init(_ incoming: [[UInt8]]) { self.incoming = incoming.reversed() }
    convenience init(_ text: String) { self.init([Array(text.utf8)]) }

    func write(_ bytes: [UInt8]) throws(RemoteFailure) { written += bytes }
    func read(until deadline: HostTime) throws(RemoteFailure) -> [UInt8] { incoming.popLast() ?? [] }
}
