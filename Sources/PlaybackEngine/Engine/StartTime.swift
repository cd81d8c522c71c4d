import Platform

/// The durations that control a start of playback at a given host time, in seconds.
///
/// The device starts early, with silence. During the silence, the engine reads the clock of the device, and chooses the number of silent frames so
/// that the first frame of the audio is heard at the host time. Because of the silence, neither the time that a device needs to start, nor a late
/// thread, shifts the audio.
public enum StartTime {
    /// The time between the start of the device and the first frame of the audio, in seconds: the duration of the silence.
    public static let lead = 1.0
    /// The time between the reading of the device's clock and the first frame of the audio, in seconds.
    public static let measuringTime = 0.25
    /// The shortest time between the request and the first frame of the audio, in seconds. With less time, playback starts without silence.
    public static let shortestNotice = 0.4
    /// The last part of the silence, in seconds, which is written only after the device's clock was read. The silence before it is written in
    /// advance, so the clock may be read late, by up to `measuringTime - reserve`.
    static let reserve = 0.05
}

/// A start of playback that waits for a host time, and the item and the media frame that are heard first at that host time.
struct AwaitedStart {
    let host: HostTime
    let item: ItemID
    /// The media position of the first frame, in frames.
    let media: Double
}
