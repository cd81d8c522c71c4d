import AVFoundation
import CLinux
import Dispatch
import Platform
import PlaybackEngine
import Player

/// The C library's heap, for a program that runs for months. By default each thread has its own heap. After a large block (up to 32 MiB) was freed,
/// further blocks of up to its size come from a heap: the memory of one large medium would stay, between small blocks that live longer.
enum Heap {
    /// The number of heaps, which all threads share.
    private static let count: Int32 = 2
    /// The size, in bytes, from which a block is mapped separately, and unmapped when freed. So much free memory at a heap's end is returned too.
    private static let largeBlock: Int32 = 128 << 10

    /// Configures the heaps (`mallopt(3)`). Called before another thread starts.
    static func returnFreedMemory() {
        mallopt(M_ARENA_MAX, count)
        // The C library raises the threshold of mapping by itself, unless it is set explicitly.
        mallopt(M_MMAP_THRESHOLD, largeBlock)
        mallopt(M_TRIM_THRESHOLD, largeBlock)
    }
}

/// Returns free memory to the kernel (`malloc_trim(3)`) after changes of the player's state, because each medium leaves some free memory between
/// blocks that live longer.
@MainActor final class MemoryTrimmer {
    /// The delay of the return of memory, in seconds. All changes within this time lead to one return.
    private static let delay = 10.0

    private var observation: ObservationToken?
    private var trimming: (any ScheduledAction)?

    func observe(_ player: PlaylistPlayer) {
        let environment = PlaybackEnvironment.default
        observation = player.observe { [weak self] in
            guard case .state = $0, let self, trimming == nil else { return }
            trimming = environment.scheduler.schedule(at: environment.clock.now + Self.delay) { [weak self] in
                self?.trimming = nil
                // The call takes some milliseconds, so it does not run on the main queue.
                DispatchQueue.global(qos: .utility).async { malloc_trim(0) }
            }
        }
    }

    /// Ends the observation, and cancels the scheduled return of memory.
    func stop() {
        observation?.cancel()
        trimming?.cancel()
    }
}
