import Testing

@testable import PlaybackEngine

@Suite("The gain of an item")
struct GainStageTests {
    private func apply(_ stage: GainStage, _ input: [Float], channelCount: Int = 1) -> [Float] {
        var output = [Float](repeating: .nan, count: input.count)
        output.withUnsafeMutableBufferPointer { stage.apply(input, to: $0, frames: input.count / channelCount, channelCount: channelCount) }
        return output
    }

    @Test("at first it is exactly 1, and does nothing")
    func identity() {
        #expect(!GainStage().isActive)
        #expect(apply(GainStage(), [0.1, -0.3]) == [0.1, -0.3])
    }

    @Test("another gain counts from the next frame on")
    func atOnce() {
        var stage = GainStage()
        stage.set(0.5)
        #expect(stage.isActive)
        #expect(apply(stage, [1, -1, 0.5]) == [0.5, -0.5, 0.25])
    }

    @Test("a glide goes from the former gain to the new one in even steps, the same in every channel, however it is cut up")
    func glides() {
        var stage = GainStage()
        stage.set(0.5)
        stage.glide(from: 1, frames: 4)
        let ones = [Float](repeating: 1, count: 12)
        #expect(apply(stage, ones, channelCount: 2) == [0.875, 0.875, 0.75, 0.75, 0.625, 0.625, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
        stage.advance(3)
        #expect(apply(stage, [1, 1]) == [0.5, 0.5])
        stage.advance(1)
        #expect(stage.isActive)
        stage.set(1)
        #expect(!stage.isActive)
    }

    @Test("a glide to 1 ends in exactly 1, with nothing more to do")
    func back() {
        var stage = GainStage()
        stage.glide(from: 0.25, frames: 3)
        #expect(stage.isActive)
        #expect(apply(stage, [1, 1, 1, 1]) == [0.5, 0.75, 1, 1])
        stage.advance(3)
        #expect(!stage.isActive)
    }

    @Test("the same gain again leaves a glide alone, another item's gain ends it")
    func items() {
        var stage = GainStage()
        stage.set(0.5)
        stage.glide(from: 1, frames: 2)
        stage.set(0.5)
        #expect(apply(stage, [1, 1]) == [0.75, 0.5])
        stage.set(2)
        #expect(apply(stage, [1, 1]) == [2, 2])
    }
}
