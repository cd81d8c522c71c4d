import Platform
import Testing

@Suite("Saturating conversion to 64 bits")
struct SaturatingTests {
    @Test("a value beyond the range saturates, and NaN becomes 0")
    func doubles() {
        #expect(Int64(saturating: 1e300) == .max)
        #expect(Int64(saturating: -.infinity) == .min)
        #expect(Int64(saturating: 0x1p63) == .max)
        #expect(Int64(saturating: .nan) == 0)
        #expect(Int64(saturating: -2.5) == -3)
    }

    @Test("a sum beyond the range saturates")
    func sums() {
        #expect(Int64.max.addingSaturating(1) == .max)
        #expect(Int64.min.addingSaturating(-1) == .min)
        #expect(Int64(-5).addingSaturating(3) == -2)
    }
}
