import PlaybackEngine
import Synchronization

/// The sample rate converters of closed media, kept for the next medium with the same formats. The filters of a converter are kept with it, because
/// computing them takes between 1.5 ms (44.1 to 48 kHz) and 190 ms (11.025 to 384 kHz).
final class IdleConverters: Sendable {
    /// The formats and the quality of a converter, which determine its filters and its mix of channels.
    struct Key: Hashable {
        let input: AudioFormat
        let output: AudioFormat
        let quality: Resampler
    }

    private struct Entry: @unchecked Sendable {
        let key: Key
        /// The converter. Nothing else has a pointer to it while it is idle, so that any thread may use or free it.
        let converter: OpaquePointer
    }

    /// The idle converters of the process. Three are enough for queues that alternate between two sample rates.
    static let shared = IdleConverters(limit: 3)

    private let limit: Int
    private let entries = Mutex<[Entry]>([])

    /// - Parameter limit: The maximum number of idle converters. If more are added, the one that has been idle for the longest time is freed. The
    ///   filters of a converter take at most 8 MB; those of the usual sample rates take 0.2 to 0.6 MB.
    init(limit: Int) { self.limit = limit }

    deinit { entries.withLock { $0 }.forEach { _ = SwrHandle(owning: $0.converter) } }

    /// Removes and returns a converter for `key`; nil if there is none. It must be reset before use. At the end of its use it is added again.
    func take(_ key: Key) -> SwrHandle? {
        let entry = entries.withLock { entries in entries.lastIndex { $0.key == key }.map { entries.remove(at: $0) } }
        return entry.map { SwrHandle(owning: $0.converter, lentBy: self, for: key) }
    }

    /// Adds a converter, and takes ownership of it.
    func add(_ converter: OpaquePointer, for key: Key) {
        let entry = Entry(key: key, converter: converter)
        let oldest = entries.withLock { entries in
            entries.append(entry)
            return entries.count > limit ? entries.removeFirst() : nil
        }
        if let oldest { _ = SwrHandle(owning: oldest.converter) }
    }
}
