import Foundation
import PlaybackEngine

/// What an item remembers of how it was played: its periods of playing and its errors, the newest hundred of each. Pure.
///
/// A period is uninterrupted (R-LOG-01): it begins when playing begins and ends with a pause, a seek or another item; a stall does not end it.
struct ItemLog {
    struct Period {
        /// Seconds since 1970.
        var startDate: Double
        /// Media seconds.
        var startOffset: Double
        /// Media seconds that were played.
        var watched = 0.0
        var stallCount = 0
        /// What the medium had cost when the period before ended, and when this one ended.
        var before = TransferMeter.Reading()
        var after: TransferMeter.Reading?
    }
    struct Failure {
        var date: Double
        var status: Int
        var domain: String
        var comment: String
        var serverAddress: String?
        /// Not an end: so many damaged packets in all were left out.
        var isSkip = false
    }

    /// More than anybody reads.
    static let capacity = 100

    /// Tells this item's entries from those of others.
    let sessionID = UUID().uuidString
    private(set) var periods: [Period] = []
    private(set) var failures: [Failure] = []
    private var isOpen = false
    private var flow: (since: HostTime, rate: Double)?
    private var loadBegan: HostTime?
    /// Seconds from the load to ready.
    private(set) var startupTime: Double?

    mutating func loadBegan(at now: HostTime) { loadBegan = loadBegan ?? now }
    mutating func becameReady(at now: HostTime) { if let loadBegan, startupTime == nil { startupTime = now - loadBegan } }

    /// Media time moves at `rate` from now on, 0 where it stands. True where a period began.
    mutating func moves(at rate: Double, now: HostTime, date: @autoclosure () -> Double, offset: @autoclosure () -> Double) -> Bool {
        settle(now)
        flow = rate == 0 ? nil : (now, abs(rate))
        guard rate != 0, !isOpen else { return false }
        isOpen = true
        periods.append(Period(startDate: date(), startOffset: offset(), before: periods.last?.after ?? TransferMeter.Reading()))
        if periods.count > Self.capacity { periods.removeFirst() }
        return true
    }

    /// The period is over.
    mutating func endPeriod(_ reading: TransferMeter.Reading, now: HostTime) {
        guard isOpen else { return }
        settle(now)
        flow = nil
        isOpen = false
        periods[periods.count - 1].after = reading
    }

    /// Media did not arrive in time.
    mutating func stalled() { if !periods.isEmpty { periods[periods.count - 1].stallCount += 1 } }

    /// Notes what went wrong. False where it only brings the last entry up to date.
    mutating func note(_ failure: Failure) -> Bool {
        if failure.isSkip, failures.last?.isSkip == true {
            failures[failures.count - 1] = failure
            return false
        }
        failures.append(failure)
        if failures.count > Self.capacity { failures.removeFirst() }
        return true
    }

    /// Counts what was played until now.
    mutating func settle(_ now: HostTime) {
        guard let flow, isOpen else { return }
        periods[periods.count - 1].watched += max(0, now - flow.since) * flow.rate
        self.flow = (now, flow.rate)
    }
}

/// W3C extended log file format: names of fields, then a line for each entry, its values apart by blanks.
enum ExtendedLog {
    enum Value {
        case text(String?)
        case whole(Int64)
        case real(Double)
        case date(Date?)

        /// What is not known is a hyphen. No value can break its line: blanks, quotes and control characters are percent-encoded.
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
        var result = ""
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7F, byte != 0x22, byte != 0x25 {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
