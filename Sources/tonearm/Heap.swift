import AVFoundation
import CLinux
import Dispatch
import Platform
import PlaybackEngine
import Player

/// The C library's heap, for a program that runs for months. By default each thread has its own heap, and after a large block (up to 32 MiB) was
/// freed, blocks of up to its size come from a heap: the memory of one large medium would stay, between small blocks that live longer.
enum Heap {
    /// The number of heaps, which all threads share.
    private static let count: Int32 = 2
    /// In bytes. A larger block is mapped separately, and unmapped when freed; so much free memory at the end of a heap is returned too.
    private static let largeBlock: Int32 = 128 << 10

    /// Configures the heaps (`mallopt(3)`). Called before another thread starts.
    static func returnFreedMemory() {
        mallopt(M_ARENA_MAX, count)
        // If it is set explicitly, the C library does not raise it.
        mallopt(M_MMAP_THRESHOLD, largeBlock)
        mallopt(M_TRIM_THRESHOLD, largeBlock)
    }
}

/// Returns free memory to the kernel (`malloc_trim(3)`) after changes of the player's state, because each medium leaves some between blocks that
/// live longer.
@MainActor final class MemoryTrimmer {
    /// In seconds. All changes within it lead to one return of memory.
    private static let delay = 10.0

    private var observation: ObservationToken?
    private var trimming: (any ScheduledAction)?

    func observe(_ player: PlaylistPlayer) {
        let environment = PlaybackEnvironment.default
        observation = player.observe { [weak self] in
            guard case .state = $0, let self, trimming == nil else { return }
            trimming = environment.scheduler.schedule(at: environment.clock.now + Self.delay) { [weak self] in
                self?.trimming = nil
                // This takes some milliseconds.
                DispatchQueue.global(qos: .utility).async { malloc_trim(0) }
            }
        }
    }

    /// Ends the observation, and cancels the scheduled return.
    func stop() {
        observation?.cancel()
        trimming?.cancel()
    }
}
