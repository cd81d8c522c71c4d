/// Estimates whether playback of a remote medium will continue without a stall if it starts now (R-BUF-05, R-NET-08).
///
/// Playback starts when the buffered audio covers the deficit of the transfer. If τ seconds of media are transferred in a second, and U seconds of
/// media are still missing, U·(rate − τ)/τ seconds of media have to be buffered, with a margin. After each stall, more has to be buffered before
/// playback continues. The estimator is a value without a clock, fed by the counts of the transfer.
public struct KeepUpEstimator: Sendable, Hashable {
    /// The buffer of a remote medium, in seconds of media.
    public struct Buffer: Sendable, Hashable {
        /// The seconds of media that are decoded, or transferred and not yet decoded.
        public var ahead: Double
        /// The seconds of media that have not been transferred; nil if the medium has no known end.
        public var missing: Double?
        /// The number of compressed bytes for each second of media; nil if unknown.
        public var bytesPerSecond: Double?
        public init(ahead: Double, missing: Double?, bytesPerSecond: Double?) {
            self.ahead = ahead
            self.missing = missing
            self.bytesPerSecond = bytesPerSecond
        }
    }

    private var last = (bytes: Int64(0), seconds: 0.0)
    private var recent = (bytes: 0.0, seconds: 0.0)
    /// The number of stalls of the item so far.
    public private(set) var stallCount = 0

    public init() {}

    public static func == (a: KeepUpEstimator, b: KeepUpEstimator) -> Bool {
        a.last == b.last && a.recent == b.recent && a.stallCount == b.stallCount
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(last.bytes)
        hasher.combine(stallCount)
    }

    /// The media that must be buffered before playback starts, in seconds at rate 1.
    public static let leastSeconds = 0.25
    /// The media that must be buffered after the first stall, in seconds at rate 1. The amount doubles with each further stall.
    public static let secondsAfterStall = 2.0
    /// The largest amount of media that must be buffered because of stalls alone, in seconds at rate 1, however many stalls there were.
    public static let mostSecondsAfterStalls = 30.0
    /// The factor by which the computed need is increased, because the speed of a transfer varies.
    private static let margin = 1.1
    /// The part of the buffered media that does not protect from a stall, in seconds at rate 1, because media arrives in blocks and the output is fed
    /// ahead. The computed need is increased by this part.
    private static let reserve = 0.5
    /// The time over which the speed of the transfer is measured, in seconds of transferring.
    private static let window = 4.0
    /// The least transfer from which a speed is computed: this number of bytes, or this number of seconds of transferring. One of the two is enough.
    private static let smallestMeasurement = (bytes: 64_000.0, seconds: 0.5)

    /// Takes the total counts of the transfer so far: bytes, and seconds of transferring.
    public mutating func count(bytes: Int64, seconds: Double) {
        guard bytes >= last.bytes, seconds >= last.seconds else { return last = (bytes, seconds) }
        recent.bytes += Double(bytes - last.bytes)
        recent.seconds += seconds - last.seconds
        last = (bytes, seconds)
        if recent.seconds > Self.window {
            recent = (recent.bytes * Self.window / recent.seconds, Self.window)
        }
    }

    /// Counts a stall, after which more is buffered before playback continues.
    public mutating func stalled() { stallCount += 1 }

    /// The speed of the transfer, in bytes per second; nil before enough was measured.
    public var speed: Double? {
        guard recent.seconds > 0, recent.bytes >= Self.smallestMeasurement.bytes || recent.seconds >= Self.smallestMeasurement.seconds else {
            return nil
        }
        return recent.bytes / recent.seconds
    }

    /// Returns the media that must be buffered before playback starts at `rate`, in seconds.
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

    /// Returns whether playback at `rate` will probably continue without a stall.
    public func isLikely(_ buffer: Buffer, rate: Double) -> Bool {
        if buffer.missing == 0, buffer.ahead >= Self.leastSeconds * max(1, abs(rate)) { return true }
        return buffer.ahead >= need(buffer, rate: rate)
    }
}

extension MediaInfo {
    /// Returns the number of compressed bytes for each second of the medium; nil if unknown.
    ///
    /// - Parameter length: The length of the medium, in bytes; nil if it is unknown.
    public func bytesPerSecond(length: Int64?) -> Double? {
        if let length, length > 0, let seconds = duration.seconds, seconds > 0 { return Double(length) / seconds }
        return bitRate.flatMap { $0 > 0 ? Double($0) / 8 : nil }
    }
}
