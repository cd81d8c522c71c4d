import CoreMedia
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

/// The reported position while the engine renders audio again that the device has already been assumed to play. One frame is a millisecond.
@Suite("HeardPosition") struct HeardPositionTests {
    private let item = ItemID(rawValue: 1)
    private let host = VirtualClock()
    private let sink = ScriptedSink()
    private let clock: HeardClock
    private let position: HeardPosition

    init() {
        clock = HeardClock(clock: host)
        position = HeardPosition(hostClock: host)
        sink.playhead = Playhead(frame: 0, hostTime: host.now, isRunning: true)
        clock.publish(sink: sink)
        position.setClock(clock)
        position.setRule(HeardPosition.Rule(item: item))
    }

    /// Publishes audio that continues at another rate from a frame on.
    private func publish(rate: Double, from media: Double = 0, then other: Double? = nil, at frame: Int64 = 100, isTurn: Bool = false) {
        var segments = [Timeline.Segment(start: 0, item: item, mediaStart: media, rate: rate)]
        if let other {
            segments[0].end = frame
            let start = isTurn ? media : segments[0].mediaFrame(at: frame)
            segments.append(Timeline.Segment(start: frame, item: item, mediaStart: start, rate: other, isJoined: isTurn))
        }
        clock.publish(Timeline(segments: segments, written: 2_000, sampleRate: 1_000))
    }

    @Test("audio rendered again at a lower rate does not take the position back")
    func slower() {
        publish(rate: 2)
        host.advance(by: 0.120)
        #expect(position.now().time == ms(240))
        publish(rate: 2, then: 0.5)
        #expect(position.now().time == ms(240))
        host.advance(by: 0.058)
        #expect(position.now().time == ms(240))
        host.advance(by: 0.004)
        #expect(position.now().time == ms(241))
    }

    @Test("withdrawn audio does not take the position back before its replacement is published")
    func withdrawn() {
        publish(rate: 1)
        host.advance(by: 0.102)
        #expect(position.now().time == ms(102))
        clock.publish(
            Timeline(segments: [Timeline.Segment(start: 0, item: item, mediaStart: 0, rate: 1, end: 100)], written: 100, sampleRate: 1_000))
        #expect(position.now().time == ms(102))
        publish(rate: 1, then: 1)
        #expect(position.now().time == ms(102))
    }

    @Test("in reverse playback, audio rendered again at a lower rate does not take the position forward")
    func reverse() {
        publish(rate: -2, from: 1_000)
        host.advance(by: 0.120)
        #expect(position.now().time == ms(760))
        publish(rate: -2, from: 1_000, then: -0.5)
        #expect(position.now().time == ms(760))
    }

    @Test("another direction is reported at once")
    func turnedAround() {
        publish(rate: 1)
        host.advance(by: 0.120)
        #expect(position.now().time == ms(120))
        publish(rate: 1, then: -1)
        #expect(position.now().time == ms(80))
    }

    @Test("a turn of a loop is reported at once, even if the loop is short")
    func turn() {
        publish(rate: 0.1, then: 0.1, isTurn: true)
        host.advance(by: 0.099)
        #expect(position.now().time == ms(10))
        host.advance(by: 0.001)
        #expect(position.now().time == ms(0))
    }

    @Test("a step back of more than 50 ms is reported at once")
    func longStep() {
        publish(rate: 2)
        host.advance(by: 0.150)
        #expect(position.now().time == ms(300))
        publish(rate: 2, then: 0.5)
        #expect(position.now().time == ms(225))
    }

    @Test("a short step back after half a second without a reading is reported")
    func late() {
        publish(rate: 1)
        host.advance(by: 0.2)
        #expect(position.now().time == ms(200))
        host.advance(by: 0.51)
        publish(rate: 1, from: -520)
        #expect(position.now().time == ms(190))
    }

    @Test("a landing and a stopped device are reported exactly")
    func exact() {
        publish(rate: 2)
        host.advance(by: 0.120)
        #expect(position.now().time == ms(240))
        publish(rate: 2, then: 0.5)
        position.setRule(HeardPosition.Rule(item: item, landedSeek: 1))
        #expect(position.now().time == ms(210))
        publish(rate: 2)
        #expect(position.now().time == ms(240))
        sink.playhead = Playhead(frame: 119, hostTime: host.now, isRunning: false)
        #expect(position.now().time == ms(238))
    }

    @Test(
        "the nearest frame to the time that was asked for is reported as this time, at any sample rate (R-SEEK-11)",
        arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000])
    func askedTime(sampleRate: Int) {
        let asked = CMTime(value: 4_750_003, timescale: 1_000_000)
        let nearest = Int64((asked.seconds * Double(sampleRate)).rounded())
        func time(_ frame: Int64) -> CMTime { CMTime(value: nearest + frame, timescale: CMTimeScale(sampleRate)) }
        sink.playhead = Playhead(frame: 0, hostTime: host.now, isRunning: false)
        let segment = Timeline.Segment(start: 0, item: item, mediaStart: Double(nearest), rate: 1)
        clock.publish(Timeline(segments: [segment], written: Int64(sampleRate), sampleRate: sampleRate))
        position.setRule(HeardPosition.Rule(item: item, rest: time(0), asked: asked))
        #expect(position.now().time == asked)
        #expect(position.reading(at: host.now).time == time(0))
        sink.playhead = Playhead(frame: 1, hostTime: host.now, isRunning: false)
        #expect(position.now().time == time(1))
    }

    @Test("a position of the past or of the future neither is limited nor limits the present one")
    func otherTimes() {
        publish(rate: 1)
        host.advance(by: 0.120)
        #expect(position.reading(at: host.now + 0.04).time == ms(160))
        #expect(position.now().time == ms(120))
        #expect(position.reading(at: host.now + -0.02).time == ms(100))
        #expect(position.now().time == ms(120))
    }
}
