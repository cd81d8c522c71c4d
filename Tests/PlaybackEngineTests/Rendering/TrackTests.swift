import Testing

@testable import PlaybackEngine

@Suite("The decoded audio around the cursor")
struct TrackTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)

    /// Returns a block of one channel, in which all samples have the same value.
    private func block(at position: Int64, _ count: Int, _ value: Float = 1) -> AudioBlock {
        AudioBlock(position: position, frameCount: count, channelCount: 1) { $0.initialize(repeating: value) }
    }

    /// Returns a track with 200 frames of item a in two blocks, which is the whole item, and with the first 100 frames of item b.
    private func track() -> Track {
        let track = Track()
        let elements: [FeedElement] = [
            .start(a, position: 0), .block(a, block(at: 0, 100)), .block(a, block(at: 100, 100)), .end(a, position: 200), .start(b, position: 0),
            .block(b, block(at: 0, 100, 0.5)),
        ]
        for element in elements { track.append(element) }
        return track
    }

    /// Returns the samples of the track's blocks from its cursor (the next frame to render) on.
    private func rest(of track: Track) -> [Float] {
        var samples: [Float] = []
        while let element = track.next {
            if case .block(_, let block) = element { samples += block.samples[track.offset...] }
            track.skip()
        }
        return samples
    }

    @Test("the frames ahead are counted, and a consumed block moves the cursor to the next element")
    func consumes() {
        let track = track()
        #expect(track.framesAhead == 300)
        track.skip()
        track.consume(40)
        #expect(track.framesAhead == 260 && track.offset == 40)
        track.consume(60)
        #expect(track.framesAhead == 200 && track.offset == 0)
        let next = if case .block(_, let block)? = track.next { block.position } else { Int64(-1) }
        #expect(next == 100)
    }

    @Test("a rewind reaches every position that is kept, and refuses others")
    func rewinds() {
        let track = track()
        for _ in 0..<4 { track.skip() }
        #expect(track.rewind(to: a, position: 130))
        #expect(track.offset == 30 && track.framesAhead == 170)
        for _ in 0..<3 { track.skip() }
        track.consume(60)
        track.trim(before: b, position: 50)
        #expect(!track.rewind(to: a, position: 130))
        #expect(track.offset == 60 && track.framesAhead == 40, "nothing has changed")
    }

    @Test("the audio after an item can be discarded, and the result is whether some of it was rendered")
    func truncates() {
        let early = track()
        #expect(!early.truncate(after: a))
        #expect(early.framesAhead == 200 && early.continuation(isReverse: false)?.position == nil)
        let late = track()
        for _ in 0..<5 { late.skip() }
        late.consume(1)
        #expect(late.truncate(after: a))
        #expect(late.framesAhead == 0)
    }

    @Test("reading continues after the last block, or before it at a negative rate")
    func continues() throws {
        let forwards = try #require(track().continuation(isReverse: false))
        #expect(forwards.item == b && forwards.position == 100)
        let backwards = try #require(track().continuation(isReverse: true))
        #expect(backwards.item == b && backwards.position == 0)
    }

    @Test("a crossfade shortens both items by the overlap, at equal power, and is undone when other items follow")
    func crossfades() throws {
        let track = track()
        let end = try #require(track.end(of: a))
        #expect(end.position == 200 && end.framesBefore == 200 && end.next?.frames == 100 && end.next?.hasEnd == false)
        track.crossfade(from: a, frames: 50, gain: 1)
        #expect(track.isCrossfaded(from: a) && track.isCrossfaded(into: b))
        #expect(track.framesAhead == 250)
        let samples = rest(of: track)
        #expect(Array(samples.prefix(150)) == Array(repeating: 1, count: 150))
        #expect(Array(samples.suffix(50)) == Array(repeating: 0.5, count: 50))
        let middle = samples[174...175].map { abs($0 - 1.5 * Float(0.5).squareRoot()) }
        #expect(middle.allSatisfy { $0 < 0.02 }, "in the middle both have half of their power")
        _ = track.truncate(after: a)
        #expect(!track.isCrossfaded(from: a))
        #expect(track.rewind(to: a, position: 0))
        #expect(rest(of: track) == Array(repeating: 1, count: 200))
    }
}
