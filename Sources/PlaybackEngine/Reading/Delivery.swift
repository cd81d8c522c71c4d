/// The format in which the feeder delivers audio, and the direction of playback.
struct Delivery {
    let format: AudioFormat
    let isReverse: Bool
}
