import PlaybackTesting
import Testing
import RemoteControl

/// The frames that a client sends, and the events that the reader must report. A case has the number of the equivalent case in the Autobahn test suite.
struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var frames: [ClientFrame]
    /// The expected events. Of a failure only the code is compared.
    var events: [MessageReader.Event]
    /// The index of the last frame at which the connection may fail; nil if the test does not check it.
    var failsAt: Int?

    init(_ name: String, _ frames: [ClientFrame], _ events: [MessageReader.Event], failsAt: Int? = nil) {
        self.name = name
        self.frames = frames
        self.events = events
        self.failsAt = failsAt
    }

    var testDescription: String { name }
}

extension MessageReader.Event {
    static func text(_ text: String) -> MessageReader.Event { .text(Array(text.utf8)) }
    /// The answer to a ping.
    static func pong(_ payload: [UInt8]) -> MessageReader.Event { .reply(SocketFrame.encoded(.pong, payload), isLast: false) }
    /// The answer to a close frame, which repeats the code and the reason.
    static func close(_ code: CloseCode?, reason: String = "") -> MessageReader.Event {
        .reply(code.map { SocketFrame.close($0, reason) } ?? SocketFrame.encoded(.close, []), isLast: true)
    }
    /// The answer to a failure.
    static func failure(_ code: CloseCode) -> MessageReader.Event { .close(code) }

    /// The event without the reason of a protocol error, because the reason is text for people.
    var plain: MessageReader.Event {
        if case .reply(let frame, isLast: true) = self, frame.dropFirst(2).starts(with: [0x03, 0xEA]) { .failure(.protocolError) } else { self }
    }
}

/// A reader that accepts every valid message, like an echo service.
struct Echo {
    private let reader = MessageReader(maximumSize: 16 << 20)

    func send(_ bytes: [UInt8]) -> [MessageReader.Event] { bytes.withUnsafeBytes { reader.read($0) }.map(\.plain) }

    /// Sends the frames in pieces of `chop` bytes.
    func send(_ bytes: [UInt8], chop: Int) -> [MessageReader.Event] {
        stride(from: 0, to: bytes.count, by: chop).flatMap { send(Array(bytes[$0..<min(bytes.count, $0 + chop)])) }
    }
    var isOver: Bool { reader.isOver }
    var keptCount: Int { reader.keptCount }
}

/// Sends a case frame by frame, at once, byte by byte, and in pieces of odd sizes. The events must be the same each time.
func check(_ one: Case, sourceLocation: SourceLocation = #_sourceLocation) {
    let framewise = Echo()
    var events: [MessageReader.Event] = []
    for (index, frame) in one.frames.enumerated() {
        events += framewise.send(frame.bytes)
        if index == one.failsAt { #expect(framewise.isOver, "it fails at once", sourceLocation: sourceLocation) }
    }
    #expect(events == one.events, "frame by frame", sourceLocation: sourceLocation)
    let bytes = one.frames.flatMap(\.bytes)
    for chop in bytes.count > 4096 ? [bytes.count, 997] : [max(1, bytes.count), 1, 3] {
        #expect(Echo().send(bytes, chop: chop) == one.events, "in pieces of \(chop)", sourceLocation: sourceLocation)
    }
}
