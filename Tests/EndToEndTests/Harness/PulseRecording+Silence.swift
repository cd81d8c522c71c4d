import PlaybackTesting

extension PulseRecording {
    /// Waits until at least `count` further frames have been recorded and the last `count` frames are silent. Returns false if the time limit passes
    /// or the server ends first.
    ///
    /// The program reports an end by its own clock. If the device or the recording is late at that moment, a number of further frames does not show
    /// that all audio has arrived.
    func waitForSilence(of count: Int) -> Bool {
        let start = frameCount
        return wait { recording in
            let end = recording.frameCount
            return end >= start + count && recording.bytes(from: end - count).allSatisfy { $0 == 0 }
        }
    }
}
