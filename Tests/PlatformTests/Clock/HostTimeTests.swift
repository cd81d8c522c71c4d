import Platform
import Testing

@Suite("Host time")
struct HostTimeTests {
    @Test("a host time beyond the range of the clock saturates")
    func range() {
        let now = HostTime(nanoseconds: 5_000_000_000)
        #expect((now + 1e300).nanoseconds == .max)
        #expect((HostTime(nanoseconds: -5) + -1e300).nanoseconds == .min)
        #expect(HostTime(seconds: 1e12).nanoseconds == .max)
        #expect((now + 1.5) - now == 1.5)
        #expect(HostTime(nanoseconds: .min) - HostTime(nanoseconds: .max) == Double(Int64.min) / 1e9)
    }
}
