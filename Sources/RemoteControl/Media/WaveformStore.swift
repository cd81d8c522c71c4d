import Dispatch
import Platform
import PlaybackEngine
import Playlist

/// Computes the waveforms of items, one at a time on a queue of its own, and caches the latest waveforms. Main actor.
///
/// A request waits for its waveform only for a limited time. The computation continues, so that a later request finds the result. If an item leaves
/// the playlist, the computation of its waveform is cancelled.
@MainActor final class WaveformStore {
    /// The maximum number of cached waveforms (`capacity`), and of waveforms that are being computed or wait for their computation
    /// (`maximumPending`).
    nonisolated static let capacity = 24
    nonisolated static let maximumPending = 8
    /// The maximum time that a request waits for its waveform, in seconds.
    nonisolated static let patience = 30.0
    /// The maximum duration, in seconds, of a medium whose waveform is computed.
    nonisolated static let maximumDuration = 12 * 3600.0

    /// A function that runs work, which may block, in the order of its calls, on another thread.
    typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void
    typealias Answer = Result<Waveform, Problem>

    private struct Job {
        let interrupt: Interrupt
        var waiters: [Int: CheckedContinuation<Answer?, Never>] = [:]
    }

    private let opener: any MediaOpener
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let runner: Runner
    private var known: [String: Waveform] = [:]
    /// The ids of the items whose waveforms are cached. The most recently used one is the last.
    private var order: [String] = []
    private var jobs: [String: Job] = [:]
    private var waiterCount = 0

    nonisolated init(opener: any MediaOpener, clock: any HostClock, scheduler: any MainScheduler, runner: Runner? = nil) {
        self.opener = opener
        self.clock = clock
        self.scheduler = scheduler
        let queue = DispatchQueue(label: "tonearm.waveforms", qos: .utility)
        self.runner = runner ?? { work in queue.async(execute: work) }
    }

    /// Returns the waveform of an item. Throws if the item can have none, if too many waveforms are pending, or if the waveform is not ready within
    /// `patience`.
    func waveform(of id: String, source: MediaSource) async throws(Problem) -> Waveform {
        if let found = known[id] {
            order.removeAll { $0 == id }
            order.append(id)
            return found
        }
        if jobs[id] == nil { try begin(id, source) }
        waiterCount += 1
        let number = waiterCount
        let timer = scheduler.schedule(at: clock.now + Self.patience) { [weak self] in
            self?.jobs[id]?.waiters.removeValue(forKey: number)?.resume(returning: nil)
        }
        let answer = await withCheckedContinuation { jobs[id]?.waiters[number] = $0 }
        timer.cancel()
        guard let answer else {
            var problem = Problem(.waveformNotReady, "The waveform is being computed. Repeat the request.")
            problem.retryAfter = 5
            throw problem
        }
        return try answer.get()
    }

    /// Cancels the computation of waveforms of items for which `isGone` returns true, and removes their waveforms from the cache.
    func forget(_ isGone: (String) -> Bool) {
        for (id, job) in jobs where isGone(id) { job.interrupt.raise() }
        for id in order where isGone(id) { known[id] = nil }
        order.removeAll { known[$0] == nil }
    }

    private func begin(_ id: String, _ source: MediaSource) throws(Problem) {
        guard case .file = source.location else { throw Problem(.noWaveform, "Only files on the server's machine have waveforms.") }
        guard jobs.count < Self.maximumPending else {
            var problem = Problem(.tooManyRequests, "Too many waveforms are being computed.")
            problem.retryAfter = 5
            throw problem
        }
        let interrupt = Interrupt()
        jobs[id] = Job(interrupt: interrupt)
        let (opener, scheduler) = (opener, scheduler)
        runner {
            let answer = Self.make(source, opener, interrupt)
            scheduler.async { [weak self] in self?.finish(id, answer) }
        }
    }

    private nonisolated static func make(_ source: MediaSource, _ opener: any MediaOpener, _ interrupt: Interrupt) -> Answer {
        do throws(PlaybackError) {
            guard !interrupt.isRaised else { throw PlaybackError(.cancelled, "The waveform was cancelled.") }
            let reader = try opener.open(source, interrupt: interrupt)
            let limit = Int64(maximumDuration * Double(reader.info.format.sampleRate))
            guard !reader.info.isLive, let waveform = try Waveform(reader, interrupt: interrupt, limit: limit) else {
                return .failure(
                    Problem(.noWaveform, "The item has no known end, or is longer than \(JSONWriter.text(maximumDuration / 3600)) hours."))
            }
            return .success(waveform)
        } catch {
            if error.code == .cancelled { return .failure(Problem(.itemNotFound, "The item has been removed.")) }
            return .failure(Problem(PlayerState.Failure(code: error.code, message: error.message)))
        }
    }

    private func finish(_ id: String, _ answer: Answer) {
        guard let job = jobs.removeValue(forKey: id) else { return }
        if case .success(let waveform) = answer, !job.interrupt.isRaised {
            known[id] = waveform
            order.append(id)
            if order.count > Self.capacity { known[order.removeFirst()] = nil }
        }
        for (_, waiter) in job.waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: answer) }
    }
}
