import Platform
import PlaybackEngine

/// Reads the summaries of the media in listings, one file at a time on a thread of low priority, those of the newest listing first, and caches them.
/// A file that is not read within the time limit counts as one that cannot be read.
@MainActor final class MediaSummaryReader {
    /// The greatest number of files that wait; those of older listings are removed first.
    nonisolated static let maximumPending = 1000
    /// The greatest number of requests that wait; further ones are answered immediately.
    nonisolated static let maximumWaiters = 64
    /// The greatest number of cached summaries. A full cache loses an eighth of them, and the rest is still more than one listing has.
    nonisolated static let cachedCount = 16_384
    /// The time limit for one file, in seconds.
    nonisolated static let patience = 10.0

    /// A file of a listing, whose path contains no links.
    struct File: Sendable {
        var identity: FileIdentity
        var path: AbsolutePath
    }

    private struct Waiter {
        var missing: Set<FileIdentity>
        let continuation: CheckedContinuation<Void, Never>
    }

    private let opener: any MediaOpener
    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let runner: WaveformStore.Runner
    private var cache = RecentlyUsed<FileIdentity, MediaSummary>(maximumCount: cachedCount, maximumCost: 8 << 20)
    /// The files to read; the next one is the last element.
    private var pending: [File] = []
    private var reading: (interrupt: Interrupt, timer: any ScheduledAction)?
    private var waiters: [Int: Waiter] = [:]
    private var waiterCount = 0

    nonisolated init(opener: any MediaOpener, clock: any HostClock, scheduler: any MainScheduler, runner: WaveformStore.Runner? = nil) {
        self.opener = opener
        self.clock = clock
        self.scheduler = scheduler
        let queue = BackgroundQueue("library")
        self.runner = runner ?? { queue.async($0) }
    }

    func known(_ file: FileIdentity) -> MediaSummary? { cache[file] }

    /// The summaries that are known after at most `patience` seconds; the reading of the other files continues.
    func summaries(of files: [File], patience: Double) async -> [FileIdentity: MediaSummary] {
        let missing = files.filter { cache[$0.identity] == nil }
        if !missing.isEmpty {
            enqueue(missing)
            if patience > 0, waiters.count < Self.maximumWaiters { await wait(for: missing, atMost: patience) }
        }
        var found: [FileIdentity: MediaSummary] = [:]
        for file in files { found[file.identity] = cache[file.identity] }
        return found
    }

    /// Answers the waiting requests with what is known. A later call of `summaries` reads again.
    func close() {
        pending = []
        reading?.interrupt.raise()
        for number in Array(waiters.keys) { resume(number) }
    }

    private func enqueue(_ files: [File]) {
        let new = files.prefix(Self.maximumPending)
        let identities = Set(new.map(\.identity))
        let old = pending.filter { !identities.contains($0.identity) }.suffix(Self.maximumPending - new.count)
        pending = old + new.reversed()
        readNext()
    }

    private func wait(for files: [File], atMost seconds: Double) async {
        waiterCount += 1
        let number = waiterCount
        let timer = scheduler.schedule(at: clock.now + seconds) { [weak self] in self?.resume(number) }
        await withCheckedContinuation { waiters[number] = Waiter(missing: Set(files.map(\.identity)), continuation: $0) }
        timer.cancel()
    }

    private func resume(_ number: Int) { waiters.removeValue(forKey: number)?.continuation.resume() }

    private func readNext() {
        guard reading == nil, let file = pending.popLast() else { return }
        guard cache[file.identity] == nil else { return readNext() }
        let interrupt = Interrupt()
        reading = (interrupt, scheduler.schedule(at: clock.now + Self.patience) { interrupt.raise() })
        runner { [weak self, opener, scheduler] in
            let summary = Self.summary(of: file, opener, interrupt)
            scheduler.async { [weak self] in self?.accept(summary, of: file.identity) }
        }
    }

    private func accept(_ summary: MediaSummary, of file: FileIdentity) {
        cache.insert(summary, for: file, cost: summary.byteCount)
        reading?.timer.cancel()
        reading = nil
        for number in Array(waiters.keys) {
            waiters[number]?.missing.remove(file)
            if waiters[number]?.missing.isEmpty == true { resume(number) }
        }
        readNext()
    }

    private nonisolated static func summary(of file: File, _ opener: any MediaOpener, _ interrupt: Interrupt) -> MediaSummary {
        guard let info = try? opener.open(MediaLocator.source(file.path), interrupt: interrupt).info else { return MediaSummary() }
        return MediaSummary(info)
    }
}
