/// How the sample rate of an output is chosen, and which rate the device is asked for.
///
/// A device can take the rate of an item if its sound server permits this (PulseAudio's `avoid-resampling` and `alternate-sample-rate`, PipeWire's
/// `default.clock.allowed-rates`). The device must play nothing else at that time, so other programs are never interrupted.
public enum OutputRate: Sendable, Hashable {
    /// The device is asked for the rate of an item that does not follow another item without a gap: the first item, and an item that was loaded or to
    /// which the user has skipped. An item that is joined to another item without a gap is converted to the present rate (R-LNX-45).
    case automatic
    /// The device is asked for the rate of each item. Between two items of different rates there is a short silence (R-LNX-46).
    case item
    /// The device keeps its rate, and each item is converted to it.
    case device
    /// All items are converted to this rate, in frames per second.
    case fixed(Int)

    /// The fixed rates that are accepted.
    public static let fixedRates = AudioFormat.playableRates

    var fixed: Int? { if case .fixed(let rate) = self { rate } else { nil } }

    /// Whether the device may be asked for the rate of an item.
    var asksDevice: Bool {
        switch self {
        case .automatic, .item: true
        case .device, .fixed: false
        }
    }
}

/// The choice of the sample rate for each output.
public struct OutputRates: Sendable, Hashable {
    /// The choice for outputs without one of their own.
    public var standard = OutputRate.automatic
    /// The choices for single outputs, by the identifier of the device (`OutputDescription.id`).
    public var byDevice: [String: OutputRate] = [:]

    public init(standard: OutputRate = .automatic, byDevice: [String: OutputRate] = [:]) {
        (self.standard, self.byDevice) = (standard, byDevice)
    }

    /// The maximum number of devices with a choice of their own.
    static let maximumDevices = 256

    /// Sets the choice for a device; if `device` is nil, for all devices without a choice of their own. If more than `maximumDevices` devices have a
    /// choice, the choice of another device is removed.
    public mutating func set(_ rate: OutputRate, of device: String?) {
        guard let device else { return standard = rate }
        byDevice[device] = rate
        while byDevice.count > Self.maximumDevices, let other = byDevice.keys.first(where: { $0 != device }) { byDevice[other] = nil }
    }

    /// Returns the choice for an output; `device` is nil while no output is open.
    public func rate(of device: String?) -> OutputRate { device.flatMap { byDevice[$0] } ?? standard }
}

extension OutputRate: LosslessStringConvertible {
    /// The word of the command line and of the remote contract: `auto`, `item`, `device`, or the rate in frames per second.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .item: "item"
        case .device: "device"
        case .fixed(let rate): String(rate)
        }
    }

    /// Parses a word; nil if it is none of the words, or a rate that is not accepted.
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
