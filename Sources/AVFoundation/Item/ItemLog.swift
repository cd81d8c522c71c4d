import Foundation
import Platform
import PlaybackEngine

/// The history of an item's playback: its periods of playing and its errors, the newest 100 of each.
///
/// A period is uninterrupted (R-LOG-01): it starts with playing, and ends with a pause, a seek or a change of item. A stall does not end a period.
@MainActor final class ItemLog {
    struct Period {
        /// The start of the period, in seconds since 1970.
        var startDate: Double
        /// The media time at the start of the period, in seconds.
        var startOffset: Double
        /// The media time that was played in the period, in seconds.
        var watched = 0.0
        var stallCount = 0
        /// The total transfer figures of the medium: `before` at the end of the preceding period, `after` at the end of this period.
        var before = TransferMeter.Reading()
        var after: TransferMeter.Reading?
    }
    struct Failure {
        var date: Double
        var status: Int
        var domain: String
        var comment: String
        var serverAddress: String?
        /// Whether the entry only counts skipped damaged packets, which do not end playback.
        var isSkip = false
    }

    /// The capacity of the list of periods and of the list of errors, in entries.
    static let capacity = 100

    /// The identifier that all entries of this item share.
    let sessionID = UUID().uuidString
    private(set) var periods: [Period] = []
    private(set) var failures: [Failure] = []
    private var isOpen = false
    private var flow: (since: HostTime, rate: Double)?
    private var loadBegan: HostTime?
    /// The time from the start of loading until the item was ready, in seconds; nil if it is not known.
    private(set) var startupTime: Double?

    func loadBegan(at now: HostTime) { loadBegan = loadBegan ?? now }
    func becameReady(at now: HostTime) { if let loadBegan, startupTime == nil { startupTime = now - loadBegan } }

    /// Records that media time advances at `rate` from now on. A rate of 0 means that the media time stops. Returns whether a new period began.
    func moves(at rate: Double, now: HostTime, date: @autoclosure () -> Double, offset: @autoclosure () -> Double) -> Bool {
        settle(now)
        flow = rate == 0 ? nil : (now, abs(rate))
        guard rate != 0, !isOpen else { return false }
        isOpen = true
        periods.append(Period(startDate: date(), startOffset: offset(), before: periods.last?.after ?? TransferMeter.Reading()))
        if periods.count > Self.capacity { periods.removeFirst() }
        return true
    }

    /// Ends the current period.
    func endPeriod(_ reading: TransferMeter.Reading, now: HostTime) {
        guard isOpen else { return }
        settle(now)
        flow = nil
        isOpen = false
        periods[periods.count - 1].after = reading
    }

    /// Counts a stall: media did not arrive in time.
    func stalled() { if !periods.isEmpty { periods[periods.count - 1].stallCount += 1 } }

    /// Records an error. Returns false if the error only updated the last entry.
    func note(_ failure: Failure) -> Bool {
        if failure.isSkip, failures.last?.isSkip == true {
            failures[failures.count - 1] = failure
            return false
        }
        failures.append(failure)
        if failures.count > Self.capacity { failures.removeFirst() }
        return true
    }

    /// Adds the media time that was played since the last call of this function to the current period.
    func settle(_ now: HostTime) {
        guard let flow, isOpen else { return }
        periods[periods.count - 1].watched += max(0, now - flow.since) * flow.rate
        self.flow = (now, flow.rate)
    }
}

/// The W3C extended log file format: the names of the fields, then one line per entry, with its values separated by spaces.
enum ExtendedLog {
    enum Value {
        case text(String?)
        case whole(Int64)
        case real(Double)
        case date(Date?)

        /// The text of the value; a hyphen if it is unknown. Spaces, quotes, percent signs and non-printable bytes are percent-encoded, so that no
        /// value breaks its line.
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
