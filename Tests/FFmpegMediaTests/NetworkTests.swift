@testable import FFmpegMedia
import Foundation
import PlaybackEngine
import Testing

@Suite("Where remote media may come from")
struct NetworkTests {
    private let loopback = NetworkAddress(bytes: [127, 0, 0, 1])
    private let server = NetworkAddress(bytes: [93, 184, 216, 34])

    @Test("a private address is taken where it is allowed and nothing public came before")
    func privateFirst() throws {
        var policy = AddressPolicy(allowsPrivate: true)
        try policy.admit([loopback])
        try policy.admit([loopback])
        var strict = AddressPolicy(allowsPrivate: false)
        #expect(throws: PlaybackError.self) { try strict.admit([loopback]) }
        #expect(throws: PlaybackError.self) { try strict.admit([server, loopback]) }
    }

    @Test("a name that changes from a public to a private address is refused, however many connections later")
    func rebinding() throws {
        var policy = AddressPolicy(allowsPrivate: true)
        try policy.admit([server])
        for _ in 0..<3 { #expect(throws: PlaybackError.self) { try policy.admit([loopback]) } }
        try policy.admit([server])
    }

    @Test("an interrupt ends a lookup that does not answer")
    func interruptedLookup() {
        let interrupt = Interrupt(), release = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
        let error = #expect(throws: PlaybackError.self) {
            _ = try Resolver.resolve("name.invalid", interrupt: interrupt) { _ in
                interrupt.raise()
                release.wait()
                ended.signal()
                return .success([])
            }
        }
        #expect(error?.code == .cancelled)
        // The lookup that was given up still ends by itself.
        release.signal()
        ended.wait()
    }

    @Test("a lookup that takes too long fails as a fault of the network")
    func slowLookup() {
        let release = DispatchSemaphore(value: 0)
        defer { release.signal() }
        let error = #expect(throws: PlaybackError.self) {
            _ = try Resolver.resolve("name.invalid", interrupt: Interrupt(), patience: 0) { _ in
                release.wait()
                return .success([])
            }
        }
        #expect(error?.code == .network)
    }

    @Test("what a call that was given up returns in the end is disposed of")
    func abandonedCall() {
        let interrupt = Interrupt(), release = DispatchSemaphore(value: 0), disposed = DispatchSemaphore(value: 0)
        let error = #expect(throws: PlaybackError.self) {
            try DetachedCall.run(
                "slow", interrupt: interrupt, patience: 30, late: .outOfMemory, discard: { value in if value == 7 { disposed.signal() } }
            ) {
                interrupt.raise()
                release.wait()
                return 7
            }
        }
        #expect(error?.code == .cancelled)
        release.signal()
        disposed.wait()
    }

    @Test("numeric addresses resolve to themselves")
    func numeric() throws {
        #expect(try Resolver.resolve("127.0.0.1", interrupt: Interrupt()) == [loopback])
    }
}
