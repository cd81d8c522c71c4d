import Foundation
import PlaybackEngine
import PlaybackTesting

@testable import FFmpegMedia

/// The files of a stream, as ffmpeg makes them, and a server for them.
struct HLSFolder {
    /// The files by their paths, such as `/list.m3u8`.
    var files: [String: [UInt8]] = [:]

    /// Makes a stream of a signal, in segments of about a second.
    ///
    /// - Parameter arguments: The arguments of ffmpeg for the codec and the form of the segments.
    init(_ signal: TestSignal, as name: String, _ arguments: [String]) throws {
        let source = try TestMedia.shared.wave(signal)
        let folder = try TestMedia.shared.file("hls-\(signal.seed)-\(signal.sampleRate)-\(name)") { url in
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let options = ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]
            try TestMedia.ffmpeg(["-i", source.path] + arguments + options + [url.appendingPathComponent("list.m3u8").path])
        }
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            files["/" + file.lastPathComponent] = try [UInt8](Data(contentsOf: file))
        }
    }

    init(files: [String: [UInt8]]) { self.files = files }

    /// The stream of a signal as FLAC in fragments of MP4: its samples are those of the signal.
    static func flac(_ signal: TestSignal) throws -> HLSFolder {
        try HLSFolder(signal, as: "flac", ["-c:a", "flac", "-strict", "-2", "-hls_segment_type", "fmp4"])
    }

    /// The text of a file.
    subscript(_ path: String) -> String {
        get { String(decoding: files[path] ?? [], as: UTF8.self) }
        set { files[path] = Array(newValue.utf8) }
    }

    /// The paths of the segments, in their order.
    var segments: [String] {
        self["/list.m3u8"].split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }.map { "/" + $0 }
    }

    /// The sum of the durations that the playlist states, in seconds. FFmpeg counts the last packet twice in some versions.
    var statedDuration: Double {
        self["/list.m3u8"].split(whereSeparator: \.isNewline).filter { $0.hasPrefix("#EXTINF:") }
            .compactMap { Double($0.dropFirst(8).prefix { $0 != "," }) }.reduce(0, +)
    }

    /// Serves the files; what is not among them is missing.
    func server() throws -> MediaServer {
        try MediaServer { [files] request in
            let path = String(request.target.prefix { $0 != "?" })
            guard let bytes = files[path] else { return .raw("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n") }
            return .bytes(bytes, ranges: true)
        }
    }

    /// Opens the playlist of a server.
    static func open(_ server: MediaServer, _ path: String = "/list.m3u8", precise: Bool = false) throws(PlaybackError) -> any AudioReader {
        try FFmpegOpener().open(MediaSource(.remote(url: server.url(path)), prefersPreciseDuration: precise), interrupt: Interrupt())
    }
}
