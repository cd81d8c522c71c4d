import CPulse
import Platform
public import PlaybackEngine

/// Queries about devices, and changes of their volumes, each with a short connection of its own.
public enum PulseQuery {
    /// Connects to the server, and calls `body`; returns nil if no server answers. The call takes at most `timeout` seconds, and never more than 60.
    /// The function that `body` gets waits for the next event of libpulse, and returns false after the timeout or the loss of the connection.
    static func withContext<Result>(server: String?, timeout: Double, _ body: (OpaquePointer, () -> Bool) -> Result) -> Result? {
        guard let loop = pa_mainloop_new() else { return nil }
        defer { pa_mainloop_free(loop) }
        guard let context = pa_context_new(pa_mainloop_get_api(loop), "Tonearm") else { return nil }
        defer {
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
        guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) == 0 else { return nil }
        let clock = MonotonicClock()
        let deadline = clock.now + min(max(0, timeout), 60)
        func iterate() -> Bool {
            let left = deadline - clock.now
            guard pa_context_get_state(context).isGood, left > 0 else { return false }
            guard pa_mainloop_prepare(loop, Int32(left * 1e6)) >= 0, pa_mainloop_poll(loop) >= 0 else { return false }
            return pa_mainloop_dispatch(loop) >= 0
        }
        while pa_context_get_state(context) != PA_CONTEXT_READY {
            guard iterate() else { return nil }
        }
        return body(context, iterate)
    }
}

extension PulseQuery {
    /// An output device of the server.
    public struct Sink: Sendable, Hashable {
        /// The device's stable name, for `PulseOutputProvider.sinkName`.
        public var name: String
        /// The device's name for users.
        public var description: String
        /// The volume of the loudest channel.
        public var volume: DeviceVolume?
        public init(name: String, description: String, volume: DeviceVolume? = nil) {
            (self.name, self.description, self.volume) = (name, description, volume)
        }
    }

    /// The devices in the server's order; none if no server answers. Blocks for at most `timeout` seconds.
    public static func sinks(server: String? = nil, timeout: Double) -> [Sink] {
        withContext(server: server, timeout: timeout) { context, iterate in
            let found = FoundSinks()
            let operation = pa_context_get_sink_info_list(context, pulseSinkListed, Unmanaged.passUnretained(found).toOpaque())
            guard let operation else { return [] }
            defer { pa_operation_unref(operation) }
            while !found.isComplete {
                guard iterate() else {
                    // After this, libpulse does not call back.
                    pa_operation_cancel(operation)
                    return []
                }
            }
            return found.sinks
        } ?? []
    }

    /// The devices that libpulse has reported. Accessed only on the thread that runs libpulse's loop.
    final class FoundSinks {
        private(set) var sinks: [Sink] = []
        private(set) var isComplete = false

        /// The argument is nil at the end of the list.
        func receive(_ sink: Sink?) { if let sink { sinks.append(sink) } else { isComplete = true } }
    }
}

/// libpulse's callback for a list of devices: each call has one device, or is the end of the list.
func pulseSinkListed(_ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32, _ found: UnsafeMutableRawPointer?) {
    guard let found else { return }
    let list = Unmanaged<PulseQuery.FoundSinks>.fromOpaque(found).takeUnretainedValue()
    guard end == 0, let info else { return list.receive(nil) }
    guard let name = info.pointee.name.map({ String(cString: $0) }) else { return }
    var channels = info.pointee.volume
    let volume = DeviceVolume(volume: PulseQuery.volume(pa_cvolume_max(&channels)), isMuted: info.pointee.mute != 0)
    list.receive(PulseQuery.Sink(name: name, description: info.pointee.description.map { String(cString: $0) } ?? name, volume: volume))
}

extension PulseQuery {
    /// The volume without amplification (`PA_VOLUME_NORM`).
    private static let norm = 65_536.0

    /// The volume on PulseAudio's cubic scale, on which 1 is no amplification; rounded to 0.0001.
    static func volume(_ volume: pa_volume_t) -> Double { (Double(volume) / norm * 10_000).rounded() / 10_000 }

    /// Sets the volume and the mute of a device; nil leaves either unchanged. `volume` is that of the loudest channel on the cubic scale, limited to
    /// 0…`DeviceVolume.maximum`; the balance stays. Returns false if there is no such device, or the server refuses or does not answer. Blocks for at
    /// most `timeout` seconds.
    public static func setVolume(of sink: String, volume: Double?, isMuted: Bool?, server: String? = nil, timeout: Double) -> Bool {
        withContext(server: server, timeout: timeout) { context, iterate in
            let change = VolumeChange()
            let user = Unmanaged.passUnretained(change).toOpaque()
            func run(_ operation: OpaquePointer?) -> Bool {
                guard let operation else { return false }
                defer { pa_operation_unref(operation) }
                while pa_operation_get_state(operation) == PA_OPERATION_RUNNING {
                    guard iterate() else {
                        // After this, libpulse does not call back.
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

    /// The replies about a change of volume. Accessed only on the thread that runs libpulse's loop.
    final class VolumeChange {
        private(set) var channels: pa_cvolume?
        /// Whether the server has carried out the last request.
        private(set) var succeeded = false
        func receive(_ channels: pa_cvolume) { self.channels = channels }
        func receive(success: Bool) { succeeded = success }
    }
}

/// Stores the reported volume; the last call of a reply has none, and is ignored.
func pulseVolumeFound(_ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32, _ change: UnsafeMutableRawPointer?) {
    guard let change, end == 0, let info else { return }
    Unmanaged<PulseQuery.VolumeChange>.fromOpaque(change).takeUnretainedValue().receive(info.pointee.volume)
}

func pulseVolumeSet(_ context: OpaquePointer?, _ success: Int32, _ change: UnsafeMutableRawPointer?) {
    guard let change else { return }
    Unmanaged<PulseQuery.VolumeChange>.fromOpaque(change).takeUnretainedValue().receive(success: success != 0)
}
