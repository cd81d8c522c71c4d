import CPulse
import PlaybackEngine

extension AudioFormat {
    /// Nil if PulseAudio does not support the format.
    var pulseSampleSpecification: pa_sample_spec? {
        guard let rate = UInt32(exactly: sampleRate), let channels = UInt8(exactly: channelCount) else { return nil }
        var specification = pa_sample_spec(format: CPulse_nativeFloat, rate: rate, channels: channels)
        return pa_sample_spec_valid(&specification) != 0 ? specification : nil
    }

    /// The stream's buffer has room for 2 s, and the server requests frames every 0.9 s. The server sets the device's latency to what twice 0.9 s
    /// leaves, 0.2 s, which is short enough for devices that cannot be rewound.
    ///
    /// With a `prebuf` of one frame, playback starts with the first frame, and the server waits in an underrun; with a `prebuf` of 0, it would
    /// advance its read index meanwhile.
    func pulseBufferAttributes(bytesPerFrame: Int) -> pa_buffer_attr {
        // The server stores at most 4 MiB for each stream.
        let frames = min(2 * sampleRate, (3 << 20) / bytesPerFrame)
        let bytes = { (frames: Int) in UInt32(max(1, frames) * bytesPerFrame) }
        return pa_buffer_attr(
            maxlength: .max, tlength: bytes(frames), prebuf: UInt32(bytesPerFrame), minreq: bytes(frames * 9 / 20), fragsize: .max)
    }
}

extension ChannelLayout {
    /// The channels in libpulse's default order if the layout does not name them; nil if libpulse does not support their number.
    var pulseChannelMap: pa_channel_map? {
        var map = pa_channel_map()
        guard let channels = UInt8(exactly: count), channels <= UInt8(PA_CHANNELS_MAX) else { return nil }
        if self == .mono { return pa_channel_map_init_mono(&map)?.pointee }
        guard mask != 0, mask < 1 << UInt64(Self.pulsePositions.count), mask.nonzeroBitCount == count else {
            return pa_channel_map_init_extend(&map, UInt32(channels), PA_CHANNEL_MAP_DEFAULT)?.pointee
        }
        map.channels = channels
        withUnsafeMutableBytes(of: &map.map) { bytes in
            let positions = bytes.bindMemory(to: pa_channel_position_t.self)
            let named = Self.pulsePositions.enumerated().filter { mask & 1 << UInt64($0.offset) != 0 }
            for (channel, position) in named.enumerated() { positions[channel] = position.element }
        }
        return pa_channel_map_valid(&map) != 0 ? map : nil
    }

    /// Nil if a channel has no equivalent in `ChannelLayout`, or two channels have the same one.
    init?(_ map: pa_channel_map) {
        guard map.channels > 0 else { return nil }
        if map.channels == 1 { self = .mono; return }
        let mask = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels)).reduce(UInt64(0)) { mask, position in
                mask | (Self.pulsePositions.firstIndex(of: position).map { 1 << UInt64($0) } ?? 0)
            }
        }
        guard mask.nonzeroBitCount == Int(map.channels) else { return nil }
        self.init(mask: mask)
    }

    /// The positions, each at the index of its bit in `ChannelLayout.mask`.
    private static let pulsePositions: [pa_channel_position_t] = [
        PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT, PA_CHANNEL_POSITION_FRONT_CENTER, PA_CHANNEL_POSITION_LFE,
        PA_CHANNEL_POSITION_REAR_LEFT, PA_CHANNEL_POSITION_REAR_RIGHT, PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER,
        PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER, PA_CHANNEL_POSITION_REAR_CENTER, PA_CHANNEL_POSITION_SIDE_LEFT,
        PA_CHANNEL_POSITION_SIDE_RIGHT, PA_CHANNEL_POSITION_TOP_CENTER, PA_CHANNEL_POSITION_TOP_FRONT_LEFT,
        PA_CHANNEL_POSITION_TOP_FRONT_CENTER, PA_CHANNEL_POSITION_TOP_FRONT_RIGHT, PA_CHANNEL_POSITION_TOP_REAR_LEFT,
        PA_CHANNEL_POSITION_TOP_REAR_CENTER, PA_CHANNEL_POSITION_TOP_REAR_RIGHT,
    ]
}
