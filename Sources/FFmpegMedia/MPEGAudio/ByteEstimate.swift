/// The estimated byte offsets of positions in MPEG audio or ADTS: from the table of a Xing or VBRI tag, or else proportional to the position.
struct ByteEstimate: Equatable {
    /// Shares of the audio's bytes at equal intervals of its length, the first one 0 and the last one 1, in increasing order.
    private let shares: [Double]
    /// The byte offset of the first frame, and that after the last one.
    private let bytes: Range<Int64>
    /// The length of the audio, in frames.
    let frames: Int64

    /// - Parameters:
    ///   - shares: The shares of the audio's bytes. Shares that do not increase from 0 to 1 are replaced by equal ones.
    ///   - bytes: The byte offsets of the audio in the medium.
    ///   - frames: The length of the audio, in frames; at least 1.
    init(shares: [Double] = [], bytes: Range<Int64>, frames: Int64) {
        let isValid = shares.count >= 2 && shares.first == 0 && shares.last == 1 && zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 }
        self.shares = isValid ? shares : [0, 1]
        self.bytes = bytes
        self.frames = max(1, frames)
    }

    /// Returns the estimated byte offset of `position`, in frames from the first frame of the audio.
    func offset(of position: Int64) -> Int64 {
        let place = min(1, max(0, Double(position) / Double(frames))) * Double(shares.count - 1)
        let index = min(shares.count - 2, Int(place))
        let share = shares[index] + (shares[index + 1] - shares[index]) * (place - Double(index))
        return bytes.lowerBound + Int64(bounded: share * Double(bytes.count))
    }
}
