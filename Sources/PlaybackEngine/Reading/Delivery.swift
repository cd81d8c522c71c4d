/// The format and the direction in which the feeder delivers audio.
struct Delivery {
    let format: AudioFormat
    let isReverse: Bool
}
