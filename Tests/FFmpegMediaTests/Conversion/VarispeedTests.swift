import FFmpegMedia
import Foundation
import PlaybackEngine
import Testing

@Suite("Varispeed")
struct VarispeedTests {
    private func render(_ input: [Float], rate: Double, chunk: Int = 1000, capacity: Int = 512) -> [Float] {
        let pitch = VarispeedTimePitch(format: AudioFormat(sampleRate: 44_100, channelLayout: .mono))
        pitch.reset(rate: rate)
        var output: [Float] = []
        var buffer = [Float](repeating: .nan, count: capacity)
        var at = 0
        while at < input.count {
            let (consumed, produced) = input.withUnsafeBufferPointer { samples in
                pitch.process(
                    samples.baseAddress! + at, frameCount: min(chunk, input.count - at), isEnd: false, into: &buffer, capacity: capacity)
            }
            output += buffer[..<produced]
            at += consumed
            if consumed == 0, produced == 0 { break }
        }
        while true {
            let made = pitch.process(input, frameCount: 0, isEnd: true, into: &buffer, capacity: capacity).produced
            if made == 0 { return output }
            output += buffer[..<made]
        }
    }

    @Test("the output has exactly the input length divided by the rate", arguments: [1.0 / 32, 0.5, 0.77777, 1.25, 1.5, 2, 3.141592653589793, 32])
    func length(rate: Double) {
        let input = [Float](repeating: 0.5, count: 44_100)
        #expect(render(input, rate: rate).count == Int((44_100 / rate).rounded()))
    }

    @Test("a tone is shifted by the rate, without delay or drift", arguments: [0.5, 0.8, 1.25, 1.5, 2])
    func tone(rate: Double) {
        let input = (0..<88_200).map { Float(sin(2 * Double.pi * 1000 * Double($0) / 44_100)) }
        let output = render(input, rate: rate)
        // The output has neither delay nor drift: output frame n is the tone at the input position n · rate.
        var worst = 0.0
        for frame in 2000..<(output.count - 2000) {
            worst = max(worst, abs(Double(output[frame]) - sin(2 * Double.pi * 1000 * Double(frame) * rate / 44_100)))
        }
        #expect(worst < 0.001)
    }

    @Test("the output does not depend on the sizes of the calls")
    func chunks() {
        let input = (0..<20_000).map { Float(sin(Double($0) * 0.05)) }
        let whole = render(input, rate: 1.3, chunk: 20_000, capacity: 30_000)
        #expect(render(input, rate: 1.3, chunk: 7, capacity: 5) == whole)
    }
}
