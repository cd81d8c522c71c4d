import PlaybackEngine
import Synchronization

/// The sample rate converters of closed media, kept for the next medium with the same formats: computing the filters takes 1.5 ms (44.1 to 48 kHz) to
/// 190 ms (11.025 to 384 kHz).
final class IdleConverters: Sendable {
    /// What determines the filters and the mix of channels.
    struct Key: Hashable {
        let input: AudioFormat
        let output: AudioFormat
        let quality: Resampler
    }

    private struct Entry: @unchecked Sendable {
        let key: Key
        /// Nothing else points to it while it is idle, so any thread may use or free it.
        let converter: OpaquePointer
    }

    /// Enough for queues that alternate between two sample rates.
    static let shared = IdleConverters(limit: 3)

    private let limit: Int
    private let entries = Mutex<[Entry]>([])

    /// - Parameter limit: The converter that has been idle for longest is freed. Filters take at most 8 MB, usually 0.2 to 0.6.
    init(limit: Int) { self.limit = limit }

    deinit { entries.withLock { $0 }.forEach { _ = SwrHandle(owning: $0.converter) } }

    /// Must be reset before use, and is added again afterwards.
    func take(_ key: Key) -> SwrHandle? {
        let entry = entries.withLock { entries in entries.lastIndex { $0.key == key }.map { entries.remove(at: $0) } }
        return entry.map { SwrHandle(owning: $0.converter, lentBy: self, for: key) }
    }

    /// Takes ownership.
    func add(_ converter: OpaquePointer, for key: Key) {
        let entry = Entry(key: key, converter: converter)
        let oldest = entries.withLock { entries in
            entries.append(entry)
            return entries.count > limit ? entries.removeFirst() : nil
        }
        if let oldest { _ = SwrHandle(owning: oldest.converter) }
    }
}
