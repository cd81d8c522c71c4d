import Platform
import PlaybackEngine
import Testing

@Suite("The ring buffer")
struct RenderRingTests {
    private func write(_ range: Range<Int>, to ring: RenderRing) -> Int {
        let samples = range.flatMap { [Float($0), Float(-$0)] }
        return samples.withUnsafeBufferPointer { ring.write($0.baseAddress!, frameCount: range.count) }
    }
    private func render(_ count: Int, from ring: RenderRing) -> [Float] {
        var output = [Float](repeating: .nan, count: count * 2)
        let got = output.withUnsafeMutableBufferPointer { ring.render(into: $0.baseAddress!, frameCount: count) }
        return Array(output[..<(got * 2)])
    }

    @Test("frames are read in the order in which they were written, across the end of the ring")
    func wraps() {
        let ring = RenderRing(minimumCapacity: 8, channelCount: 2)
        var expected: [Float] = []
        var got: [Float] = []
        for start in stride(from: 0, to: 60, by: 5) {
            #expect(write(start..<(start + 5), to: ring) == 5)
            expected += (start..<(start + 5)).flatMap { [Float($0), Float(-$0)] }
            got += render(5, from: ring)
        }
        #expect(got == expected)
    }

    @Test("a write is limited to the free capacity")
    func isBounded() {
        let ring = RenderRing(minimumCapacity: 8, channelCount: 2)
        #expect(write(0..<20, to: ring) == 8)
        #expect(ring.freeFrames == 0)
        #expect(render(20, from: ring).count == 16)
    }

    @Test("an empty ring renders no frames")
    func isEmpty() {
        #expect(render(4, from: RenderRing(minimumCapacity: 8, channelCount: 2)).isEmpty)
    }

    @Test("reset continues the numbering at its argument and discards all frames")
    func resets() {
        let ring = RenderRing(minimumCapacity: 8, channelCount: 2, base: 100)
        _ = write(0..<6, to: ring)
        _ = render(2, from: ring)
        ring.reset(to: 102)
        #expect(ring.writtenFrames == 102 && ring.renderedFrames == 102)
        _ = write(7..<8, to: ring)
        #expect(render(4, from: ring) == [7, -7])
    }
}

@Suite("Playheads")
struct PlayheadTests {
    @Test("a playhead is stored and loaded exactly, running or not, for negative and large values")
    func roundTrips() {
        let cell = PlayheadCell()
        for head in [
            Playhead(frame: 0, hostTime: HostTime(nanoseconds: 0), isRunning: false),
            Playhead(frame: 1 << 50, hostTime: HostTime(nanoseconds: 1 << 60), isRunning: true),
            Playhead(frame: -3, hostTime: HostTime(nanoseconds: -5), isRunning: true),
        ] {
            cell.store(head)
            #expect(cell.load() == head)
        }
    }

    @Test("a playhead rests until its host time and then advances at the sample rate")
    func advances() {
        let head = Playhead(frame: 100, hostTime: HostTime(seconds: 10), isRunning: true)
        #expect(head.frame(at: HostTime(seconds: 9), sampleRate: 48_000) == 100)
        #expect(head.frame(at: HostTime(seconds: 10.5), sampleRate: 48_000) == 24_100)
    }

    @Test("a playhead that is not running rests")
    func rests() {
        let head = Playhead(frame: 100, hostTime: HostTime(seconds: 10), isRunning: false)
        #expect(head.frame(at: HostTime(seconds: 20), sampleRate: 48_000) == 100)
    }
}
