import CALSA
import PlaybackEngine

/// A device of ALSA that is open for playback. It never blocks, and starts by itself with the first frames.
///
/// `@unchecked Sendable`: `ALSASink` uses it only inside its mutex.
final class PCM: @unchecked Sendable {
    /// The duration of the device's buffer that is asked for, in microseconds.
    private static let bufferTime: UInt32 = 500_000
    /// The formats in the order of preference, of which the first three keep 24 bits.
    private static let formats: [(WaveEncoding, snd_pcm_format_t)] = [
        (.int32, SND_PCM_FORMAT_S32_LE), (.int24, SND_PCM_FORMAT_S24_3LE), (.float32, SND_PCM_FORMAT_FLOAT_LE), (.int16, SND_PCM_FORMAT_S16_LE),
    ]

    private let handle: OpaquePointer
    let encoding: WaveEncoding
    let sampleRate: Int
    let channelCount: Int
    let bufferFrames: Int

    /// Opens a device.
    /// - Parameters:
    ///   - name: The name, as `aplay -L` prints it.
    ///   - converts: Whether ALSA may convert the rate. Otherwise the device gets the nearest rate and number of channels that it has.
    init(_ name: String, _ format: AudioFormat, converts: Bool) throws(PlaybackError) {
        // Errors are thrown, so ALSA need not write them to standard error.
        CALSA_silence()
        var opened: OpaquePointer?
        let code = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let opened else { throw .alsa(code, "The device \(name) cannot be opened.") }
        do throws(PlaybackError) {
            var made: OpaquePointer?
            try Self.check(snd_pcm_hw_params_malloc(&made))
            guard let parameters = made else { throw .outOfMemory }
            defer { snd_pcm_hw_params_free(parameters) }
            try Self.check(snd_pcm_hw_params_any(opened, parameters))
            try Self.check(snd_pcm_hw_params_set_rate_resample(opened, parameters, converts ? 1 : 0))
            try Self.check(snd_pcm_hw_params_set_access(opened, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
            guard let chosen = Self.formats.first(where: { snd_pcm_hw_params_test_format(opened, parameters, $0.1) == 0 }) else {
                throw .alsa(-EINVAL, "The device \(name) takes no format that the player has.")
            }
            try Self.check(snd_pcm_hw_params_set_format(opened, parameters, chosen.1))
            var channels = UInt32(format.channelCount), rate = UInt32(format.sampleRate), time = Self.bufferTime, direction: Int32 = 0
            try Self.check(snd_pcm_hw_params_set_channels_near(opened, parameters, &channels))
            try Self.check(snd_pcm_hw_params_set_rate_near(opened, parameters, &rate, &direction))
            direction = 0
            try Self.check(snd_pcm_hw_params_set_buffer_time_near(opened, parameters, &time, &direction))
            try Self.check(snd_pcm_hw_params(opened, parameters))
            var frames: snd_pcm_uframes_t = 0
            try Self.check(snd_pcm_hw_params_get_buffer_size(parameters, &frames))
            encoding = chosen.0
            sampleRate = Int(rate)
            channelCount = Int(channels)
            bufferFrames = Int(frames)
            handle = opened
        } catch {
            snd_pcm_close(opened)
            throw error
        }
    }

    deinit { snd_pcm_close(handle) }

    /// The frames that the device has and has not played; 0 in an underrun.
    var delay: Int {
        var frames: snd_pcm_sframes_t = 0
        return snd_pcm_delay(handle, &frames) < 0 ? 0 : max(0, Int(frames))
    }

    /// The frames that the device takes now. Ends an underrun. Throws if the device is gone.
    func room() throws(PlaybackError) -> Int {
        var frames = snd_pcm_avail_update(handle)
        if frames == -Int(EPIPE) || frames == -Int(ESTRPIPE) {
            try Self.check(snd_pcm_prepare(handle))
            frames = snd_pcm_avail_update(handle)
        }
        guard frames >= 0 else { throw .alsa(Int32(truncatingIfNeeded: frames), "The device was lost.") }
        return min(Int(frames), bufferFrames)
    }

    /// Gives frames to the device; returns how many it has taken.
    func write(_ bytes: [UInt8], frames: Int) throws(PlaybackError) -> Int {
        let count = bytes.withUnsafeBytes { snd_pcm_writei(handle, $0.baseAddress, snd_pcm_uframes_t(frames)) }
        if count == -Int(EAGAIN) || count == -Int(EPIPE) || count == -Int(ESTRPIPE) { return 0 }
        guard count >= 0 else { throw .alsa(Int32(truncatingIfNeeded: count), "The device was lost.") }
        return count
    }

    /// Stops the device at once; it forgets the frames that it has not played.
    func drop() {
        snd_pcm_drop(handle)
        snd_pcm_prepare(handle)
    }

    private static func check(_ code: Int32) throws(PlaybackError) {
        guard code >= 0 else { throw .alsa(code, "The device does not take the format.") }
    }
}

extension PlaybackError {
    /// `code` is a negative `errno`; `message` names the operation for users.
    static func alsa(_ code: Int32, _ message: String) -> PlaybackError {
        let detail = snd_strerror(code).map { String(cString: $0) } ?? "unknown error"
        return PlaybackError(.outputUnavailable, message, underlying: Underlying(domain: "ALSA", code: Int(-code), message: detail))
    }
}
