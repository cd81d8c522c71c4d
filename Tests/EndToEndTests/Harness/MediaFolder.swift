import Foundation

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
        var bytes = Data(capacity: 44 + frames.count * 4)
        func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
        func put(_ number: Int, _ size: Int) { bytes.append(contentsOf: (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }) }
        put("RIFF")
        put(36 + frames.count * 4, 4)
        put("WAVEfmt ")
        put(16, 4)
        put(1, 2)
        put(2, 2)
        put(rate, 4)
        put(rate * 4, 4)
        put(4, 2)
        put(16, 2)
        put("data")
        put(frames.count * 4, 4)
        for frame in frames {
            put(Int(frame.left), 2)
            put(Int(frame.right), 2)
        }
        try bytes.write(to: URL(filePath: file(name)))
        return file(name)
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
