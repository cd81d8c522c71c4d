import Foundation
import Platform
import PlaybackTesting
import Synchronization

/// A server of the files of a folder in which ffmpeg has made streams of HTTP Live Streaming.
///
/// `NAME/list.m3u8` is a whole stream. `NAME/live.m3u8` is the same one as if it were recorded now: it begins with `window` segments when it is
/// requested first, gets another one each second, keeps the newest `window` of them, and ends with the whole stream.
final class StreamServer {
    private let server: MediaServer

    static let window = 12

    /// The time of the first request for a live playlist.
    private final class Beginning: Sendable {
        private let time = Mutex<HostTime?>(nil)
        func elapsed(_ now: HostTime) -> Double {
            time.withLock { time in
                let first = time ?? now
                time = first
                return now - first
            }
        }
    }

    /// - Parameter silence: The seconds of a live stream in which its playlist does not change, although the recording goes on.
    init(folder: String, silence: Range<Double> = 0..<0) throws {
        let beginning = Beginning()
        server = try MediaServer { request in
            var path = String(request.target.prefix { $0 != "?" })
            let isLive = path.hasSuffix("/live.m3u8")
            if isLive { path = path.replacingOccurrences(of: "/live.m3u8", with: "/list.m3u8") }
            guard let bytes = FileManager.default.contents(atPath: folder + path) else {
                return .raw("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            }
            guard isLive else { return .bytes([UInt8](bytes), ranges: true) }
            let elapsed = beginning.elapsed(MonotonicClock().now)
            let shown = silence.contains(elapsed) ? silence.lowerBound : elapsed
            return .bytes(Array(StreamServer.live(String(decoding: bytes, as: UTF8.self), after: shown).utf8), ranges: true)
        }
    }

    deinit { server.stop() }

    func url(_ path: String) -> String { server.url("/" + path) }

    /// The playlist of a live stream, some seconds after its beginning.
    private static func live(_ list: String, after seconds: Double) -> String {
        let lines = list.split(whereSeparator: \.isNewline)
        let segments = lines.indices.filter { lines[$0].hasPrefix("#EXTINF:") }
        let count = min(segments.count, window + Int(seconds)), first = max(0, count - window)
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
        for line in lines where line.hasPrefix("#EXT-X-MAP:") { text += "\(line)\n" }
        for index in segments[first..<count] { text += "\(lines[index])\n\(lines[index + 1])\n" }
        return count == segments.count ? text + "#EXT-X-ENDLIST\n" : text
    }
}

extension MediaFolder {
    /// Makes a stream of HTTP Live Streaming of a file of the folder, with segments of about a second, in the folder `name`.
    ///
    /// - Parameter arguments: The arguments of ffmpeg for the codec and the form of the segments.
    func stream(_ from: String, as name: String, _ arguments: [String]) throws {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
        try encode(from, to: name + "/list.m3u8", arguments + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"])
    }

    /// Joins the header of a stream, if it has one, and its segments to one file.
    func join(_ stream: String, to name: String) throws {
        let lines = try String(contentsOfFile: file(stream + "/list.m3u8"), encoding: .utf8).split(whereSeparator: \.isNewline)
        let segments = lines.filter { !$0.hasPrefix("#") }.map(String.init)
        let header = lines.contains { $0.hasPrefix("#EXT-X-MAP:") } ? ["init.mp4"] : []
        try bytes(name, (header + segments).map { try Data(contentsOf: URL(filePath: file("\(stream)/\($0)"))) }.joined())
    }
}
