import CoreMedia
import FFmpegMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

/// Plays random queues on devices of random rates in virtual time, with the real reader and the real conversion.
@Suite("Random queues on devices of any rate")
struct RandomQueueTests {
    static let deviceRates = [44_100, 48_000, 96_000, 192_000]

    private static func media() throws -> [RampMedium] {
        var random = SeededGenerator(seed: 24)
        return try [22_050, 32_000, 44_056, 44_100, 48_000, 88_200, 96_000].flatMap { rate in
            try [1, 2, 6].map { channels in
                try RampMedium(
                    rate: rate, channels: channels, frames: rate / 25 + Int.random(in: 0..<(rate / 40), using: &random),
                    bits: [16, 24].randomElement(using: &random)!)
            }
        }
    }

    @Test(
        "50, thoroughly 200 random queues are heard whole, without holes, where reported, after seeks, skips, pauses and moves (R-LNX-41, R-LNX-42)",
        arguments: 0..<(TestDepth.isThorough ? 8 : 2))
    func queues(_ group: Int) throws {
        let media = try Self.media()
        var (totals, moves) = (0, 0)
        for number in 0..<25 {
            let walk = try QueueWalk(media, seed: UInt64(group * 25 + number + 1))
            try walk.run()
            #expect(walk.trouble == nil, "seed \(group * 25 + number + 1): \(walk.trouble ?? ""); \(walk.history)")
            totals += walk.hasCheckedTotal ? 1 : 0
            moves += walk.history.count { $0.hasPrefix("move") }
        }
        #expect(totals >= 20 && moves >= 8, "\(totals) totals, \(moves) moves")
    }
}

/// One random queue, from its start to its end.
private final class QueueWalk {
    private(set) var trouble: String?
    private(set) var history: [String] = []
    /// Whether the number of frames from the last command to the end was compared.
    private(set) var hasCheckedTotal = false

    private let clock = VirtualClock()
    private let sink: CaptureSink
    private let engine: SteppedEngine
    private var random: SeededGenerator
    private let queue: [RampMedium]
    private let commands: Int
    /// The segments of the timeline that were seen, in their order, each with the sample rate of its frames.
    private var segments: [(segment: Timeline.Segment, rate: Int)] = []
    private var next: Int64?
    /// The first frame after the fades of the last command.
    private var steadyFrom: Int64 = 0
    private var silent = 0
    private var gains: [String: Double] = [:]
    private var seekID: UInt64 = 0

    init(_ media: [RampMedium], seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        queue = (0..<Int.random(in: 2...4, using: &random)).map { _ in media.randomElement(using: &random)! }
        commands = Int.random(in: 0...4, using: &random)
        sink = CaptureSink(clock: clock)
        sink.setSampleRate(RandomQueueTests.deviceRates.randomElement(using: &random)!)
        sink.setSpeakers(.stereo)
        self.random = random
        engine = SteppedEngine(opener: FFmpegOpener(), output: CaptureOutputProvider(sink), clock: clock, events: { _ in })
    }

    private var rate: Int { sink.opens.last?.sampleRate ?? 44_100 }

    private func send(_ command: TestCommand) {
        engine.send(command)
        engine.settle()
        note()
    }

    /// Notes the present segments. A segment that begins after the start of the present timeline is no longer valid.
    private func note() {
        let timeline = engine.clock.timeline
        guard let first = timeline.segments.first else { return }
        segments.removeAll { $0.segment.start >= first.start }
        segments += timeline.segments.map { ($0, timeline.sampleRate) }
    }

    private func fail(_ text: String) { trouble = trouble ?? "\(text), \(rate) Hz" }

    func run() throws {
        let requests = queue.enumerated().map { number, medium in
            LoadRequest(item: ItemID(rawValue: UInt64(number + 1)), source: MediaSource(.file(path: medium.url.path)), startTime: .zero)
        }
        send(.load(requests[0]))
        send(.setUpcoming(Array(requests.dropFirst()), after: requests[0].item))
        send(.setRunning(true))
        var left = commands
        var idle = 0
        while idle < 2, trouble == nil {
            let heard = try play(Int.random(in: 100...(rate / 30), using: &random))
            idle = heard == 0 ? idle + 1 : 0
            if left > 0, heard > 0 {
                left -= 1
                try command()
            }
        }
        checkShares()
        checkTotal()
        engine.shutDown()
    }

    // MARK: Commands

    private func command() throws {
        guard let item = engine.clock.now().item else { return }
        let index = Int(item.rawValue) - 1
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            seekID += 1
            let target = Int64.random(in: 0..<Int64(queue[index].length(at: rate)), using: &random)
            history.append("seek to \(target) of item \(index)")
            send(.seek(SeekRequest(id: seekID, item: item, time: CMTime(value: target, timescale: CMTimeScale(rate)))))
        case 1 where index + 1 < queue.count:
            history.append("skip item \(index)")
            send(.advance)
        case 2:
            history.append("pause in item \(index)")
            send(.setRunning(false))
            disturb()
            _ = try play(rate / 50)
            send(.setRunning(true))
        default:
            let target = RandomQueueTests.deviceRates.filter { $0 != rate }.randomElement(using: &random)!
            let before = engine.clock.now()
            let (former, end) = (rate, queue[index].length(at: rate))
            history.append("move in item \(index) from \(former) to \(target) Hz")
            sink.move(toSampleRate: target)
            engine.settle()
            note()
            if rate != target { fail("the device was not followed") }
            // The first audio on the new device, after its lead-in. At the end of an item, it may be that of the next one.
            let first = engine.clock.timeline.segments.first { $0.start >= next ?? 0 }
            if before.time.seconds * Double(former) < end - 2, let first {
                let difference = abs(first.mediaStart / Double(rate) - before.time.seconds)
                // Both positions are rounded to a frame.
                if first.item != before.item || difference > 0.51 / Double(former) + 0.51 / Double(rate) {
                    fail("the audio continued at \(first.mediaStart / Double(rate)) instead of \(before.time.seconds) after a move")
                }
            }
        }
        disturb()
    }

    /// Notes that the next frames are fades: of the old audio, a lead-in and the start after a pause.
    private func disturb() { steadyFrom = (next ?? 0) + 3 * Int64(rate / 200) + 3 }

    // MARK: Checks

    /// Plays `count` frames, and returns the number of frames that were heard.
    private func play(_ count: Int) throws -> Int {
        clock.advance(by: Double(count) / Double(rate))
        sink.play(frames: count)
        engine.settle()
        note()
        let heard = sink.takeHeard()
        guard let first = heard.first else { return 0 }
        if let next, first.frame != next { fail("frame \(first.frame) follows \(next - 1)") }
        let layout = sink.opens.last?.channelLayout ?? .stereo
        var at = 0
        var found: Int?
        while at < heard.count, trouble == nil {
            let sample = heard[at]
            if sample.frame != first.frame + Int64(at) { fail("frame \(sample.frame) is repeated or follows a lost one") }
            if sample.frame >= steadyFrom {
                silent = abs(sample.value) < 0.01 ? silent + 1 : 0
                if silent > 2 { fail("more than two silent frames at \(sample.frame)") }
                if at % 5 == 0 {
                    // Consecutive frames are mostly of one segment.
                    if found == nil || !covers(found!, sample.frame) { found = segments.lastIndex { $0.segment.start <= sample.frame } }
                    if let found { try check(sample, segments[found], layout) } else { fail("frame \(sample.frame) has no segment") }
                }
            } else {
                silent = 0
            }
            at += 1
        }
        next = first.frame + Int64(heard.count)
        return heard.count
    }

    private func covers(_ index: Int, _ frame: Int64) -> Bool {
        segments[index].segment.start <= frame && (index + 1 == segments.count || segments[index + 1].segment.start > frame)
    }

    /// Compares a heard frame with the medium at the reported position.
    private func check(_ sample: CaptureSink.Heard, _ known: (segment: Timeline.Segment, rate: Int), _ layout: ChannelLayout) throws {
        let medium = queue[Int(known.segment.item.rawValue) - 1]
        let media = known.segment.mediaFrame(at: sample.frame)
        let (length, reach) = (medium.length(at: known.rate), max(medium.reach(at: known.rate), 1))
        if media > length + 1 { fail("frame \(sample.frame) is after the end of its item") }
        guard media >= reach, media < length - reach else { return }
        let key = "\(medium.channelCount) \(layout.count)"
        let gain = try gains[key] ?? medium.gain(into: layout)
        gains[key] = gain
        let wanted = RampMedium.value(media * Double(medium.rate) / Double(known.rate), of: medium.frames)
        // The audio of an item begins between two frames, at most half a frame from the reported one.
        let frame = 0.6 / length
        let tolerance = 0.52 * frame + (medium.bits == 16 ? 0x1p-15 : 1e-6)
        let difference = Double(sample.value) / gain - wanted
        if abs(difference) > tolerance {
            fail("frame \(sample.frame) is \(difference / frame) frames after the reported position \(media) of item \(known.segment.item.rawValue)")
        }
    }

    /// Each item that was heard to its end has its exact length, to one frame.
    private func checkShares() {
        for (segment, rate) in segments where segment.reachesEndOfItem {
            guard let end = segment.end, end <= next ?? 0 else { continue }
            let length = queue[Int(segment.item.rawValue) - 1].length(at: rate)
            if abs(segment.mediaFrame(at: end) - length) > 1 {
                fail("item \(segment.item.rawValue) ends at \(segment.mediaFrame(at: end)) instead of \(length)")
            }
        }
    }

    /// The frames from the last command to the end are the rest of its item and the following items, to one frame in all.
    private func checkTotal() {
        guard let next, let known = segments.last(where: { $0.segment.start <= steadyFrom }), steadyFrom < next, known.rate == rate else { return }
        if let end = known.segment.end, end <= steadyFrom { return }
        let index = Int(known.segment.item.rawValue) - 1
        let rest = queue[index].length(at: rate) - known.segment.mediaFrame(at: steadyFrom)
        let wanted = queue.dropFirst(index + 1).reduce(rest) { $0 + $1.length(at: rate) }
        if abs(Double(next - steadyFrom) - wanted) > 1 { fail("\(next - steadyFrom) frames were heard instead of \(wanted)") }
        hasCheckedTotal = true
    }
}
