import Dispatch
import Glibc
import Platform
import PlaybackTesting
import Synchronization
import Testing

@testable import PlaybackEngine

@Suite("Threads that open media")
struct OpeningThreadsTests {
    /// Blocks the opening of a medium until the test releases it.
    private final class Gate: Sendable {
        let began = DispatchSemaphore(value: 0), release = DispatchSemaphore(value: 0)
        func open() {
            began.signal()
            release.wait()
        }
    }

    /// A media opener whose `open` calls a function of the test.
    private struct CallingOpener: MediaOpener {
        let body: @Sendable () -> Void
        func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
            body()
            throw PlaybackError(.unsupportedFormat, "There is nothing in it.")
        }
    }

    private static func opening(
        _ kind: Opening.Kind = .remote, interrupt: Interrupt = Interrupt(), answer: @escaping @Sendable (PlaybackError.Code?) -> Void = { _ in },
        _ body: @escaping @Sendable () -> Void
    ) -> Opening {
        let source = MediaSource(kind == .file ? .file(path: "/medium") : .remote(url: "http://server/medium"))
        return Opening(source, interrupt: interrupt, opener: CallingOpener(body: body)) { outcome in
            if case .failure(let error) = outcome.result { answer(error.code) } else { answer(nil) }
        }
    }

    @Test("an open that hangs does not delay others")
    func independent() {
        let threads = OpeningThreads(limit: 4), slow = Gate(), ended = DispatchSemaphore(value: 0)
        threads.run(Self.opening { slow.open() })
        slow.began.wait()
        for _ in 0..<10 {
            threads.run(Self.opening { ended.signal() })
            ended.wait()
        }
        slow.release.signal()
        threads.stop()
    }

    @Test("opens run up to the limit; the next begins when one ends")
    func bounded() {
        let threads = OpeningThreads(limit: 2), gate = Gate(), running = Mutex((now: 0, most: 0))
        for _ in 0..<6 {
            threads.run(
                Self.opening {
                    running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    gate.open()
                    running.withLock { $0.now -= 1 }
                })
        }
        for _ in 0..<2 { gate.began.wait() }
        for _ in 0..<4 {
            gate.release.signal()
            gate.began.wait()
        }
        for _ in 0..<2 { gate.release.signal() }
        threads.stop()
        #expect(running.withLock { $0.most } == 2)
        #expect(running.withLock { $0.now } == 0)
    }

    @Test("stop waits for running opens, drops waiting ones, and refuses later ones")
    func stopping() {
        let threads = OpeningThreads(limit: 1), gate = Gate(), ran = Mutex(0)
        threads.run(
            Self.opening {
                gate.open()
                ran.withLock { $0 += 1 }
            })
        gate.began.wait()
        threads.run(Self.opening { ran.withLock { $0 += 100 } })
        let stopper = WorkerThread(name: "stopper") { threads.stop() }
        // The only thread is blocked by the first opening. So the queue of waiting openings becomes empty only because `stop` removes them.
        #expect(waitUntil { threads.waitingCount == 0 })
        gate.release.signal()
        stopper.join()
        threads.run(Self.opening { ran.withLock { $0 += 1000 } })
        threads.stop()
        #expect(ran.withLock { $0 } == 1)
    }

    @Test("files are opened while all places for remote media are taken by opens that hang")
    func filesBesideRemoteMedia() {
        let threads = OpeningThreads(limit: 2), gate = Gate(), opened = DispatchSemaphore(value: 0)
        for _ in 0..<2 { threads.run(Self.opening { gate.open() }) }
        for _ in 0..<2 { gate.began.wait() }
        threads.run(Self.opening { opened.signal() })
        #expect(threads.waitingCount == 1)
        threads.run(Self.opening(.file) { opened.signal() })
        opened.wait()
        #expect(threads.waitingCount == 1)
        for _ in 0..<2 { gate.release.signal() }
        opened.wait()
        threads.stop()
    }

    @Test("an abandoned open is not run, leaves the queue, and is answered as cancelled")
    func left() {
        let threads = OpeningThreads(limit: 1), gate = Gate(), answers = Mutex<[PlaybackError.Code?]>([]), ran = Mutex(0)
        threads.run(Self.opening { gate.open() })
        gate.began.wait()
        // Begins many openings one after the other, and abandons each.
        for _ in 0..<500 {
            let interrupt = Interrupt()
            threads.run(
                Self.opening(interrupt: interrupt, answer: { code in answers.withLock { $0.append(code) } }) { ran.withLock { $0 += 1 } })
            interrupt.raise()
            #expect(threads.waitingCount == 1)
        }
        #expect(answers.withLock { $0 } == Array(repeating: .cancelled, count: 499))
        gate.release.signal()
        // The last opening was abandoned too, and must be skipped. So the opening that is requested now is the next one that runs.
        let opened = DispatchSemaphore(value: 0)
        threads.run(Self.opening { opened.signal() })
        opened.wait()
        threads.stop()
        #expect(ran.withLock { $0 } == 0)
    }

    @Test("if the system cannot create a thread, an open waits for a running one, and is refused if none runs")
    func noThread() {
        let hasThreads = Mutex(true), gate = Gate(), answers = Mutex<[PlaybackError.Code?]>([]), answered = DispatchSemaphore(value: 0)
        let threads = OpeningThreads(limit: 4) { name, body throws(SystemError) in
            guard hasThreads.withLock({ $0 }) else { throw SystemError(operation: "pthread_create", code: 11) }
            return try WorkerThread(starting: name, body: body)
        }
        let note: @Sendable (PlaybackError.Code?) -> Void = { code in
            answers.withLock { $0.append(code) }
            answered.signal()
        }
        threads.run(Self.opening(answer: note) { gate.open() })
        gate.began.wait()
        hasThreads.withLock { $0 = false }
        threads.run(Self.opening(answer: note) {})
        #expect(threads.waitingCount == 1)
        threads.run(Self.opening(.file, answer: note) {})
        #expect(answers.withLock { $0 } == [.busy])
        gate.release.signal()
        for _ in 0..<3 { answered.wait() }
        #expect(answers.withLock { $0 } == [.busy, .unsupportedFormat, .unsupportedFormat])
        threads.stop()
    }

    /// A media opener that blocks for the path `slow` until the test releases the gate, and ignores interrupts. Every other opening fails at once.
    private struct HalfBlockedOpener: MediaOpener {
        let gate: Gate
        func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
            guard case .file(let path) = source.location, path == "/slow" else { throw PlaybackError(.fileNotFound, "There is no such file.") }
            gate.open()
            throw PlaybackError(.cancelled, "It was cancelled.")
        }
    }

    @Test("an item that is removed while it is opened and then added again does not fail by its first open")
    func listedAgain() {
        let rig = EngineRig(["a": .init(frames: 5000), "b": .init(frames: 5000, base: 1_000_000)])
        let first = ItemID(rawValue: 1), next = [EngineRig.request(2, "b")]
        rig.send(.load(EngineRig.request(1, "a")))
        rig.engine.holdOpens()
        rig.send(.setUpcoming(next, after: first))
        rig.send(.setUpcoming([], after: first))
        rig.send(.setUpcoming(next, after: first), .setRunning(true))
        rig.engine.releaseOpens()
        rig.engine.settle()
        #expect(rig.opener.openedPaths == ["a", "b"])
        #expect(rig.play(frames: 20_000).map { Int($0.value) } == Array(0..<5000) + Array(1_000_000..<1_005_000))
        #expect(!rig.takeEvents().contains { if case .failed = $0 { true } else { false } })
    }

    @Test("an item that is slow to open does not delay the next item loaded")
    func engine() {
        let gate = Gate(), answered = DispatchSemaphore(value: 0), wanted = ItemID(rawValue: 2)
        let host = ThreadedEngineHost(makePitch: { _, format in WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount) })
        let engine = host.start(opener: HalfBlockedOpener(gate: gate), output: nil) { event in
            if case .failed(let item, _) = event, item == wanted { answered.signal() }
        }
        engine.post(.load(LoadRequest(item: ItemID(rawValue: 1), source: MediaSource(.file(path: "/slow")))))
        gate.began.wait()
        engine.post(.load(LoadRequest(item: wanted, source: MediaSource(.file(path: "/none")))))
        answered.wait()
        gate.release.signal()
        engine.shutDown()
    }
}
