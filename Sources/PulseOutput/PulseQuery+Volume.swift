import CPulse
import PlaybackEngine

extension PulseQuery {
    /// Without amplification (`PA_VOLUME_NORM`).
    private static let norm = 65_536.0

    /// On PulseAudio's cubic scale, on which 1 is no amplification; rounded to 0.0001.
    static func volume(_ volume: pa_volume_t) -> Double { (Double(volume) / norm * 10_000).rounded() / 10_000 }

    /// Nil leaves a value unchanged. `volume` is that of the loudest channel on the cubic scale, limited to 0…`DeviceVolume.maximum`; the balance
    /// stays. False if there is no such device, or the server refuses or does not answer. Blocks for at most `timeout` seconds.
    public static func setVolume(of sink: String, volume: Double?, isMuted: Bool?, server: String? = nil, timeout: Double) -> Bool {
        withContext(server: server, timeout: timeout) { context, iterate in
            let change = VolumeChange()
            let user = Unmanaged.passUnretained(change).toOpaque()
            func run(_ operation: OpaquePointer?) -> Bool {
                guard let operation else { return false }
                defer { pa_operation_unref(operation) }
                while pa_operation_get_state(operation) == PA_OPERATION_RUNNING {
                    guard iterate() else {
                        // Afterwards libpulse does not call back.
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

    /// Accessed only on the thread that runs libpulse's loop.
    final class VolumeChange {
        private(set) var channels: pa_cvolume?
        /// The last request was carried out.
        private(set) var succeeded = false
        func receive(_ channels: pa_cvolume) { self.channels = channels }
        func receive(success: Bool) { succeeded = success }
    }
}

/// The call without facts ends the reply.
func pulseVolumeFound(_ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32, _ change: UnsafeMutableRawPointer?) {
    guard let change, end == 0, let info else { return }
    Unmanaged<PulseQuery.VolumeChange>.fromOpaque(change).takeUnretainedValue().receive(info.pointee.volume)
}

func pulseVolumeSet(_ context: OpaquePointer?, _ success: Int32, _ change: UnsafeMutableRawPointer?) {
    guard let change else { return }
    Unmanaged<PulseQuery.VolumeChange>.fromOpaque(change).takeUnretainedValue().receive(success: success != 0)
}
