import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Outputs of an item, on the real engine") @MainActor struct ItemOutputTests {
    private let rig = RealRig()

    /// What was read of an output, each frame checked to be the sound that its time says, in every channel.
    private struct Reading {
        var buffers: [AVPlayerItemAudioBuffer] = []
        /// The frames by their times, in the order in which they came; a stretch ends where the next frame is not the next one.
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
        /// Where the buffers do not follow on one another, as they say.
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

    private func seek(_ player: AVPlayer, to frame: Int64) {
        player.seek(to: CMTime(value: frame, timescale: 44_100), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.settle()
    }

    @Test("an output that is added before the player has the item gets each frame once, in order, with its exact time (R-ITEM-03, R-ITEM-10)")
    func everyFrameOnce() {
        let item = rig.item("a", frames: 100_001)
        let output = output(of: item)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(3)
        let reading = read(output)
        #expect(reading.stretches == [0..<100_001])
        #expect(reading.breaks == [0])
        #expect(reading.buffers.allSatisfy { $0.format == .compactDisc && $0.time.timescale == 44_100 && $0.droppedFrameCount == 0 })
    }

    @Test("its sound has the item's own rate and channels, and is before volume and mute (R-ITEM-10)")
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

    @Test("a pause, other rates, another algorithm and another device hand nothing out again, and leave nothing out (R-ITEM-10)")
    func sameSoundOnce() {
        let item = rig.item("a", frames: 441_000)
        let output = output(of: item)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
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

    @Test("after a seek it goes on from the new place, also back to what was handed out before, and says so (R-ITEM-10)", arguments: [300_001, 5])
    func seeking(target: Int64) {
        let item = rig.item("a", frames: 441_000)
        let output = output(of: item)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
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

    @Test("played again from the end, it is handed out again (R-ITEM-10)")
    func again() {
        let item = rig.item("a", frames: 22_050)
        let output = output(of: item)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(1)
        seek(player, to: 0)
        player.play()
        rig.advance(1)
        #expect(read(output).stretches == [0..<22_050, 0..<22_050])
    }

    @Test("backwards the buffers come from the back to the front, their own samples in the order of the medium (R-ITEM-10)")
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
        // Faster is the same sound again.
        player.rate = -2
        rig.advance(2)
        let reading = read(output)
        #expect(reading.breaks == reading.buffers.prefix(1).map(\.time.value))
        #expect(reading.buffers.first?.timeRange.end.value == 60_000)
        #expect(reading.buffers.last?.time == .zero)
        #expect(zip(reading.buffers, reading.buffers.dropFirst()).allSatisfy { $0.time == $1.timeRange.end })
    }

    @Test("two items without a gap: each output gets all of its own item and nothing of the other (R-ITEM-10)", arguments: [0, 0.2])
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

    @Test("what was rendered of a follower, taken back for another and plays later after all, is handed out once (R-ITEM-10)")
    func takenBack() throws {
        let items = [rig.item("a", frames: 30_000), rig.item("b", frames: 40_000, base: 100_000)]
        let inserted = rig.item("c", frames: 1_000, base: 200_000)
        let outputs = (items + [inserted]).map(output(of:))
        let player = AVQueuePlayer(items: items, environment: rig.environment)
        player.play()
        rig.settle()
        let early = read(outputs[1], base: 100_000).stretches
        let first = try #require(early.first, "it has been rendered already")
        #expect(early.count == 1 && first.lowerBound == 0)
        player.insert(inserted, after: items[0])
        rig.advance(3)
        #expect(rig.heard.count == 71_000)
        #expect(early + read(outputs[1], base: 100_000).stretches == [0..<40_000])
        #expect(read(outputs[2], base: 200_000).stretches == [0..<1_000])
    }

    @Test("a follower that is told to begin elsewhere after it was rendered is handed out from there (R-ITEM-03, R-ITEM-10)")
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

    @Test("nothing beyond the forward end time is handed out, and one that is set while it plays hands nothing out again (R-END-01, R-ITEM-10)")
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

    @Test("one that is added while the item plays gets what is decoded from then on; another has missed nothing (R-ITEM-10)")
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

    @Test("one that has been removed gets nothing more, can be read to the end, and may be added to another item (R-ITEM-10)")
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

    @Test("an item that has left its player hands nothing out; with another player it begins anew (R-ITEM-10)")
    func anotherPlayer() {
        let item = rig.item("a", frames: 20_000)
        let output = output(of: item)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        rig.settle()
        let tap = item.tap
        player.replaceCurrentItem(with: nil)
        rig.settle()
        #expect(read(output).stretches == [0..<20_000])
        // The engine's thread may be in the middle of a block when the item leaves.
        tap.deliver(
            AudioBlock(position: 20_000, frameCount: 1, channelCount: 2) { $0.initialize(repeating: 20_000) }, format: .compactDisc, isReverse: false)
        #expect(output.copyNextBuffer()?.frameCount == nil)
        let next = AVPlayer(playerItem: item, environment: rig.environment)
        rig.settle()
        #expect(read(output).stretches == [0..<20_000])
        #expect(next.currentItem === item)
    }

    @Test("where nobody reads, the oldest goes and the next buffer tells how much; what is kept is the newest (R-ITEM-10)")
    func slowReader() {
        let item = rig.item("a", frames: 300_500)
        let output = AVPlayerItemAudioOutput(maximumBufferedDuration: 2)
        item.add(output)
        let player = AVPlayer(playerItem: item, environment: rig.environment)
        player.play()
        rig.advance(8)
        let reading = read(output)
        // Blocks of 1,000 frames, at most 88,200 of them, and a last one of 500.
        #expect(reading.stretches == [213_000..<300_500])
        #expect(reading.buffers.map(\.droppedFrameCount) == [213_000] + [Int](repeating: 0, count: 87))
        #expect(reading.breaks == [213_000])
    }

    @Test("who waits gets a buffer when it comes, and nil when it is cancelled (R-ITEM-10)")
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

    @Test("the sequence ends when its item is gone (R-ITEM-10)")
    func itemGone() async {
        var item: AVPlayerItem? = rig.item("a", frames: 1_000)
        let output = AVPlayerItemAudioOutput()
        item?.add(output)
        item = nil
        for await _ in output.buffers { Issue.record("nothing was played") }
    }

    @Test("the item time at a host time is what is heard then; without a player there is none (R-ITEM-10)")
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
        #expect(item.copy().outputs.isEmpty)
    }
}
