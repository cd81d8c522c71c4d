import Foundation
import Platform
import PlaybackEngine

/// The newest 100 periods of playing, and the newest 100 errors. A period ends with a pause, a seek or a change of item, but not with
/// a stall (R-LOG-01).
@Turn final class ItemLog {
    struct Period: Sendable {
        /// The date of the start, in seconds since 1970.
        var startDate: Double
        /// The position of the start, in seconds.
        var startOffset: Double
        /// The played media time, in seconds.
        var watched = 0.0
        var stallCount = 0
        /// The transfers since the opening, up to the end of the preceding period (`before`), and of this period (`after`; nil while it lasts).
        var before = TransferMeter.Reading()
        var after: TransferMeter.Reading?
    }
    struct Failure: Sendable {
        var date: Double
        var status: Int
        var domain: String
        var comment: String
        var serverAddress: String?
        /// Whether the failure only counts skipped corrupt packets, which do not end playback.
        var isSkip = false
    }

    /// The capacity for periods, and for errors.
    static let capacity = 100

    /// The identifier that all entries of the item share.
    nonisolated let sessionID = UUID().uuidString
    private(set) var periods: [Period] = []
    private(set) var failures: [Failure] = []
    private var isOpen = false
    private var flow: (since: HostTime, rate: Double)?
    private var loadBegan: HostTime?
    /// The time from the start of loading until the item was ready, in seconds.
    private(set) var startupTime: Double?

    nonisolated init() {}

    func loadBegan(at now: HostTime) { loadBegan = loadBegan ?? now }
    func becameReady(at now: HostTime) { if let loadBegan, startupTime == nil { startupTime = now - loadBegan } }

    /// Notes the rate from now on; 0 means that the media time stops. Returns whether a new period began.
    func moves(at rate: Double, now: HostTime, date: @autoclosure () -> Double, offset: @autoclosure () -> Double) -> Bool {
        settle(now)
        flow = rate == 0 ? nil : (now, abs(rate))
        guard rate != 0, !isOpen else { return false }
        isOpen = true
        periods.append(Period(startDate: date(), startOffset: offset(), before: periods.last?.after ?? TransferMeter.Reading()))
        if periods.count > Self.capacity { periods.removeFirst() }
        return true
    }

    func endPeriod(_ reading: TransferMeter.Reading, now: HostTime) {
        guard isOpen else { return }
        settle(now)
        flow = nil
        isOpen = false
        periods[periods.count - 1].after = reading
    }

    /// Counts a stall: media data did not arrive in time.
    func stalled() { if !periods.isEmpty { periods[periods.count - 1].stallCount += 1 } }

    /// Notes a failure. Returns false if it only updated the last entry.
    func note(_ failure: Failure) -> Bool {
        if failure.isSkip, failures.last?.isSkip == true {
            failures[failures.count - 1] = failure
            return false
        }
        failures.append(failure)
        if failures.count > Self.capacity { failures.removeFirst() }
        return true
    }

    /// Adds the media time played since the last call to the newest period.
    func settle(_ now: HostTime) {
        guard let flow, isOpen else { return }
        periods[periods.count - 1].watched += max(0, now - flow.since) * flow.rate
        self.flow = (now, flow.rate)
    }
}

/// The W3C extended log file format: the names of the fields, then one line per entry.
enum ExtendedLog {
    enum Value {
        case text(String?)
        case whole(Int64)
        case real(Double)
        case date(Date?)

        /// The value's text; a hyphen if unknown. Spaces, quotes, percent signs and non-printable bytes are percent-encoded, so that no
        /// value ends its field.
        var text: String {
            switch self {
            case .text(let text): text.map { $0.isEmpty ? "-" : ExtendedLog.encoded($0) } ?? "-"
            case .whole(let number): number < 0 ? "-" : String(number)
            case .real(let number): number < 0 || !number.isFinite ? "-" : String(number)
            case .date(let date): date.map { $0.formatted(.iso8601) } ?? "-"
            }
        }
    }

    static func data(_ names: [String], _ rows: [[Value]]) -> Data {
        var lines = ["#Version: 1.0", "#Fields: " + names.joined(separator: " ")]
        lines += rows.map { $0.map(\.text).joined(separator: " ") }
        return Data((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func encoded(_ text: String) -> String {
        PercentEncoding.encoded(text.utf8) { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "%") }
    }
}

/// Writes periods of playback to the current item's access log.
@Turn final class MovementLog {
    private var logged: (item: AVPlayerItem, rate: Double)?
    private nonisolated let environment: PlaybackEnvironment

    nonisolated init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// Called after a possible change of the rate at which media time advances. `isPaused`: the requested rate is 0.
    func update(_ item: AVPlayerItem?, rate: Double, isPaused: Bool) {
        if let former = logged?.item, former !== item {
            former.logPeriodEnded(environment)
            logged = nil
        }
        guard let item else { return }
        if logged?.rate ?? 0 != rate {
            item.logMovement(rate, environment)
            logged = (item, rate)
        }
        if isPaused { item.logPeriodEnded(environment) }
    }

    func positionJumped(in item: AVPlayerItem) {
        item.logPeriodEnded(environment)
        logged = nil
    }
}
