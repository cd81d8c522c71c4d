@testable import HTTPClient
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@Suite("Permitted addresses of remote media")
struct NetworkTests {
    private let loopback = NetworkAddress(bytes: [127, 0, 0, 1])
    private let server = NetworkAddress(bytes: [93, 184, 216, 34])

    @Test("a private address is accepted if private ones are allowed and no public one preceded")
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

    @Test("an interrupt ends a look-up that does not answer")
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
        // The thread of the look-up, for which nobody waits any more, still ends by itself.
        release.signal()
        ended.wait()
    }

    @Test("a look-up that takes too long fails with a network error")
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

    @Test("the late result of an abandoned call is disposed of")
    func abandonedCall() {
        let interrupt = Interrupt(), release = DispatchSemaphore(value: 0), disposed = DispatchSemaphore(value: 0)
        let error = #expect(throws: PlaybackError.self) {
            try DetachedCalls("slow", limit: 1, crowded: "").run(
                interrupt: interrupt, patience: 30, late: .outOfMemory, discard: { value in if value == 7 { disposed.signal() } }
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

    /// Name look-ups that block until the test releases them. The class counts those that run at the same time.
    private final class Hanging: Sendable {
        let calls = DetachedCalls("hanging", limit: 4, crowded: "Too many look-ups are under way.")
        let release = DispatchSemaphore(value: 0)
        let running = Mutex((now: 0, most: 0))

        /// Begins a look-up whose caller is interrupted at once.
        func giveUpOne() -> PlaybackError? {
            let interrupt = Interrupt()
            do throws(PlaybackError) {
                _ = try Resolver.resolve("name.invalid", interrupt: interrupt, calls: calls) { [self] _ in
                    running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    interrupt.raise()
                    release.wait()
                    running.withLock { $0.now -= 1 }
                    return .success([])
                }
                return nil
            } catch { return error }
        }

        func resolve(patience: Double, interrupt: Interrupt = Interrupt()) throws(PlaybackError) -> [NetworkAddress] {
            try Resolver.resolve("name", interrupt: interrupt, patience: patience, calls: calls) { _ in
                .success([NetworkAddress(bytes: [127, 0, 0, 1])])
            }
        }
    }

    @Test("abandoned look-ups that hang keep their slots: the number of threads is limited, and a further look-up fails as busy")
    func hangingLookups() throws {
        let hanging = Hanging()
        for _ in 0..<4 { #expect(hanging.giveUpOne()?.code == .cancelled) }
        #expect(hanging.calls.count == 4)
        for _ in 0..<20 {
            let error = #expect(throws: PlaybackError.self) { try hanging.resolve(patience: 0) }
            #expect(error == PlaybackError(.busy, "Too many look-ups are under way."))
        }
        #expect(hanging.running.withLock { $0.most } == 4)
        // A look-up that begins later waits until a blocked one is released, and frees its slot.
        hanging.release.signal()
        #expect(try hanging.resolve(patience: 3600) == [loopback])
        for _ in 0..<3 { hanging.release.signal() }
        #expect(waitUntil { hanging.calls.count == 0 })
        for _ in 0..<8 { #expect(try hanging.resolve(patience: 3600) == [loopback]) }
        #expect(hanging.running.withLock { $0.most } == 4)
    }

    @Test("a wait for a slot ends when it is interrupted")
    func interruptedWait() {
        let hanging = Hanging(), interrupt = Interrupt()
        for _ in 0..<4 { _ = hanging.giveUpOne() }
        interrupt.raise()
        let error = #expect(throws: PlaybackError.self) { try hanging.resolve(patience: 3600, interrupt: interrupt) }
        #expect(error?.code == .cancelled)
        for _ in 0..<4 { hanging.release.signal() }
    }

    @Test("a call for which the system cannot create a thread fails and keeps no slot")
    func noThread() {
        let calls = DetachedCalls("none", limit: 1, crowded: "crowded") { name, body throws(SystemError) in
            try WorkerThread(starting: name, stackSize: 1 << 60, body: body)
        }
        for _ in 0..<3 {
            let error = #expect(throws: PlaybackError.self) { try calls.run(interrupt: Interrupt(), patience: 30, late: .outOfMemory) { 7 } }
            #expect(error?.code == .busy && error?.underlying?.domain == "POSIX")
        }
        #expect(calls.count == 0)
    }

    @Test("numeric addresses resolve to themselves")
    func numeric() throws {
        #expect(try Resolver.resolve("127.0.0.1", interrupt: Interrupt()) == [loopback])
    }
}
