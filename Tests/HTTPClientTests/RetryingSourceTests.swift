import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import HTTPClient

@Suite("Retried transfers")
struct RetryingSourceTests {
    private let clock = VirtualClock()
    private let monitor = ConnectionMonitor()
    private let lost = PlaybackError.connectionLost

    /// Opens a remote medium. Waits advance the virtual clock.
    private func open(
        _ remote: ScriptedRemote, policy: RetryPolicy = RetryPolicy(), isContinuation: Bool = false, isPartOfLive: Bool = false,
        waits: @escaping (HostTime) -> Bool = { _ in true }
    ) throws(PlaybackError) -> RetryingSource {
        try RetryingSource(
            remote, policy: policy, monitor: monitor, isContinuation: isContinuation, isPartOfLive: isPartOfLive, clock: clock
        ) { [clock] time in
            guard waits(time) else { return false }
            clock.advance(to: time)
            return true
        }
    }

    @Test("a lost connection is restored at the same byte, and no byte is lost or repeated")
    func heals() throws {
        let remote = ScriptedRemote(10_000)
        remote.failures = [0: [lost], 3000: [lost, lost], 9999: [lost, lost, lost, lost, lost]]
        #expect(try open(remote).rest() == remote.bytes)
        #expect(monitor.wait == nil)
    }

    @Test("the attempts are made at once, then after 0.5, 1, 2 and 5 s, and each but the first is reported (R-NET-01, R-NET-05)")
    func times() throws {
        let remote = ScriptedRemote(100), reports = Mutex<[ConnectionMonitor.Wait?]>([]), start = clock.now
        remote.failures = [0: [lost, lost, lost, lost, lost, lost]]
        monitor.observeWait { [weak monitor] in reports.withLock { $0.append(monitor?.wait) } }
        let source = try open(remote)
        #expect(try source.rest() == remote.bytes)
        #expect(abs(clock.now - start - 13.5) < 1e-6)
        let waits = reports.withLock { $0 }
        #expect(waits.map { $0?.attempt } == [2, 3, 4, 5, 6, nil])
        #expect(waits.compactMap { $0 }.map { ($0.retryTime - start).rounded(toTenths: ()) } == [0.5, 1.5, 3.5, 8.5, 13.5])
        #expect(waits.first??.error == lost)
    }

    @Test("a single loss that heals at once is not reported")
    func silent() throws {
        let remote = ScriptedRemote(5000)
        remote.failures = [0: [lost], 1000: [lost], 2000: [lost]]
        monitor.observeWait { Issue.record("a report") }
        #expect(try open(remote).rest() == remote.bytes)
    }

    @Test("while audio is buffered the attempts never end; after it was heard, they end after the patience")
    func patience() throws {
        let remote = ScriptedRemote(100)
        remote.failures = [0: Array(repeating: lost, count: 1000)]
        let source = try open(remote), start = clock.now
        let runsOut = start + 300
        var isStarved = false
        let starving = try RetryingSource(remote, policy: RetryPolicy(), monitor: monitor, clock: clock) { [clock, monitor] time in
            if time >= runsOut, !isStarved {
                isStarved = true
                monitor.setDemand(isCurrent: true, isNeeded: true, now: runsOut)
            }
            clock.advance(to: time)
            return true
        }
        let error = #expect(throws: PlaybackError.self) { try starving.rest() }
        #expect(error == lost)
        #expect(abs(clock.now - start - 360) <= 5)
        #expect(monitor.wait == nil)
        _ = source
    }

    @Test("an interrupt ends the wait")
    func interrupt() throws {
        let remote = ScriptedRemote(100)
        remote.failures = [0: [lost, lost]]
        let source = try open(remote) { _ in false }
        let error = #expect(throws: PlaybackError.self) { try source.rest() }
        #expect(error?.code == .cancelled)
    }

    @Test("an error that no attempt can heal is thrown at once: a changed medium is never spliced (R-NET-03)")
    func final() throws {
        let remote = ScriptedRemote(100)
        remote.failures = [50: [.changed]]
        let source = try open(remote)
        let error = #expect(throws: PlaybackError.self) { try source.rest() }
        #expect(error == .changed)
        #expect(remote.readOffsets == [0, 50])
    }

    @Test("a server that refuses four times is opened by the fifth attempt, a missing medium is not tried again")
    func opening() throws {
        monitor.setDemand(isCurrent: true, isNeeded: true, now: clock.now)
        let unavailable = PlaybackError(.network, "", underlying: .init(domain: "HTTP", code: 503, message: ""))
        let remote = ScriptedRemote(100), start = clock.now
        remote.openings = [unavailable, unavailable, unavailable, unavailable, nil]
        _ = try open(remote)
        #expect(remote.openCount == 5)
        #expect(abs(clock.now - start - 3.5) < 1e-6)

        let missing = ScriptedRemote(100)
        missing.openings = [PlaybackError(.fileNotFound, "", underlying: .init(domain: "HTTP", code: 404, message: ""))]
        let error = #expect(throws: PlaybackError.self) { try open(missing) }
        #expect(error?.code == .fileNotFound && missing.openCount == 1)
    }

    @Test("the opening of a medium that the user waits for fails after ten seconds, one that was opened ahead is tried until it is needed")
    func openingPatience() throws {
        let start = clock.now
        let wanted = ScriptedRemote(100)
        wanted.openings = Array(repeating: lost, count: 1000)
        monitor.setDemand(isCurrent: true, isNeeded: true, now: start)
        #expect(throws: PlaybackError.self) { try open(wanted) }
        #expect(abs(clock.now - start - 10) < 1e-6)

        let ahead = ScriptedRemote(100)
        ahead.openings = Array(repeating: lost, count: 30) + [nil]
        monitor.setDemand(isCurrent: false, isNeeded: false, now: clock.now)
        _ = try open(ahead)
        #expect(clock.now - start > 100)
    }

    @Test("a later part of a medium is tried as long as the medium itself, of a live stream for any time")
    func parts() throws {
        var start = clock.now
        let part = ScriptedRemote(100)
        part.openings = Array(repeating: lost, count: 1000)
        monitor.setDemand(isCurrent: true, isNeeded: true, now: start)
        #expect(throws: PlaybackError.self) { try open(part, isContinuation: true) }
        #expect(abs(clock.now - start - 60) < 1e-6)

        start = clock.now
        let live = ScriptedRemote(100)
        live.openings = Array(repeating: lost, count: 200) + [nil]
        _ = try open(live, isContinuation: true, isPartOfLive: true)
        #expect(clock.now - start > 200)

    }

    @Test("a part that is missing is not tried again; of a live stream it is tried for a moment, because it may be late", arguments: [false, true])
    func missingPart(_ isLive: Bool) throws {
        let missing = ScriptedRemote(100), error = PlaybackError(.fileNotFound, "", underlying: .init(domain: "HTTP", code: 404, message: ""))
        missing.openings = Array(repeating: error, count: 10)
        let start = clock.now
        #expect(throws: error) { try open(missing, isContinuation: true, isPartOfLive: isLive) }
        #expect(missing.openCount == (isLive ? 4 : 1) && abs(clock.now - start - (isLive ? 1.5 : 0)) < 1e-6)
    }

    @Test(
        "a live part whose rest the server no longer has is given up after a moment, and after ten seconds if it answers with another error",
        arguments: [(404, 1.5), (403, 1.5), (500, 10.5)])
    func goneLivePart(_ status: Int, _ time: Double) throws {
        let part = ScriptedRemote(100), error = PlaybackError(.network, "", underlying: .init(domain: "HTTP", code: status, message: ""))
        part.failures = [50: Array(repeating: error, count: 1000)]
        let source = try open(part, isContinuation: true, isPartOfLive: true), start = clock.now
        #expect(throws: error) { try source.rest() }
        #expect(abs(clock.now - start - time) < 1e-6)
    }

    @Test("the waiting time that a server requests is respected")
    func requested() throws {
        let remote = ScriptedRemote(100), start = clock.now
        remote.failures = [0: [PlaybackError(.network, "", underlying: .init(domain: "HTTP", code: 429, message: ""))]]
        remote.requestedDelay = 7
        #expect(try open(remote).rest() == remote.bytes)
        #expect(abs(clock.now - start - 7) < 1e-6)
    }

    @Test(
        "errors are classified by their cause; an invalid response is final",
        arguments: [
            (PlaybackError.connectionLost, RetryPolicy.Failure.unreachable), (.silent, .unreachable), (.changed, .final),
            (PlaybackError(.network, "malformed"), .final),
            (PlaybackError(.network, "", underlying: .init(domain: "HTTP", code: 503, message: "")), .status(503)),
            (PlaybackError(.permissionDenied, "", underlying: .init(domain: "HTTP", code: 403, message: "")), .status(403)),
            (PlaybackError(.network, "", underlying: .init(domain: "POSIX", code: -2, message: "")), .unknownName),
            (PlaybackError(.network, "", underlying: .init(domain: "POSIX", code: -3, message: "")), .unreachable),
            (PlaybackError(.network, "", reason: .certificateExpired, underlying: .init(domain: "libcurl", code: 60, message: "")), .final),
            (PlaybackError(.network, "", reason: .secureConnectionFailed, underlying: .init(domain: "libcurl", code: 35, message: "")), .unreachable),
            (PlaybackError(.busy, ""), .unreachable), (PlaybackError(.addressNotAllowed, ""), .final), (PlaybackError(.corruptMedia, ""), .final),
        ])
    func classes(_ error: PlaybackError, _ failure: RetryPolicy.Failure) { #expect(RetryPolicy.Failure(error) == failure) }
}

extension Double {
    fileprivate func rounded(toTenths: Void) -> Double { (self * 10).rounded() / 10 }
}
