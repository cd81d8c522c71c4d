/// How the feeder is to deliver audio.
struct Delivery {
    let format: AudioFormat
    let isReverse: Bool
}
