extension Subscribers {
    /// The number of values that a subscriber is ready to receive.
    public struct Demand: Sendable, Hashable, Comparable, CustomStringConvertible {
        private let count: UInt

        public static let unlimited = Demand(count: .max)
        /// No values at present.
        public static let none = Demand(count: 0)
        /// `value` further values; not negative.
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "a demand must not be negative")
            return Demand(count: UInt(value))
        }

        /// The number of values; nil if unlimited.
        public var max: Int? { self == .unlimited ? nil : Int(count) }

        public static func < (a: Demand, b: Demand) -> Bool { a.count < b.count }

        /// A sum above `Int.max` is unlimited.
        public static func + (a: Demand, b: Demand) -> Demand {
            let (sum, overflow) = a.count.addingReportingOverflow(b.count)
            return overflow || sum > UInt(Int.max) ? .unlimited : Demand(count: sum)
        }
        public static func += (a: inout Demand, b: Demand) { a = a + b }
        public static func + (a: Demand, b: Int) -> Demand { a + .max(b) }
        public static func += (a: inout Demand, b: Int) { a = a + b }

        /// The difference is at least `none`; an unlimited demand stays unlimited.
        public static func - (a: Demand, b: Demand) -> Demand {
            a == .unlimited ? .unlimited : Demand(count: a.count - Swift.min(a.count, b.count))
        }
        public static func -= (a: inout Demand, b: Demand) { a = a - b }
        public static func - (a: Demand, b: Int) -> Demand { a - .max(b) }
        public static func -= (a: inout Demand, b: Int) { a = a - b }

        public static func == (a: Demand, b: Int) -> Bool { a.max == b }
        public static func > (a: Demand, b: Int) -> Bool { a.max.map { $0 > b } ?? true }
        public static func < (a: Demand, b: Int) -> Bool { a.max.map { $0 < b } ?? false }

        public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
    }
}
