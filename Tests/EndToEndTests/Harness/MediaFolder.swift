import Foundation
import PlaybackTesting

/// A temporary folder of generated media. It is deleted when this object is released.
final class MediaFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "tonearm-e2e-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
    /// Returns the URL of a file of the folder, as a client writes it in a request.
    func url(_ name: String) -> String { URL(filePath: file(name)).absoluteString }

    /// Writes frames to a WAV file of 16 bits, in stereo.
    @discardableResult
    func wav(_ name: String, _ frames: [Noise.Frame], rate: Int = Noise.rate) throws -> String {
        try bytes(name, WaveFile.data(frames, sampleRate: rate))
    }

    /// Writes the samples of each channel to a WAV file.
    @discardableResult
    func wav(_ name: String, channels: [[Int32]], bits: Int, rate: Int) throws -> String {
        try bytes(name, WaveFile.data(channels: channels, bits: bits, sampleRate: rate))
    }

    /// Converts a file of the folder with the ffmpeg program.
    @discardableResult
    func encode(_ from: String, to name: String, _ arguments: String...) throws -> String { try encode(from, to: name, arguments) }

    @discardableResult
    func encode(_ from: String, to name: String, _ arguments: [String]) throws -> String {
        try run("ffmpeg", ["-nostdin", "-v", "error", "-y", "-i", file(from)] + arguments + [file(name)])
        return file(name)
    }

    @discardableResult
    func bytes(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        return file(name)
    }
}
