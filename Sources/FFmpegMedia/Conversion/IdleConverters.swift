import PlaybackEngine
import Synchronization

/// Converters whose media are closed. The next medium with the same formats gets such a converter with its filters, because the computation of the
/// filters takes between 1.5 ms (44.1 to 48 kHz) and 190 ms (11.025 to 384 kHz).
final class IdleConverters: Sendable {
    /// The formats and the quality of a converter, which determine its filters and its mix of channels.
    struct Key: Hashable {
        let input: AudioFormat
        let output: AudioFormat
        let quality: Resampler
    }

    private struct Entry: @unchecked Sendable {
        let key: Key
        /// Nobody else has the converter while it is idle, so that any thread may use or free it.
        let converter: OpaquePointer
    }

    /// The converters of all media of the process. Three converters serve queues that alternate between two sample rates.
    static let shared = IdleConverters(limit: 3)

    private let limit: Int
    private let entries = Mutex<[Entry]>([])

    /// - Parameter limit: The maximum number of idle converters. If a further one is added, the one that has been idle for the longest time is freed.
    ///   The filters of a converter take at most 8 MB, those of the usual sample rates 0.2 to 0.6 MB.
    init(limit: Int) { self.limit = limit }

    deinit { entries.withLock { $0 }.forEach { _ = SwrHandle(owning: $0.converter) } }

    /// Removes a converter, and returns it; nil if there is none for `key`. The converter must be reset before it is used.
    func take(_ key: Key) -> SwrHandle? {
        let entry = entries.withLock { entries in entries.lastIndex { $0.key == key }.map { entries.remove(at: $0) } }
        return entry.map { SwrHandle(owning: $0.converter, lentBy: self, for: key) }
    }

    /// Adds a converter, and owns it from then on.
    func add(_ converter: OpaquePointer, for key: Key) {
        let entry = Entry(key: key, converter: converter)
        let oldest = entries.withLock { entries in
            entries.append(entry)
            return entries.count > limit ? entries.removeFirst() : nil
        }
        if let oldest { _ = SwrHandle(owning: oldest.converter) }
    }
}
