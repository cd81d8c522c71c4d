import Testing

@testable import Player

@Suite("MediaPositions") struct MediaPositionsTests {
    private func position(_ number: Int, _ time: Double? = 20, urlLength: Int = 8) -> MediaPosition {
        MediaPosition(url: Array(repeating: 0x61, count: urlLength) + Array("\(number)".utf8), time: time, duration: 1000)
    }

    @Test("beyond the largest number the oldest positions are removed, and a position that was remembered again is not among them")
    func number() {
        var positions = MediaPositions()
        for number in 0..<MediaPositions.maximumCount { #expect(positions.remember(position(number)).isEmpty) }
        #expect(positions.remember(position(0, 30)).isEmpty)
        let removed = positions.remember(position(-1)), time = positions[position(0).url]?.time
        #expect(removed.first == position(1).url && positions.count + removed.count == MediaPositions.maximumCount + 1)
        #expect(time == 30)
    }

    @Test("the URLs together are limited in bytes")
    func size() {
        var positions = MediaPositions()
        for number in 0..<1_000 { _ = positions.remember(position(number, urlLength: 8_000)) }
        #expect(positions.count < MediaPositions.maximumTextSize / 8_000 + 1)
        #expect(positions.count > 450)
    }

    @Test("a medium without a time is forgotten")
    func forgotten() {
        var positions = MediaPositions([position(1), position(2)])
        #expect(positions.remember(position(1, nil)) == [position(1).url])
        let gone = positions[position(1).url]
        #expect(gone == nil)
        #expect(positions.count == 1)
    }

    @Test("only long media are remembered, and not near their ends")
    func longMedia() {
        #expect(MediaPositions.position(url: "u", time: 100, duration: 599) == nil)
        #expect(MediaPositions.position(url: "u", time: 100, duration: 600)?.time == 100)
        for time in [0.0, 14.9, 585.1, 600] {
            let position = MediaPositions.position(url: "u", time: time, duration: 600)
            #expect(position != nil && position?.time == nil)
        }
    }
}
