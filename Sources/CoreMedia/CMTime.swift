public typealias CMTimeScale = Int32
public typealias CMTimeValue = Int64
public typealias CMTimeEpoch = Int64
public struct CMTimeFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let valid = CMTimeFlags(rawValue: 1)
}
public struct CMTime: Sendable, Hashable {
    public var value: CMTimeValue
    public var timescale: CMTimeScale
    public var flags: CMTimeFlags
    public var epoch: CMTimeEpoch
    public init(value: CMTimeValue, timescale: CMTimeScale) { self.value = value; self.timescale = timescale; flags = .valid; epoch = 0 }
    public init() { value = 0; timescale = 0; flags = []; epoch = 0 }
    public static let zero = CMTime(value: 0, timescale: 1)
    public static let invalid = CMTime()
}
