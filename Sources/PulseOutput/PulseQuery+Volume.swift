import CPulse
import PlaybackEngine

extension PulseQuery {
    /// PulseAudio's number for a volume without amplification (`PA_VOLUME_NORM`).
    private static let norm = 65_536.0

    /// Converts a volume of PulseAudio to a number on PulseAudio's cubic scale, on which 1 is no amplification. The result is rounded to 0.0001.
    static func volume(_ volume: pa_volume_t) -> Double { (Double(volume) / norm * 10_000).rounded() / 10_000 }

    /// Sets the volume and the mute of an output device; nil leaves the volume or the mute unchanged. `volume` is that of the loudest channel, on
    /// PulseAudio's cubic scale, and is limited to 0…`DeviceVolume.maximum`. The balance of the channels stays. Returns false if the device does not
    /// exist, if the server refuses a change, or if no server answers. Blocks for at most `timeout` seconds.
    public static func setVolume(of sink: String, volume: Double?, isMuted: Bool?, server: String? = nil, timeout: Double) -> Bool {
        withContext(server: server, timeout: timeout) { context, iterate in
            let change = VolumeChange()
            let user = Unmanaged.passUnretained(change).toOpaque()
            func run(_ operation: OpaquePointer?) -> Bool {
                guard let operation else { return false }
                defer { pa_operation_unref(operation) }
                while pa_operation_get_state(operation) == PA_OPERATION_RUNNING {
                    guard iterate() else {
                        // After the cancellation libpulse does not call back, so the object `change` may be released.
                        pa_operation_cancel(operation)
                        return false
                    }
                }
                return true
            }
            guard run(pa_context_get_sink_info_by_name(context, sink, pulseVolumeFound, user)), var channels = change.channels else { return false }
            if let volume {
                pa_cvolume_scale(&channels, pa_volume_t(min(DeviceVolume.maximum, max(0, volume)) * norm))
                guard run(pa_context_set_sink_volume_by_name(context, sink, &channels, pulseVolumeSet, user)), change.succeeded else { return false }
            }
            if let isMuted {
                guard run(pa_context_set_sink_mute_by_name(context, sink, isMuted ? 1 : 0, pulseVolumeSet, user)), change.succeeded else {
                    return false
                }
            }
            return true
        } ?? false
    }

    /// The replies of the server during a change of a volume. Accessed only on the thread that runs libpulse's loop.
    final class VolumeChange {
        private(set) var channels: pa_cvolume?
        /// Whether the server has carried out the last request.
        private(set) var succeeded = false
        func receive(_ channels: pa_cvolume) { self.channels = channels }
        func receive(success: Bool) { succeeded = success }
    }
}

/// libpulse's callback for the look-up of an output device. The call without facts, which ends the reply, is ignored.
func pulseVolumeFound(_ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32, _ change: UnsafeMutableRawPointer?) {
    guard let change, end == 0, let info else { return }
    Unmanaged<PulseQuery.VolumeChange>.fromOpaque(change).takeUnretainedValue().receive(info.pointee.volume)
}

/// libpulse's callback for the reply to a change of a volume or of a mute.
func pulseVolumeSet(_ context: OpaquePointer?, _ success: Int32, _ change: UnsafeMutableRawPointer?) {
    guard let change else { return }
    Unmanaged<PulseQuery.VolumeChange>.fromOpaque(change).takeUnretainedValue().receive(success: success != 0)
}
