import CFFmpeg
import PlaybackEngine

extension Demuxer {
    /// Of the played stream: in `samples`, or in FFmpeg's index.
    var indexCount: Int64 { samples?.tables.count ?? Int64(avformat_index_get_entries_count(stream)) }

    /// In the stream's time base.
    func indexedTime(_ number: Int64) -> Int64? {
        guard number >= 0, number < indexCount else { return nil }
        return samples?.tables.time(of: number) ?? avformat_index_get_entry(stream, Int32(number))?.pointee.timestamp
    }

    /// Nil also if the tables cannot be read.
    func indexed(_ number: Int64) -> (byte: Int64, size: Int64)? {
        guard number >= 0, number < indexCount else { return nil }
        if let samples { return (try? samples.sample(number)).map { ($0.byte, $0.size) } }
        return avformat_index_get_entry(stream, Int32(number)).map { ($0.pointee.pos, Int64($0.pointee.size)) }
    }

    /// Every packet but the last lasts at most `limit` ticks; false if the index is empty or too long.
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
