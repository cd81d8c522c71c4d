import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia
@testable import HTTPClient

/// The sources and reloads of one playlist.
@Suite("HLS feeds")
struct HLSFeedTests {
    private static let signal = TestSignal(frameCount: 5 * 44_100 + 777)
    private static var samples: [Float] { signal.integers(bits: 16).map { Float($0) * 0x1p-15 } }
    private let interrupt = Interrupt()

    /// The feed of a playlist that was requested long ago, so that a live one is loaded again at once.
    private func feed(_ server: MediaServer, _ playlist: String, isPublic: Bool = false, longest: Double = 3600) throws -> HLSFeed {
        guard case .media(let media) = try HLSPlaylist(Array(playlist.utf8)) else { throw HLSError.notPlaylist }
        let url = server.url("/list.m3u8"), address = AnsweringAddress.Value(url: url, isPublic: isPublic, contentType: nil)
        return HLSFeed(
            media, at: url, isNamedByPublic: false, from: address, requestedAt: MonotonicClock().now + -1000, importing: HLSVariables(),
            of: MediaSource(.remote(url: url)), retryPolicy: RetryPolicy(), longest: longest)
    }

    /// Serves the files of a folder. After a hundred requests, which no test needs, the interrupt ends the reading.
    private func server(_ folder: HLSFolder) throws -> MediaServer {
        let count = Mutex(0), interrupt = interrupt
        return try MediaServer { request in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            if number > 100 { interrupt.raise() }
            return .bytes(folder.files[request.target] ?? [], ranges: true)
        }
    }

    private func samples(_ source: any SampleSource) throws -> [Float] {
        let channels = source.format.channelCount, buffer = UnsafeMutablePointer<Float>.allocate(capacity: 4096 * channels)
        defer { buffer.deallocate() }
        var output: [Float] = []
        while true {
            let count = try source.fill(buffer, capacity: 4096)
            if count == 0 { return output }
            output += UnsafeBufferPointer(start: buffer, count: count * channels)
        }
    }

    private func parts(_ server: MediaServer) throws -> RemoteParts {
        try RemoteParts(MediaSource(.remote(url: server.url("/list.m3u8"))), retryPolicy: RetryPolicy(), isLive: true, interrupt: interrupt)
    }

    // MARK: Reloads

    @Test("a private URL of the user that leads to a public server is loaded again, and what that server names is not private")
    func privateURL() throws {
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n"
        let server = try server(HLSFolder(files: ["/list.m3u8": Array(list.utf8), "/a.ts": [1]]))
        defer { server.stop() }
        let feed = try feed(server, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n", isPublic: true), parts = try parts(server)
        #expect(try feed.place(0, parts)?.segment.location == "a.ts")
        let error = #expect(throws: PlaybackError.self) { try feed.open("a.ts", range: nil, parts, isContinuation: true) }
        #expect(error?.code == .addressNotAllowed)
    }

    @Test("the examination of a live stream that gets no segments fails with the reason")
    func examinationWithoutSegments() throws {
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n", server = try server(HLSFolder(files: ["/list.m3u8": Array(list.utf8)]))
        defer { server.stop() }
        let feed = try feed(server, list), parts = try parts(server)
        let error = #expect(throws: PlaybackError.self) { try feed.place(0, parts) }
        #expect(error?.code == .network && error?.reason == .unavailable)
    }

    @Test("a segment that has left the window of a live stream that has stopped is not awaited")
    func passedBeforeStop() throws {
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n"
        let server = try server(HLSFolder(files: ["/list.m3u8": Array(list.utf8)]))
        defer { server.stop() }
        let feed = try feed(server, list), parts = try parts(server)
        #expect(try feed.place(-1, parts) == nil)
    }

    // MARK: Sources that have become long

    @Test("segments that are longer than a source may be play without a lost or repeated sample")
    func longSegments() throws {
        let folder = try HLSFolder.flac(Self.signal), server = try server(folder)
        defer { server.stop() }
        #expect(try samples(HLSStream(feed(server, folder["/list.m3u8"], longest: 0.5), interrupt: interrupt)) == Self.samples)
    }

    @Test("a source that has become long is continued although the playlist states wrong durations")
    func wrongDurations() throws {
        let folder = try HLSFolder.flac(Self.signal), server = try server(folder)
        defer { server.stop() }
        let list = folder["/list.m3u8"].replacingOccurrences(of: "#EXTINF:[0-9.]*", with: "#EXTINF:10", options: .regularExpression)
        #expect(try samples(HLSStream(feed(server, list, longest: 15), interrupt: interrupt)) == Self.samples)
    }

    @Test("live segments that are longer than a source may be play without a lost or repeated sample")
    func longLiveSegments() throws {
        let folder = try HLSFolder.flac(Self.signal), server = try server(folder)
        defer { server.stop() }
        let list = folder["/list.m3u8"].replacingOccurrences(of: "#EXT-X-PLAYLIST-TYPE:VOD\n", with: "#EXT-X-START:TIME-OFFSET=0\n")
            .replacingOccurrences(of: "#EXT-X-ENDLIST\n", with: "")
        #expect(try samples(HLSLive(feed(server, list, longest: 0.5), interrupt: interrupt)) == Self.samples)
    }
}
