import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Audio outputs of an item, on the real engine") @MainActor struct ItemOutputTests {
    private let rig = RealRig()

    /// The buffers that a test has read from an output. The function `read` has compared the samples of each frame, in every channel, with the
    /// samples of the medium at the frame's time.
    private struct Reading {
        var buffers: [AVPlayerItemAudioBuffer] = []
        /// The ranges of consecutive media frames in the buffers, in order of arrival. A buffer that does not follow the preceding one begins a new
        /// range.
        var stretches: [Range<Int64>] {
            buffers.reduce(into: []) { stretches, buffer in
                let (start, end) = (buffer.time.value, buffer.time.value + Int64(buffer.frameCount))
                if let last = stretches.last, last.upperBound == start {
                    stretches[stretches.count - 1] = last.lowerBound..<end
                } else {
                    stretches.append(start..<end)
                }
            }
        }
        /// The start times of the buffers that are marked as discontinuous, in media frames.
        var breaks: [Int64] { buffers.filter(\.isDiscontinuous).map(\.time.value) }
    }

    private func read(_ output: AVPlayerItemAudioOutput, base: Float = 0) -> Reading {
        var reading = Reading()
        while let buffer = output.copyNextBuffer() {
            let channels = buffer.format.channelCount
            let expected = (0..<buffer.frameCount).flatMap { frame in
                [Float](repeating: base + Float(buffer.time.value + Int64(frame)), count: channels)
            }
            #expect(buffer.samples == expected)
            #expect(buffer.withUnsafeSamples { Array($0) } == expected)
            #expect(buffer.timeRange.end == buffer.time + CMTime(value: CMTimeValue(buffer.frameCount), timescale: buffer.time.timescale))
            reading.buffers.append(buffer)
        }
        return reading
    }

    private func output(of item: AVPlayerItem) -> AVPlayerItemAudioOutput {
        let output = AVPlayerItemAudioOutput()
        item.add(output)
        return output
    }

    /// Returns an item with `frames` frames, an output of the item, and a player to which the item was given after its output was added.
    private func player(frames: Int64) -> (item: AVPlayerItem, output: AVPlayerItemAudioOutput, player: AVPlayer) {
        let item = rig.item("a", frames: frames)
        let output = output(of: item)
        return (item, output, AVPlayer(playerItem: item, environment: rig.environment))
    }

    private func seek(_ player: AVPlayer, to frame: Int64) {
        player.seek(to: CMTime(value: frame, timescale: 44_100), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.settle()
    }

    @Test("an output added before the player has the item receives each frame once, in order, with its exact time (R-ITEM-03, R-ITEM-10)")
    func everyFrameOnce() {
        let (_, output, player) = player(frames: 100_001)
        player.play()
        rig.advance(3)
        let reading = read(output)
        #expect(reading.stretches == [0..<100_001])
        #expect(reading.breaks == [0])
        #expect(reading.buffers.allSatisfy { $0.format == .compactDisc && $0.time.timescale == 44_100 && $0.droppedFrameCount == 0 })
    }

    @Test("the buffers have the item's own rate and channels, before volume and mute (R-ITEM-10)")
    func ownFormat() {
        let mono = AudioFormat(sampleRate: 96_000, channelLayout: .mono)
        let item = rig.item("a", frames: 1)
        rig.opener.set("/a", RampReader.Script(frames: 50_000, format: mono))
        let output = output(of: item)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.volume = 0.25
        player.isMuted = true
        player.play()
        rig.settle()
        let reading = read(output)
        #expect(reading.stretches == [0..<50_000])
        #expect(reading.buffers.allSatisfy { $0.format == mono && $0.time.timescale == 96_000 })
    }

    @Test("pauses, rates, algorithms and devices neither repeat nor omit a frame (R-ITEM-10)")
    func sameSoundOnce() {
        let (item, output, player) = player(frames: 441_000)
        player.play()
        rig.advance(0.5)
        player.pause()
        rig.advance(0.2)
        player.play()
        rig.advance(0.3)
        player.rate = 2
        rig.advance(0.3)
        item.audioTimePitchAlgorithm = .varispeed
        rig.advance(0.3)
        player.rate = 0.5
        rig.advance(0.3)
        rig.sink.lose()
        rig.advance(0.3)
        let reading = read(output)
        #expect(reading.stretches.count == 1 && reading.stretches.first?.lowerBound == 0)
        #expect(reading.stretches.first.map { $0.count > 100_000 } == true)
        #expect(reading.breaks == [0])
    }

    @Test("after a seek, also a backward one, the output continues at the landing with a discontinuity (R-ITEM-10)", arguments: [300_001, 5])
    func seeking(target: Int64) {
        let (_, output, player) = player(frames: 441_000)
        player.play()
        rig.advance(1)
        #expect(read(output).stretches.map(\.lowerBound) == [0])
        seek(player, to: target)
        rig.advance(1)
        let after = read(output)
        #expect(after.stretches.map(\.lowerBound) == [target])
        #expect(after.stretches.first.map { $0.count > 44_100 } == true)
        #expect(after.breaks == [target])
    }

    @Test("an item played again from the start is delivered again (R-ITEM-10)")
    func again() {
        let (_, output, player) = player(frames: 22_050)
        player.play()
        rig.advance(1)
        seek(player, to: 0)
        player.play()
        rig.advance(1)
        #expect(read(output).stretches == [0..<22_050, 0..<22_050])
    }

    @Test("at a negative rate the buffers arrive from the end to the start, each with its samples in the order of the medium (R-ITEM-10)")
    func backwards() {
        let item = rig.item("a", frames: 100_000)
        let output = output(of: item)
        var environment = rig.environment
        environment.canReverse = true
        let player = AVPlayer(playerItem: item, environment: environment)
        rig.settle()
        seek(player, to: 60_000)
        _ = read(output)
        player.rate = -1
        rig.advance(1)
        // The change to a faster rate renders audio again, but the output does not receive frames a second time.
        player.rate = -2
        rig.advance(2)
        let reading = read(output)
        #expect(reading.breaks == reading.buffers.prefix(1).map(\.time.value))
        #expect(reading.buffers.first?.timeRange.end.value == 60_000)
        #expect(reading.buffers.last?.time == .zero)
        #expect(zip(reading.buffers, reading.buffers.dropFirst()).allSatisfy { $0.time == $1.timeRange.end })
    }

    @Test("at a join without a gap each output receives all frames of its own item and none of the other (R-ITEM-10)", arguments: [0, 0.2])
    func twoItems(crossfade: Double) {
        let items = [rig.item("a", frames: 60_000), rig.item("b", frames: 40_000, base: 100_000)]
        let outputs = items.map(output(of:))
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.crossfadeDuration = CMTime(seconds: crossfade, preferredTimescale: 1_000)
        player.play()
        rig.advance(4)
        #expect(read(outputs[0]).stretches == [0..<60_000])
        #expect(read(outputs[1], base: 100_000).stretches == [0..<40_000])
    }

    @Test("frames of an upcoming item that were rendered, withdrawn and played later are delivered once (R-ITEM-10)")
    func takenBack() throws {
        let items = [rig.item("a", frames: 30_000), rig.item("b", frames: 40_000, base: 100_000)]
        let inserted = rig.item("c", frames: 1_000, base: 200_000)
        let outputs = (items + [inserted]).map(output(of:))
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.play()
        rig.settle()
        let early = read(outputs[1], base: 100_000).stretches
        let first = try #require(early.first, "its beginning has been rendered already")
        #expect(early.count == 1 && first.lowerBound == 0)
        player.insert(inserted, after: items[0])
        rig.advance(3)
        #expect(rig.heard.count == 71_000)
        #expect(early + read(outputs[1], base: 100_000).stretches == [0..<40_000])
        #expect(read(outputs[2], base: 200_000).stretches == [0..<1_000])
    }

    @Test("if an upcoming item gets another start after it was rendered, it is delivered from there (R-ITEM-03, R-ITEM-10)")
    func followerSought() {
        let items = [rig.item("a", frames: 30_000), rig.item("b", frames: 40_000, base: 100_000)]
        let output = output(of: items[1])
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.play()
        rig.settle()
        #expect(!read(output, base: 100_000).buffers.isEmpty)
        items[1].seek(to: CMTime(value: 500, timescale: 44_100), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.advance(3)
        #expect(read(output, base: 100_000).stretches == [500..<40_000])
    }

    @Test("no frame beyond forwardPlaybackEndTime is delivered, and a change of it while playing repeats none (R-END-01, R-ITEM-10)")
    func endTime() {
        let item = rig.item("a", frames: 400_000)
        let output = output(of: item)
        item.forwardPlaybackEndTime = CMTime(value: 300_000, timescale: 44_100)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(0.2)
        item.forwardPlaybackEndTime = CMTime(value: 250_000, timescale: 44_100)
        rig.advance(6)
        #expect(read(output).stretches == [0..<250_000])
    }

    @Test("an output added while the item plays receives what is decoded from then on, and another output loses nothing (R-ITEM-10)")
    func addedLater() {
        let item = rig.item("a", frames: 400_000)
        let first = AVPlayerItemAudioOutput(maximumBufferedDuration: 20)
        item.add(first)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(1)
        let second = output(of: item)
        #expect(item.outputs == [first, second])
        rig.advance(9)
        #expect(read(first).stretches == [0..<400_000])
        let late = read(second).stretches
        #expect(late.count == 1 && late.first?.upperBound == 400_000)
        #expect(late.first.map { $0.count > 44_100 && $0.count < 360_000 } == true)
    }

    @Test("a removed output receives nothing more, can be read to its end, and may be added to another item (R-ITEM-10)")
    func removed() async throws {
        let item = rig.item("a", frames: 400_000)
        let (output, witness) = (output(of: item), output(of: item))
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(1)
        item.remove(output)
        #expect(item.outputs == [witness])
        let untilThen = try #require(read(witness).stretches.first)
        rig.advance(1)
        #expect(read(witness).stretches.first?.lowerBound == untilThen.upperBound)
        var stretch = Int64(0)..<0
        for await buffer in output.buffers { stretch = 0..<buffer.timeRange.end.value }
        #expect(stretch == untilThen)
        let other = rig.item("b", frames: 1_000)
        other.add(output)
        player.replaceCurrentItem(with: other)
        rig.settle()
        #expect(read(output).stretches == [0..<1_000])
    }

    @Test("an item without a player delivers nothing; with another player it is delivered from the start (R-ITEM-10)")
    func anotherPlayer() {
        let (item, output, player) = player(frames: 20_000)
        rig.settle()
        let tap = Turn.perform { item.attached.tap }
        player.replaceCurrentItem(with: nil)
        rig.settle()
        #expect(read(output).stretches == [0..<20_000])
        // When the item leaves its player, the engine's thread may still be delivering a block of the item. The output must ignore that block.
        tap.deliver(
            AudioBlock(position: 20_000, frameCount: 1, channelCount: 2) { $0.initialize(repeating: 20_000) }, format: .compactDisc, isReverse: false)
        #expect(output.copyNextBuffer()?.frameCount == nil)
        let next = AVPlayer(playerItem: item, environment: rig.environment)
        rig.settle()
        #expect(read(output).stretches == [0..<20_000])
        #expect(next.currentItem === item)
    }

    @Test("an unread output drops the oldest buffers, and the next one has the number of dropped frames (R-ITEM-10)")
    func slowReader() {
        let item = rig.item("a", frames: 300_500)
        let output = AVPlayerItemAudioOutput(maximumBufferedDuration: 2)
        item.add(output)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(8)
        let reading = read(output)
        // The output holds at most 88,200 frames (2 s). The blocks have 1,000 frames, the last one 500. So 87 whole blocks and the last one remain.
        #expect(reading.stretches == [213_000..<300_500])
        #expect(reading.buffers.map(\.droppedFrameCount) == [213_000] + [Int](repeating: 0, count: 87))
        #expect(reading.breaks == [213_000])
    }

    @Test("a waiting reader receives a buffer when it arrives, or nil if it is cancelled (R-ITEM-10)")
    func waiting() async {
        let item = rig.item("a", frames: 1_000)
        let output = output(of: item)
        async let first = output.buffers.first { _ in true }
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        rig.settle()
        #expect(await first?.frameCount == 1_000)
        let task = Task {
            var iterator = output.buffers.makeAsyncIterator()
            return await iterator.next() == nil
        }
        task.cancel()
        #expect(await task.value)
        #expect(player.currentItem === item)
    }

    @Test("the sequence of buffers ends when the item is deallocated (R-ITEM-10)")
    func itemGone() async {
        var item: AVPlayerItem? = rig.item("a", frames: 1_000)
        let output = AVPlayerItemAudioOutput()
        item?.add(output)
        item = nil
        for await _ in output.buffers { Issue.record("nothing was played") }
    }

    @Test("itemTime(forHostTime:) is the position heard at that time, and invalid without a player (R-ITEM-10)")
    func itemTime() {
        let item = rig.item("a", frames: 441_000)
        let output = output(of: item)
        func now() -> Double { Double(rig.clock.now.nanoseconds) / 1e9 }
        #expect(!output.itemTime(forHostTime: now()).isValid)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(1)
        #expect(output.itemTime(forHostTime: now()) == player.currentTime())
        #expect(abs(output.itemTime(forHostTime: now() + 0.005).seconds - player.currentTime().seconds - 0.005) < 0.0001)
        #expect(!output.itemTime(forHostTime: .infinity).isValid)
        player.replaceCurrentItem(with: nil)
        #expect(!output.itemTime(forHostTime: now()).isValid)
    }

    @Test("a copy of an item does not have its outputs (R-ITEM-02, R-ITEM-10)")
    func copying() {
        let item = rig.item("a", frames: 1_000)
        let output = output(of: item)
        #expect(item.outputs == [output])
        #expect(item.duplicate().outputs.isEmpty)
    }
}
