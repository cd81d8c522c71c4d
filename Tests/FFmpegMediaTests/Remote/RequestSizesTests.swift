import Testing

@testable import FFmpegMedia

@Suite("The sizes of requests (R-NET-15)")
struct RequestSizesTests {
    /// The sizes for a link that has delivered a megabyte in a second.
    private let sizes: RequestSizes

    init() {
        var sizes = RequestSizes()
        for _ in 0..<10 { sizes.count(bytes: 100_000, seconds: 0.1) }
        self.sizes = sizes
    }

    @Test("the rest of a response over TLS is read if that takes at most 0.15 s")
    func secure() {
        #expect(sizes.allowsDraining(149_000, connecting: nil) && !sizes.allowsDraining(151_000, connecting: nil))
    }

    @Test(
        "without TLS a rest is read that takes at most twice the time of a connection, within limits",
        arguments: [(0, 16_384), (0.02, 40_000), (0.06, 120_000), (1, 150_000)])
    func plain(_ connecting: Double, _ limit: Int64) {
        #expect(sizes.allowsDraining(limit, connecting: connecting) && !sizes.allowsDraining(limit + 1000, connecting: connecting))
    }

    @Test("of a link that is not known a small rest is read")
    func unknown() {
        let sizes = RequestSizes()
        #expect(sizes.allowsDraining(16_384, connecting: nil) && !sizes.allowsDraining(16_385, connecting: nil))
    }
}
