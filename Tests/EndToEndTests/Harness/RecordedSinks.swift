import Foundation
import PlaybackTesting

/// A sound server with several devices, each of which is recorded. The devices are pipes, which receive exactly what hardware would receive.
final class RecordedSinks {
    /// The sample formats of devices, as PulseAudio names them.
    enum Depth: String, CaseIterable {
        case s16le, s24le, s32le, float32le
        var bytes: Int { self == .s16le ? 2 : self == .s24le ? 3 : 4 }
    }

    struct Device {
        var name: String
        var rate: Int
        var depth = Depth.s32le
        var channels = 2
        /// PulseAudio's names of the channels, separated by commas; nil for PulseAudio's default.
        var map: String?
    }

    let server: PrivatePulseServer
    let devices: [Device]
    private let folder: MediaFolder
    private let recordings: [PulseRecording]

    init(_ devices: [Device]) throws {
        let folder = try MediaFolder()
        let modules = devices.map { device in
            "module-pipe-sink sink_name=\(device.name) file=\(folder.file(device.name)) rate=\(device.rate) format=\(device.depth.rawValue)"
                + " channels=\(device.channels) use_system_clock_for_timing=yes" + (device.map.map { " channel_map=\($0)" } ?? "")
        }
        server = try PrivatePulseServer(.none, modules: modules)
        recordings = try devices.map {
            try PulseRecording(
                fifo: folder.file($0.name), sampleRate: $0.rate, channelCount: $0.channels, bytesPerSample: $0.depth.bytes,
                isFloat: $0.depth == .float32le)
        }
        self.devices = devices
        self.folder = folder
    }

    deinit { server.stop() }

    func recording(_ name: String) -> PulseRecording { recordings[index(name)] }

    /// Returns the samples of each channel of a device from frame number `frame` on, as integers of 32 bits. Floats of 24 bits become exact.
    func channels(of name: String, from frame: Int = 0) -> [[Int32]] {
        let device = devices[index(name)]
        let bytes = recordings[index(name)].bytes(from: frame)
        let (width, count) = (device.depth.bytes, device.channels)
        let frames = bytes.count / (width * count)
        var channels = [[Int32]](repeating: [Int32](repeating: 0, count: frames), count: count)
        bytes.withUnsafeBytes { bytes in
            for channel in 0..<count {
                channels[channel].withUnsafeMutableBufferPointer { output in
                    var frame = 0
                    while frame < frames {
                        output[frame] = Self.sample(bytes, at: (frame * count + channel) * width, device.depth)
                        frame += 1
                    }
                }
            }
        }
        return channels
    }

    private static func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ depth: Depth) -> Int32 {
        switch depth {
        case .s16le: Int32(bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)) << 16
        case .s24le: Int32(bytes[offset]) << 8 | Int32(bytes[offset + 1]) << 16 | Int32(bitPattern: UInt32(bytes[offset + 2]) << 24)
        case .s32le: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
        case .float32le: Int32(clamping: Int64((Double(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)) * 0x1p31).rounded()))
        }
    }

    private func index(_ name: String) -> Int {
        guard let index = devices.firstIndex(where: { $0.name == name }) else { preconditionFailure("there is no device \(name)") }
        return index
    }
}

/// Noise in samples of a given number of bits, different in each channel. No sample is 0, and equal seeds make equal noise.
struct WideNoise {
    let bits: Int
    /// The samples of each channel.
    let channels: [[Int32]]
    var frameCount: Int { channels[0].count }

    init(bits: Int, channels: Int = 2, frames: Int, seed: UInt64) {
        self.bits = bits
        self.channels = (0..<channels).map { channel in
            var state = seed &* 31 &+ UInt64(channel)
            return (0..<frames).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                // Half of the full level, so that nothing is clipped. The lowest bit is set, so that a rounding to fewer bits is a difference.
                return Int32(truncatingIfNeeded: Int64(bitPattern: state) >> Int64(65 - bits)) | 1
            }
        }
    }

    /// Returns the noise as a WAV file.
    func wave(rate: Int) -> Data {
        var samples: [Int32] = []
        samples.reserveCapacity(frameCount * channels.count)
        for frame in 0..<frameCount { for channel in channels { samples.append(channel[frame]) } }
        return WaveFile.data(samples, bits: bits, sampleRate: rate, channelCount: channels.count)
    }

    /// Returns the samples of a channel as integers of 32 bits.
    func wide(_ channel: Int) -> [Int32] { channels[channel].map { $0 << Int32(32 - bits) } }
}

/// Returns the first index of `samples`, from `start` on, at which the 16 samples of `wanted` from `place` on are found; nil if there is none.
func position(of wanted: [Int32], at place: Int = 0, in samples: [Int32], from start: Int = 0) -> Int? {
    let count = min(16, wanted.count - place)
    return samples.withUnsafeBufferPointer { samples in
        wanted.withUnsafeBufferPointer { wanted in
            var index = start
            while index + count <= samples.count {
                var same = 0
                while same < count, samples[index + same] == wanted[place + same] { same += 1 }
                if same == count { return index }
                index += 1
            }
            return nil
        }
    }
}

/// Returns the number of samples from `index` on that are equal to those of `wanted` from `place` on.
func equalSamples(_ samples: [Int32], at index: Int, _ wanted: [Int32], at place: Int) -> Int {
    samples.withUnsafeBufferPointer { samples in
        wanted.withUnsafeBufferPointer { wanted in
            var count = 0
            while index + count < samples.count, place + count < wanted.count, samples[index + count] == wanted[place + count] { count += 1 }
            return count
        }
    }
}
