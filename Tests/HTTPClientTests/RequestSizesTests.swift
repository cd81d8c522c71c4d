import Testing

@testable import HTTPClient

@Suite("The sizes of requests (R-NET-15)")
struct RequestSizesTests {
    /// The sizes for a link that has delivered a megabyte in a second.
    private let sizes: RequestSizes

    init() {
        var sizes = RequestSizes()
        for _ in 0..<10 { sizes.count(bytes: 100_000, seconds: 0.1) }
        self.sizes = sizes
    }

    @Test("announced bytes are forgotten after the reading has continued elsewhere")
    func left() {
        var sizes = RequestSizes()
        sizes.setNeeded(1000..<1010)
        sizes.begin(at: 1000)
        #expect(sizes.window(at: 1000) == 10)
        sizes.begin(at: 5000)
        sizes.begin(at: 1005)
        #expect(sizes.window(at: 1005) == RequestSizes.windows.lowerBound)
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

    @Test("a request in announced bytes asks for the rest of them, at most for 2 MiB, and one elsewhere for 128 KiB")
    func announced() {
        var sizes = RequestSizes()
        sizes.begin(at: 1_000_000)
        sizes.setNeeded(1_000_000..<1_010_000)
        #expect(sizes.window(at: 1_000_000) == 10_000 && sizes.window(at: 1_009_000) == 1000)
        #expect(sizes.window(at: 999_999) == 128 << 10 && sizes.window(at: 1_010_000) == 128 << 10)
        sizes.setNeeded(0..<1 << 40)
        #expect(sizes.window(at: 0) == 2 << 20)
        sizes.setNeeded(nil)
        #expect(sizes.window(at: 0) == 128 << 10)
    }

    @Test("the bytes of 0.15 s are read through instead of a request for the bytes after them, within limits")
    func gaps() {
        #expect(sizes.readThroughLimit == 150_000 && RequestSizes().readThroughLimit == 128 << 10)
        var fast = RequestSizes()
        fast.count(bytes: 1_000_000, seconds: 0.01)
        #expect(fast.readThroughLimit == 2 << 20)
    }

    @Test("of a link that is not known a small rest is read")
    func unknown() {
        let sizes = RequestSizes()
        #expect(sizes.allowsDraining(16_384, connecting: nil) && !sizes.allowsDraining(16_385, connecting: nil))
    }
}
