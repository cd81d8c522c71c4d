/// Estimates whether playback of a remote medium will continue without a stall if it starts now (R-BUF-05, R-NET-08).
///
/// The buffer has to cover the deficit of the transfer: if τ seconds of media arrive in a second, and U seconds are missing, U·(rate − τ)/τ seconds,
/// with a margin; after each stall more. A value without a clock, fed by the counts of the transfer.
public struct KeepUpEstimator: Sendable, Hashable {
    /// Of a remote medium, in seconds of media.
    public struct Buffer: Sendable, Hashable {
        /// Decoded, or transferred and not yet decoded.
        public var ahead: Double
        /// Not transferred; nil without a known end.
        public var missing: Double?
        /// Compressed bytes.
        public var bytesPerSecond: Double?
        public init(ahead: Double, missing: Double?, bytesPerSecond: Double?) {
            self.ahead = ahead
            self.missing = missing
            self.bytesPerSecond = bytesPerSecond
        }
    }

    private var last = (bytes: Int64(0), seconds: 0.0)
    private var recent = (bytes: 0.0, seconds: 0.0)
    public private(set) var stallCount = 0

    public init() {}

    public static func == (a: KeepUpEstimator, b: KeepUpEstimator) -> Bool {
        a.last == b.last && a.recent == b.recent && a.stallCount == b.stallCount
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(last.bytes)
        hasher.combine(stallCount)
    }

    /// Buffered before playback starts, in seconds at rate 1.
    public static let leastSeconds = 0.25
    /// After the first stall, at rate 1; doubles with each further one.
    public static let secondsAfterStall = 2.0
    /// The limit of this doubling, at rate 1.
    public static let mostSecondsAfterStalls = 30.0
    /// The speed of a transfer varies.
    private static let margin = 1.1
    /// What does not protect from a stall, in seconds at rate 1: media arrives in blocks and the output is fed ahead.
    private static let reserve = 0.5
    /// In seconds of transferring.
    private static let window = 4.0
    /// One of the two is enough.
    private static let smallestMeasurement = (bytes: 64_000.0, seconds: 0.5)

    /// Total counts so far; seconds of transferring.
    public mutating func count(bytes: Int64, seconds: Double) {
        guard bytes >= last.bytes, seconds >= last.seconds else { return last = (bytes, seconds) }
        recent.bytes += Double(bytes - last.bytes)
        recent.seconds += seconds - last.seconds
        last = (bytes, seconds)
        if recent.seconds > Self.window {
            recent = (recent.bytes * Self.window / recent.seconds, Self.window)
        }
    }

    public mutating func stalled() { stallCount += 1 }

    /// In bytes per second; nil before enough was measured.
    public var speed: Double? {
        guard recent.seconds > 0, recent.bytes >= Self.smallestMeasurement.bytes || recent.seconds >= Self.smallestMeasurement.seconds else {
            return nil
        }
        return recent.bytes / recent.seconds
    }

    /// In seconds.
    public func need(_ buffer: Buffer, rate: Double) -> Double {
        let rate = max(1e-3, abs(rate))
        var need = Self.leastSeconds * max(1, rate)
        if stallCount > 0 {
            let more = Self.secondsAfterStall * Double(1 << min(stallCount - 1, 8))
            need = max(need, min(more, Self.mostSecondsAfterStalls) * max(1, rate))
        }
        guard let missing = buffer.missing, missing > 0, let speed, let size = buffer.bytesPerSecond, size > 0 else { return need }
        let delivered = speed / size
        guard delivered < rate else { return need }
        guard delivered > 0 else { return .infinity }
        return max(need, missing * (rate - delivered) / delivered * Self.margin + Self.reserve * rate)
    }

    public func isLikely(_ buffer: Buffer, rate: Double) -> Bool {
        if buffer.missing == 0, buffer.ahead >= Self.leastSeconds * max(1, abs(rate)) { return true }
        return buffer.ahead >= need(buffer, rate: rate)
    }
}

extension MediaInfo {
    /// - Parameter length: In bytes.
    public func bytesPerSecond(length: Int64?) -> Double? {
        if let length, length > 0, let seconds = duration.seconds, seconds > 0 { return Double(length) / seconds }
        return bitRate.flatMap { $0 > 0 ? Double($0) / 8 : nil }
    }
}
