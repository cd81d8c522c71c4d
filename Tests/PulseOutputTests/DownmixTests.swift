import PlaybackEngine
import PlaybackTesting
import PulseOutput
import Testing

extension WithServer {
    @Suite("More channels than the device has")
    struct DownmixTests {
        private static let frames = 8_820

        /// Returns the levels that a stereo device receives, one pair for each part of the stream. In part n only channel n has the value 0.9; in the
        /// last part all channels have it.
        private func heard(_ layout: ChannelLayout) throws -> [(left: Int, right: Int)] {
            let server = try PrivatePulseServer()
            defer { server.stop() }
            let recording = try #require(server.recording)
            let channels = layout.count
            let source = RenderRing(minimumCapacity: Self.frames * (channels + 1), channelCount: channels)
            for part in 0...channels {
                var samples = [Float](repeating: 0, count: Self.frames * channels)
                for index in samples.indices where part == channels || index % channels == part { samples[index] = 0.9 }
                #expect(source.write(samples, frameCount: Self.frames) == Self.frames)
            }
            let sink = PulseOutputProvider.patient(server.address, sinkName: PrivatePulseServer.sinkName).makeSink()
            defer { sink.close() }
            try sink.open(AudioFormat(sampleRate: 44_100, channelLayout: layout), source: source, base: 0) { _ in }
            sink.sourceDidFill()
            try sink.start()
            func start() -> Int? { recording.samples().firstIndex { $0 != 0 }.map { $0 / 2 } }
            try #require(recording.wait { _ in start() != nil })
            let first = try #require(start())
            try #require(recording.wait(forFrameCount: first + Self.frames * (channels + 1)))
            let samples = recording.samples(from: first)
            return (0...channels).map { part in
                let middle = 2 * (part * Self.frames + Self.frames / 2)
                return (Int(samples[middle]), Int(samples[middle + 1]))
            }
        }

        @Test("centre and surrounds are audible on a stereo device, each on its side, and all together do not clip", arguments: [0x3F, 0x63F])
        func downmix(mask: UInt64) throws {
            let layout = ChannelLayout(mask: mask)
            let levels = try heard(layout)
            // The order of the channels is: front left, front right, centre, low frequency, back left, back right. A 7.1 layout also has side left
            // and side right.
            for (channel, level) in levels.dropLast().enumerated() {
                switch channel {
                case 2:
                    #expect(level.left > 900)
                    #expect(level.left == level.right)
                case 3: #expect(level.left == level.right)
                case let left where [0, 4, 6].contains(left):
                    #expect(level.left > 900)
                    #expect(level.right == 0)
                default:
                    #expect(level.right > 900)
                    #expect(level.left == 0)
                }
            }
            // If a sample were clipped, the level of all channels together would be less than the sum of the levels of the single channels.
            let all = try #require(levels.last)
            #expect(abs(all.left - levels.dropLast().reduce(0) { $0 + $1.left }) <= 8)
            #expect(abs(all.right - levels.dropLast().reduce(0) { $0 + $1.right }) <= 8)
            #expect(all.left < 32_767)
        }
    }
}
