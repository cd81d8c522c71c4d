import CoreMedia

/// The four fields of a time, for tests that compare fields and not times.
struct Fields: Equatable, CustomStringConvertible {
    var value: Int64
    var scale: Int32
    var flags: UInt32
    var epoch: Int64

    init(_ value: Int64, _ scale: Int32, f flags: UInt32 = 1, e epoch: Int64 = 0) {
        self.value = value
        self.scale = scale
        self.flags = flags
        self.epoch = epoch
    }

    init(_ time: CMTime) { self.init(time.value, time.timescale, f: time.flags.rawValue, e: time.epoch) }

    var time: CMTime { CMTime(value: value, timescale: scale, flags: CMTimeFlags(rawValue: flags), epoch: epoch) }
    var description: String { "\(value)/\(scale) f\(flags) e\(epoch)" }

    static let invalid = Fields(0, 0, f: 0)
    static let positiveInfinity = Fields(0, 0, f: 5)
    static let negativeInfinity = Fields(0, 0, f: 9)
    static let indefinite = Fields(0, 0, f: 17)
}

/// Makes a time with the flag `valid`, whatever its value and scale are.
func t(_ value: Int64, _ scale: Int32, e epoch: Int64 = 0) -> CMTime { CMTime(value: value, timescale: scale, flags: .valid, epoch: epoch) }

func range(_ start: CMTime, _ duration: CMTime) -> CMTimeRange { CMTimeRange(start: start, duration: duration) }
