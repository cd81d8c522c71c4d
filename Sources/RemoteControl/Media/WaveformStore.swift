import Platform
import PlaybackEngine
import Player

/// Computes the waveforms of items on a thread of low priority, and caches the latest.
///
/// The analyses take turns of half a second, so that a book of three days does not delay a song. A request is answered when the waveform is complete,
/// or with the part that is known when its waiting time ends. An analysis ends if its item leaves the queue, or if no request asks for it for
/// `interest` seconds, or for `repetition` seconds after its last waiting client has left.
@MainActor final class WaveformStore {
    /// The greatest number of cached waveforms, and of analyses in progress.
    nonisolated static let capacity = 16
    nonisolated static let maximumPending = 4
    /// The time after which an analysis ends if no request asks for it, in seconds.
    nonisolated static let interest = 120.0
    /// The time within which another client that is interested repeats its request, in seconds.
    nonisolated static let repetition = 5.0

    /// Runs blocking work on another thread, in the order of the calls.
    typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void
    typealias Progress = WaveformAnalysis.Progress
    typealias Answer = Result<Progress, Problem>

    private struct Job {
        let analysis: WaveformAnalysis
        var progress: Progress?
        var waiters: [Int: CheckedContinuation<Answer?, Never>] = [:]
        /// The timer that cancels the analysis if no request asks for it.
        var expiry: (any ScheduledAction)?
        var hasExpired = false
    }

    private let opener: any MediaOpener
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let runner: Runner
    private var known = RecentlyUsed<String, Progress>(maximumCount: capacity)
    private var jobs: [String: Job] = [:]
    private var waiterCount = 0

    nonisolated init(opener: any MediaOpener, clock: any HostClock, scheduler: any MainScheduler, runner: Runner? = nil) {
        self.opener = opener
        self.clock = clock
        self.scheduler = scheduler
        let queue = BackgroundQueue("waveforms")
        self.runner = runner ?? { queue.async($0) }
    }

    /// The part of the waveform that is known after at most `patience` seconds. Throws if the item cannot have a waveform, if too many are in
    /// progress, or if nothing is known yet.
    func waveform(of id: String, source: MediaSource, patience: Double) async throws(Problem) -> Progress {
        if let found = known[id] { return found }
        if jobs[id] == nil { try begin(id, source) }
        extendInterest(id)
        waiterCount += 1
        let number = waiterCount
        let timer = scheduler.schedule(at: clock.now + patience) { [weak self] in
            guard let self else { return }
            jobs[id]?.waiters.removeValue(forKey: number)?.resume(returning: jobs[id]?.progress.map { .success($0) })
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { jobs[id]?.waiters[number] = $0 }
        } onCancel: { [weak self, scheduler] in
            scheduler.async { [weak self] in self?.leave(id, number) }
        }
        timer.cancel()
        guard let answer else {
            var problem = Problem(.waveformNotReady, "The waveform is being computed. Repeat the request.")
            problem.retryAfter = 1
            throw problem
        }
        return try answer.get()
    }

    /// Cancels the analyses of items that are gone, and removes their waveforms from the cache.
    func forget(_ isGone: (String) -> Bool) {
        for (id, job) in jobs where isGone(id) { job.analysis.cancel() }
        known.remove(where: isGone)
    }

    private func begin(_ id: String, _ source: MediaSource) throws(Problem) {
        guard case .file = source.location else { throw Problem(.noWaveform, "Only files on the server's machine have waveforms.") }
        guard jobs.count < Self.maximumPending else {
            var problem = Problem(.tooManyRequests, "Too many waveforms are being computed.")
            problem.retryAfter = 5
            throw problem
        }
        let analysis = WaveformAnalysis(source, opener: opener, clock: clock)
        jobs[id] = Job(analysis: analysis)
        advance(id, analysis)
    }

    private func advance(_ id: String, _ analysis: WaveformAnalysis) {
        runner { [weak self, scheduler] in
            let answer = analysis.step()
            scheduler.async { [weak self] in self?.accept(answer, of: id, analysis) }
        }
    }

    private func accept(_ answer: Answer, of id: String, _ analysis: WaveformAnalysis) {
        if case .success(let progress) = answer, !progress.isComplete, !analysis.isCancelled {
            jobs[id]?.progress = progress
            return advance(id, analysis)
        }
        guard let job = jobs.removeValue(forKey: id) else { return }
        job.expiry?.cancel()
        let isCancelled = analysis.isCancelled
        if case .success(let progress) = answer, !isCancelled {
            known.insert(progress, for: id)
        }
        // If the analysis ended because no request asked for it, the item still exists. The answer nil becomes `waveformNotReady`, so that clients
        // that have asked since repeat their request.
        let final: Answer? = job.hasExpired ? nil : isCancelled ? .failure(WaveformAnalysis.cancelled) : answer
        for (_, waiter) in job.waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: final) }
    }

    /// Ends the wait of a client that has disconnected.
    private func leave(_ id: String, _ number: Int) {
        guard let waiter = jobs[id]?.waiters.removeValue(forKey: number) else { return }
        waiter.resume(returning: nil)
        if jobs[id]?.waiters.isEmpty == true { extendInterest(id, by: Self.repetition) }
    }

    /// Cancels the analysis after `seconds` seconds without a request. A request that still waits prevents this too.
    private func extendInterest(_ id: String, by seconds: Double = interest) {
        jobs[id]?.expiry?.cancel()
        jobs[id]?.expiry = scheduler.schedule(at: clock.now + seconds) { [weak self] in
            guard let self, let job = jobs[id] else { return }
            guard job.waiters.isEmpty else { return extendInterest(id) }
            jobs[id]?.hasExpired = true
            job.analysis.cancel()
        }
    }
}
