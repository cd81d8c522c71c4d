import PlaybackEngine

@testable import FFmpegMedia

/// A source of one channel with a given length, whose samples are a function of their positions. It records the position that was read last.
final class FunctionSource: SampleSource {
    let format: AudioFormat
    let count: Int64
    private let sample: (Int64) -> Float
    private(set) var position: Int64 = 0

    init(sampleRate: Int, count: Int64, sample: @escaping (_ position: Int64) -> Float) {
        format = AudioFormat(sampleRate: sampleRate, channelLayout: .mono)
        self.count = count
        self.sample = sample
    }

    var duration: MediaDuration { .exact(frames: count, sampleRate: format.sampleRate) }
    var skippedPackets: Int { 0 }
    var isSeekable: Bool { true }
    func measure() {}
    /// Uses `while`, because in debug builds a loop over a range takes ten times as long.
    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) -> Int {
        let taken = Int(min(Int64(capacity), count - position))
        var index = 0
        while index < taken {
            output[index] = sample(position + Int64(index))
            index += 1
        }
        position += Int64(taken)
        return taken
    }
    func seek(to target: Int64, before: Int64, after: Int64) -> Int64 {
        position = min(target, count)
        return position
    }
}
