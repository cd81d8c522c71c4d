import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The quality of time stretching")
struct WSOLAQualityTests {
    /// Stretches tones, and returns the purity of the output: the energy of the tones relative to all other energy. The ends of the output are not
    /// measured.
    private func purity(_ tones: [Double], amplitude: Double, rate: Double, quality: WSOLATimePitch.Quality = .standard) -> Double {
        let input = Sound.sines(tones, amplitude: amplitude, seconds: 3.6 * rate)
        let output = Sound.stretch(input, by: WSOLATimePitch(sampleRate: Sound.sampleRate, channelCount: 1, quality: quality), rate: rate)
        return Sound.purity(output, tones: tones)
    }

    @Test("a steady 1 kHz tone keeps a purity of 135 dB", arguments: [0.5, 0.8, 1.25, 1.5, 2])
    func tone(rate: Double) {
        #expect(purity([1000], amplitude: 0.7, rate: rate) >= 135)
    }

    @Test("two tones without a common period keep a purity of 72 dB", arguments: [0.5, 0.8, 1.25, 1.5, 2])
    func chord(rate: Double) {
        #expect(purity([440, 1187], amplitude: 0.3, rate: rate) >= 72)
    }

    @Test("a tone whose period is not a whole number of samples keeps a purity of 85 dB", arguments: [0.8, 1.5])
    func oddTone(rate: Double) {
        #expect(purity([997.3], amplitude: 0.7, rate: rate) >= 85)
    }

    @Test("an equal-tempered triad keeps a purity of 35 dB", arguments: [0.8, 1.25, 2])
    func triad(rate: Double) {
        #expect(purity([261.63, 329.63, 392], amplitude: 0.2, rate: rate) >= 35)
    }

    @Test("with the low-latency variant two tones keep a purity of 38 dB", arguments: [0.5, 0.8, 2])
    func cheapChord(rate: Double) {
        #expect(purity([440, 1187], amplitude: 0.3, rate: rate, quality: .lowLatency) >= 38)
    }

    /// Makes audio with clicks at irregular intervals. Returns the samples, and the frame positions of the clicks.
    private func clicks(seconds: Double, background: Float, sampleRate: Int = Sound.sampleRate) -> (sound: [Float], places: [Int]) {
        var sound = Sound.noise(Int(seconds * Double(sampleRate)), amplitude: background)
        var places: [Int] = []
        var place = sampleRate / 3
        while place < sound.count - sampleRate / 4 {
            places.append(place)
            sound[place] = 0.9
            place += sampleRate / 3 + (places.count * 977) % (sampleRate / 5)
        }
        return (sound, places)
    }

    @Test("each click appears once, within 2 ms of its position", arguments: [0.25, 0.5, 0.8, 1.25, 1.5, 2, 4], [Float(0), 0.01])
    func clickPlaces(rate: Double, background: Float) {
        let (input, places) = clicks(seconds: 5, background: background)
        let output = Sound.stretch(input, by: WSOLATimePitch(sampleRate: Sound.sampleRate, channelCount: 1), rate: rate)
        // The threshold is above the level of the background, also if it is mixed with itself. So a doubled click would count as two, a faded click
        // as none.
        let heard = output.indices.filter { abs(output[$0]) > 0.3 }.reduce(into: [Int]()) { found, index in
            if let last = found.last, index - last < Sound.sampleRate / 500 { return }
            found.append(index)
        }
        #expect(heard.count == places.count)
        for (found, place) in zip(heard, places) {
            #expect(abs(Double(found) - Double(place) / rate) <= 0.002 * Double(Sound.sampleRate))
        }
        #expect(heard.allSatisfy { index in output[max(0, index - 2)...min(output.count - 1, index + 2)].contains { $0 > 0.8 } }, "at full strength")
    }

    @Test("after two minutes the position has not drifted", arguments: [0.937, 1.213])
    func drift(rate: Double) {
        let sampleRate = 8000
        var input = Sound.sines([330], amplitude: 0.2, seconds: 120, sampleRate: sampleRate)
        let place = input.count - 2 * sampleRate
        input[place] = 0.95
        let output = Sound.stretch(input, by: WSOLATimePitch(sampleRate: sampleRate, channelCount: 1), rate: rate, chunk: 8192, capacity: 8192)
        let heard = output.indices.filter { output[$0] > 0.6 }
        #expect(heard.count == 1)
        #expect(heard.allSatisfy { abs(Double($0) - Double(place) / rate) <= 0.002 * Double(sampleRate) })
        #expect(output.count == Int((Double(input.count) / rate).rounded()))
    }
}
