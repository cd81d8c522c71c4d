import CPulse
public import PlaybackEngine

extension PulseQuery {
    /// An output device of the server.
    public struct Sink: Sendable, Hashable {
        /// Stable; for `PulseOutputProvider.sinkName`.
        public var name: String
        /// For users.
        public var description: String
        /// Of the loudest channel.
        public var volume: DeviceVolume?
        public init(name: String, description: String, volume: DeviceVolume? = nil) {
            (self.name, self.description, self.volume) = (name, description, volume)
        }
    }

    /// In the server's order; empty if none answers. Blocks for at most `timeout` seconds.
    public static func sinks(server: String? = nil, timeout: Double) -> [Sink] {
        withContext(server: server, timeout: timeout) { context, iterate in
            let found = FoundSinks()
            let operation = pa_context_get_sink_info_list(context, pulseSinkListed, Unmanaged.passUnretained(found).toOpaque())
            guard let operation else { return [] }
            defer { pa_operation_unref(operation) }
            while !found.isComplete {
                guard iterate() else {
                    // Afterwards libpulse does not call back.
                    pa_operation_cancel(operation)
                    return []
                }
            }
            return found.sinks
        } ?? []
    }

    /// Accessed only on the thread that runs libpulse's loop.
    final class FoundSinks {
        private(set) var sinks: [Sink] = []
        private(set) var isComplete = false

        /// Nil at the end of the list.
        func receive(_ sink: Sink?) { if let sink { sinks.append(sink) } else { isComplete = true } }
    }
}

/// One device in each call, or the end of the list.
func pulseSinkListed(_ context: OpaquePointer?, _ info: UnsafePointer<pa_sink_info>?, _ end: Int32, _ found: UnsafeMutableRawPointer?) {
    guard let found else { return }
    let list = Unmanaged<PulseQuery.FoundSinks>.fromOpaque(found).takeUnretainedValue()
    guard end == 0, let info else { return list.receive(nil) }
    guard let name = info.pointee.name.map({ String(cString: $0) }) else { return }
    var channels = info.pointee.volume
    let volume = DeviceVolume(volume: PulseQuery.volume(pa_cvolume_max(&channels)), isMuted: info.pointee.mute != 0)
    list.receive(PulseQuery.Sink(name: name, description: info.pointee.description.map { String(cString: $0) } ?? name, volume: volume))
}
