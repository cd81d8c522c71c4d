import Synchronization

/// The sampling of MPEG audio or ADTS on a server, which has no index: frames at many offsets show the length of the audio, and the approximate byte
/// offset of each position (R-SEEK-25). Any thread may use it.
///
/// The sampling has rounds. A round divides the audio into parts of equal size, and examines a window of bytes in the middle of each part. If the bit
/// rates of the parts differ so much that the length is still uncertain, the next round divides each part into three; the middle one of these has
/// been examined already.
final class RateSampling: Sendable {
    private struct State {
        /// The number of samples per byte in the window of each part; nil if its bytes have not arrived.
        var densities: [Double?]
        /// The newest estimate that may be used; nil if there is none, or if `takeEstimate` has returned it.
        var estimate: ByteEstimate?
        /// Whether the last round is complete.
        var isOver = false
    }
    private let bytes: Range<Int64>
    private let isADTS: Bool
    private let sampleRate: Int
    private let state: Mutex<State>

    /// The size of a window, in bytes.
    private static let windowSize: Int64 = 12_288
    /// The number of parts of the first round, and the largest number of parts.
    private static let parts = 4...324
    /// The divisor that limits the windows: all windows of a round together have at most the size of the audio, divided by this.
    private static let largestShare = 8
    /// The standard error of the length, as a share of it, at which the sampling ends.
    private static let wantedError = 0.005
    /// The largest standard error at which the estimate of a round is used although another round follows. A less certain estimate could be worse
    /// than the one that it would replace.
    private static let usefulError = 0.04

    /// Returns nil if the audio is too short: the windows of the first round must be at most an eighth of it.
    ///
    /// - Parameters:
    ///   - bytes: The byte offsets of the audio in the medium.
    ///   - sampleRate: The sample rate of the decoded audio, in Hz.
    init?(_ bytes: Range<Int64>, isADTS: Bool, sampleRate: Int) {
        guard bytes.lowerBound >= 0, RateSampling.parts.lowerBound <= RateSampling.mostParts(bytes) else { return nil }
        self.bytes = bytes
        self.isADTS = isADTS
        self.sampleRate = sampleRate
        state = Mutex(State(densities: Array(repeating: nil, count: RateSampling.parts.lowerBound)))
    }

    /// The windows of the present round whose bytes have not arrived.
    var windows: [Range<Int64>] { state.withLock { windows($0) } }
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Returns the newest estimate that may be used; nil if it was returned before, or if there is none. The estimate of the last round may always be
    /// used, that of an earlier round only up to `usefulError`.
    func takeEstimate() -> ByteEstimate? {
        state.withLock { state in
            defer { state.estimate = nil }
            return state.estimate
        }
    }

    /// Examines the bytes of a window. Returns nil while windows of the round are missing; after the last of them, the windows of the next round, or
    /// an empty list if no round follows. Bytes that belong to no missing window are ignored, and `windows` is returned.
    func examine(_ excerpt: Excerpt) -> [Range<Int64>]? {
        // A window without frames counts as 0 samples, because it is not audio, but a tag, a picture or damage.
        let density = excerpt.bytes.withUnsafeBufferPointer { RawStreamEstimate.density($0, isADTS: isADTS, sampleRate: sampleRate) } ?? 0
        return state.withLock { state in
            let count = state.densities.count
            guard !state.isOver,
                let part = state.densities.indices.first(where: { state.densities[$0] == nil && window($0, of: count).lowerBound == excerpt.offset })
            else { return windows(state) }
            state.densities[part] = density
            let round = state.densities.compactMap(\.self)
            guard round.count == count else { return nil }
            let error = RateSampling.error(of: round)
            state.isOver = error <= RateSampling.wantedError || error == .infinity || 3 * count > RateSampling.mostParts(bytes)
            if state.isOver || error <= RateSampling.usefulError { state.estimate = ByteEstimate(densities: round, bytes: bytes) }
            if !state.isOver { state.densities = round.flatMap { [nil, $0, nil] } }
            return windows(state)
        }
    }

    private func windows(_ state: State) -> [Range<Int64>] {
        state.isOver ? [] : state.densities.indices.filter { state.densities[$0] == nil }.map { window($0, of: state.densities.count) }
    }

    private func window(_ part: Int, of count: Int) -> Range<Int64> {
        // The share is a fraction, so that no product of a stated length can overflow.
        let middle = Double(2 * part + 1) / Double(2 * count)
        let start = bytes.lowerBound + Int64(bounded: Double(bytes.count) * middle) - RateSampling.windowSize / 2
        return start..<(start + RateSampling.windowSize)
    }

    private static func mostParts(_ bytes: Range<Int64>) -> Int {
        min(parts.upperBound, Int(clamping: Int64(bytes.count) / windowSize) / largestShare)
    }

    /// The standard error of the mean of `densities`, as a share of the mean; infinite if no part has frames.
    private static func error(of densities: [Double]) -> Double {
        let count = Double(densities.count), mean = densities.reduce(0, +) / count
        guard mean > 0 else { return .infinity }
        let squares = densities.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / (count - 1) / count).squareRoot() / mean
    }
}
