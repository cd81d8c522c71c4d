import CFFmpeg
import PlaybackEngine

extension Demuxer {
    /// The number of packets in the container's index of the played stream: in its sample tables if `samples` reads them, otherwise in FFmpeg's
    /// index.
    var indexCount: Int64 { samples?.tables.count ?? Int64(avformat_index_get_entries_count(stream)) }

    /// Returns the time of an entry of the container's index, in the stream's time base; nil if there is no such entry.
    func indexedTime(_ number: Int64) -> Int64? {
        guard number >= 0, number < indexCount else { return nil }
        return samples?.tables.time(of: number) ?? avformat_index_get_entry(stream, Int32(number))?.pointee.timestamp
    }

    /// Returns the byte offset and the size of the packet that an entry of the container's index describes; nil if there is no such entry, or if the
    /// tables cannot be read.
    func indexed(_ number: Int64) -> (byte: Int64, size: Int64)? {
        guard number >= 0, number < indexCount else { return nil }
        if let samples { return (try? samples.sample(number)).map { ($0.byte, $0.size) } }
        return avformat_index_get_entry(stream, Int32(number)).map { ($0.pointee.pos, Int64($0.pointee.size)) }
    }

    /// Returns whether, by the container's index, every packet except the last one lasts at most `limit` ticks of the stream's time base; false if
    /// the index is empty, or too long to be examined.
    func isIndexDense(limit: Int64) -> Bool {
        if let samples { return samples.tables.longestDuration <= limit }
        guard indexCount <= SampleTables.threshold * 2, var last = indexedTime(0) else { return false }
        for number in 1..<max(1, indexCount) {
            guard let time = indexedTime(number), time &- last <= limit else { return false }
            last = time
        }
        return true
    }
}
