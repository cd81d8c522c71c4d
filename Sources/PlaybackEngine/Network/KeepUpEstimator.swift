/// Estimates whether playback of a remote medium will continue without a stall if it starts now (R-BUF-05, R-NET-08).
///
/// The buffer has to cover the deficit of the transfer: if τ seconds of media arrive in a second, and U seconds are missing, it needs U·(rate − τ)/τ
/// seconds and a margin, and more after each stall. The estimator is a value without a clock; its caller passes the counts of the transfer.
public struct KeepUpEstimator: Sendable, Hashable {
    /// The buffer of a remote medium, in seconds of media.
    public struct Buffer: Sendable, Hashable {
        /// The media that is decoded, or transferred and not yet decoded.
        public var ahead: Double
        /// The media that is not transferred; nil without a known end.
        public var missing: Double?
        /// The compressed bytes for each second of media.
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

    /// The least buffer before playback starts, in seconds at rate 1.
    public static let leastSeconds = 0.25
    /// The least buffer after the first stall, in seconds at rate 1; doubles with each further stall.
    public static let secondsAfterStall = 2.0
    /// The limit of this doubling, in seconds at rate 1.
    public static let mostSecondsAfterStalls = 30.0
    /// The safety factor of the computed need, because the speed of a transfer varies.
    private static let margin = 1.1
    /// The part of the buffer that does not protect from a stall, in seconds at rate 1: media arrives in blocks, and audio is sent to
    /// the output ahead.
    private static let reserve = 0.5
    /// The duration over which the speed is averaged, in seconds of transferring.
    private static let window = 4.0
    /// The bytes or seconds that a measurement needs; one of the two is enough.
    private static let smallestMeasurement = (bytes: 64_000.0, seconds: 0.5)

    /// Sets the total counts so far: bytes, and seconds of transferring.
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

    /// The speed of the transfer, in bytes per second; nil before enough was measured.
    public var speed: Double? {
        guard recent.seconds > 0, recent.bytes >= Self.smallestMeasurement.bytes || recent.seconds >= Self.smallestMeasurement.seconds else {
            return nil
        }
        return recent.bytes / recent.seconds
    }

    /// The buffer that playback needs, in seconds.
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
    /// - Parameter length: The length of the medium, in bytes.
    public func bytesPerSecond(length: Int64?) -> Double? {
        if let length, length > 0, let seconds = duration.seconds, seconds > 0 { return Double(length) / seconds }
        return bitRate.flatMap { $0 > 0 ? Double($0) / 8 : nil }
    }
}
