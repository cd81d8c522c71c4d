import Dispatch
import Glibc
import Synchronization
import Testing

@testable import PlaybackEngine

@Suite("Threads that open media")
struct OpeningThreadsTests {
    /// Opens that end when they are told to.
    private final class Gate: Sendable {
        let began = DispatchSemaphore(value: 0), release = DispatchSemaphore(value: 0)
        func open() {
            began.signal()
            release.wait()
        }
    }

    @Test("one that does not answer holds up no other")
    func independent() {
        let threads = OpeningThreads(limit: 4), slow = Gate(), ended = DispatchSemaphore(value: 0)
        threads.run { slow.open() }
        slow.began.wait()
        for _ in 0..<10 {
            threads.run { ended.signal() }
            ended.wait()
        }
        slow.release.signal()
        threads.stop()
    }

    @Test("no more than the limit run at once; the next one begins when one ends")
    func bounded() {
        let threads = OpeningThreads(limit: 2), gate = Gate(), running = Mutex((now: 0, most: 0))
        for _ in 0..<6 {
            threads.run {
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                gate.open()
                running.withLock { $0.now -= 1 }
            }
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

    @Test("stopping waits for what runs, drops what waits, and refuses what comes later")
    func stopping() {
        let threads = OpeningThreads(limit: 1), gate = Gate(), ran = Mutex(0)
        threads.run {
            gate.open()
            ran.withLock { $0 += 1 }
        }
        gate.began.wait()
        threads.run { ran.withLock { $0 += 100 } }
        let stopper = WorkerThread(name: "stopper") { threads.stop() }
        // While the first is blocked, only the stop can empty the queue.
        while threads.waitingCount > 0 { sched_yield() }
        gate.release.signal()
        stopper.join()
        threads.run { ran.withLock { $0 += 1000 } }
        threads.stop()
        #expect(ran.withLock { $0 } == 1)
    }

    /// Opens everything but `slow`, which blocks until the gate opens, whatever its interrupt says.
    private struct HalfBlockedOpener: MediaOpener {
        let gate: Gate
        func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
            guard case .file(let path) = source.location, path == "/slow" else { throw PlaybackError(.fileNotFound, "There is no such file.") }
            gate.open()
            throw PlaybackError(.cancelled, "It was cancelled.")
        }
    }

    @Test("an item that is slow to open does not keep the next one that is loaded from being opened")
    func engine() {
        let gate = Gate(), answered = DispatchSemaphore(value: 0), wanted = ItemID(rawValue: 2)
        let host = ThreadedEngineHost(makePitch: { _, format in WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount) })
        let engine = host.start(opener: HalfBlockedOpener(gate: gate), outputs: []) { event in
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
