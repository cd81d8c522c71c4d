import Platform

/// The times of a start at a host time.
///
/// The device starts before that time with silence. Meanwhile its clock is measured, and the number of silent frames is chosen so that the first
/// frame is heard at the host time. So neither the time that a device needs to start, nor a late thread, shifts the audio.
public enum StartTime {
    /// The time between the start of the device and the first frame, in seconds.
    public static let lead = 1.0
    /// The time before the first frame at which the clock of the device is read, in seconds.
    public static let measuringTime = 0.25
    /// The shortest time between the request and the first frame, in seconds. Less is a start without silence.
    public static let shortestNotice = 0.4
    /// The part of the silence that is chosen last, in seconds. It allows a thread to be late by `measuringTime - reserve`.
    static let reserve = 0.05
}

/// A start that waits for its host time: the frame that is heard first.
struct AwaitedStart {
    let host: HostTime
    let item: ItemID
    /// The media position of the first frame, in frames.
    let media: Double
}
