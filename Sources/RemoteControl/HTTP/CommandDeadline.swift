import Platform

/// The field `Tonearm-Not-After`: the time on the server's clock after which a change must not be carried out, because its client has told the user
/// by then that it failed.
struct CommandDeadline: Sendable {
    /// In seconds.
    static let times = 0.0...1e9
    static let rule = "Tonearm-Not-After must be one number of seconds on the server's clock, from 0 to 1000000000."

    private let time: Double
    private let clock: any HostClock

    /// Nil without the field.
    init?(_ fields: RequestFields, clock: any HostClock) throws(Problem) {
        guard let text = fields.notAfter.first else { return nil }
        let isNumber = text.utf8.count <= 32 && text.utf8.allSatisfy { $0.isASCIIDigit || ".eE+-".utf8.contains($0) }
        guard fields.notAfter.count == 1, isNumber, let time = Double(text), Self.times.contains(time) else {
            throw Problem(.malformedRequest, Self.rule)
        }
        (self.time, self.clock) = (time, clock)
    }

    /// Called in the turn, or the work of a queue, in which the change is carried out.
    func check() throws(Problem) {
        guard clock.now.seconds <= time else { throw Problem(.commandExpired, "The request came too late, and was not carried out.") }
    }
}
