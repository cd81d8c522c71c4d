/// The sample rate that the device is asked for. A sound server must permit it (PulseAudio's `avoid-resampling` and `alternate-sample-rate`,
/// PipeWire's `default.clock.allowed-rates`), and the device must play nothing else, so other programs are never interrupted.
public enum OutputRate: Sendable, Hashable {
    /// The rate of an item that does not follow another without a gap; an item that is joined is converted to the present rate (R-LNX-45).
    case automatic
    /// The rate of each item; between different rates there is a short silence (R-LNX-46).
    case item
    /// The device's own rate, to which each item is converted.
    case device
    /// One rate for all items, in frames per second.
    case fixed(Int)

    public static let fixedRates = AudioFormat.playableRates

    var fixed: Int? { if case .fixed(let rate) = self { rate } else { nil } }

    var asksDevice: Bool {
        switch self {
        case .automatic, .item: true
        case .device, .fixed: false
        }
    }
}

/// The choice of the sample rate for each output.
public struct OutputRates: Sendable, Hashable {
    /// The choice for outputs without their own.
    public var standard = OutputRate.automatic
    /// The choices by `OutputDescription.id`.
    public var byDevice: [String: OutputRate] = [:]

    public init(standard: OutputRate = .automatic, byDevice: [String: OutputRate] = [:]) {
        (self.standard, self.byDevice) = (standard, byDevice)
    }

    static let maximumDevices = 256

    /// Sets the choice of a device; nil means all devices without their own. Beyond `maximumDevices`, another device loses its choice.
    public mutating func set(_ rate: OutputRate, of device: String?) {
        guard let device else { return standard = rate }
        byDevice[device] = rate
        while byDevice.count > Self.maximumDevices, let other = byDevice.keys.first(where: { $0 != device }) { byDevice[other] = nil }
    }

    /// The choice for a device; `device` is nil while no output is open.
    public func rate(of device: String?) -> OutputRate { device.flatMap { byDevice[$0] } ?? standard }
}

extension OutputRate: LosslessStringConvertible {
    /// The text in the command line and in the remote API: `auto`, `item`, `device`, or frames per second.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .item: "item"
        case .device: "device"
        case .fixed(let rate): String(rate)
        }
    }

    public init?(_ description: String) {
        switch description {
        case "auto": self = .automatic
        case "item": self = .item
        case "device": self = .device
        default:
            guard description.utf8.count <= 6, let rate = Int(description), String(rate) == description, Self.fixedRates.contains(rate) else {
                return nil
            }
            self = .fixed(rate)
        }
    }
}
