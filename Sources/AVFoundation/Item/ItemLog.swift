import Foundation
import Platform
import PlaybackEngine

/// The history of an item's playback: the newest 100 periods of playing, and the newest 100 errors.
///
/// A period of playing starts when playback starts, and ends with a pause, a seek or a change of item (R-LOG-01). A stall does not end a period of
/// playing.
@MainActor final class ItemLog {
    struct Period {
        /// The start of the period of playing, in seconds since 1970.
        var startDate: Double
        /// The media time at the start of the period of playing, in seconds.
        var startOffset: Double
        /// The duration of media that was played in the period, in seconds of media time.
        var watched = 0.0
        var stallCount = 0
        /// The transfer figures of the medium since its opening: `before` at the end of the preceding period of playing, and `after` at the end of
        /// this period. `after` is nil while the period lasts.
        var before = TransferMeter.Reading()
        var after: TransferMeter.Reading?
    }
    struct Failure {
        var date: Double
        var status: Int
        var domain: String
        var comment: String
        var serverAddress: String?
        /// Whether the log entry only counts skipped corrupt packets, which do not end playback.
        var isSkip = false
    }

    /// The capacity of the list of periods and of the list of errors, in entries.
    static let capacity = 100

    /// The identifier of the playback session, which all log entries of the item share.
    let sessionID = UUID().uuidString
    private(set) var periods: [Period] = []
    private(set) var failures: [Failure] = []
    private var isOpen = false
    private var flow: (since: HostTime, rate: Double)?
    private var loadBegan: HostTime?
    /// The time from the start of loading the item until the item was ready, in seconds; nil if this time is not known.
    private(set) var startupTime: Double?

    func loadBegan(at now: HostTime) { loadBegan = loadBegan ?? now }
    func becameReady(at now: HostTime) { if let loadBegan, startupTime == nil { startupTime = now - loadBegan } }

    /// Records that the item's media time advances at `rate` after this call. A rate of 0 means that the media time stops. Returns whether a new
    /// period of playing began.
    func moves(at rate: Double, now: HostTime, date: @autoclosure () -> Double, offset: @autoclosure () -> Double) -> Bool {
        settle(now)
        flow = rate == 0 ? nil : (now, abs(rate))
        guard rate != 0, !isOpen else { return false }
        isOpen = true
        periods.append(Period(startDate: date(), startOffset: offset(), before: periods.last?.after ?? TransferMeter.Reading()))
        if periods.count > Self.capacity { periods.removeFirst() }
        return true
    }

    /// Ends the current period of playing.
    func endPeriod(_ reading: TransferMeter.Reading, now: HostTime) {
        guard isOpen else { return }
        settle(now)
        flow = nil
        isOpen = false
        periods[periods.count - 1].after = reading
    }

    /// Counts a stall: media data did not arrive in time.
    func stalled() { if !periods.isEmpty { periods[periods.count - 1].stallCount += 1 } }

    /// Records an error of the item. Returns false if the error only updated the last entry of the error log.
    func note(_ failure: Failure) -> Bool {
        if failure.isSkip, failures.last?.isSkip == true {
            failures[failures.count - 1] = failure
            return false
        }
        failures.append(failure)
        if failures.count > Self.capacity { failures.removeFirst() }
        return true
    }

    /// Adds the media time that was played since the last call of `settle` to the current period of playing.
    func settle(_ now: HostTime) {
        guard let flow, isOpen else { return }
        periods[periods.count - 1].watched += max(0, now - flow.since) * flow.rate
        self.flow = (now, flow.rate)
    }
}

/// The W3C extended log file format: the names of the fields, then one line per entry, with the values of the fields separated by spaces.
enum ExtendedLog {
    enum Value {
        case text(String?)
        case whole(Int64)
        case real(Double)
        case date(Date?)

        /// The text of a log value; a hyphen if the value is unknown. Spaces, quotes, percent signs and non-printable bytes are percent-encoded, so
        /// that no value contains a space or ends its line.
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
