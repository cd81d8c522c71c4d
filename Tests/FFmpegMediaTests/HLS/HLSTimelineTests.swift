import Platform
import Testing

@testable import FFmpegMedia

/// The timeline of a stream whose playlist is loaded again and again.
@Suite("HLS timelines")
struct HLSTimelineTests {
    private let zero = HostTime(seconds: 100)

    private func media(_ lines: String) throws -> HLSMedia {
        guard case .media(let media) = try HLSPlaylist(Array(("#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + lines).utf8)) else { throw HLSError.notPlaylist }
        return media
    }

    /// A playlist with the segments of these numbers, each of 6 s, called as their numbers.
    private func window(_ numbers: ClosedRange<Int>, _ head: String = "", query: String = "", isEnded: Bool = false) throws -> HLSMedia {
        try media(
            "#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(head)" + numbers.map { "#EXTINF:6,\n\($0).ts\(query)\n" }.joined()
                + (isEnded ? "#EXT-X-ENDLIST\n" : ""))
    }

    private func timeline(_ playlist: HLSMedia) -> HLSTimeline { HLSTimeline(playlist, at: zero) }

    // MARK: A stream that does not change

    @Test("the segments of a complete playlist follow each other from 0 on, and it is not loaded again")
    func complete() throws {
        let timeline = try timeline(media("#EXTINF:6,\na\n#EXTINF:4.5,\nb\n#EXTINF:1,\nc\n#EXT-X-ENDLIST\n"))
        #expect(timeline.places.map(\.start) == [0, 6, 10.5] && timeline.places.map(\.index) == [0, 1, 2])
        #expect(timeline.window == 0..<11.5 && timeline.reloadTime == nil && !timeline.isLive && timeline.startTime == 0)
    }

    @Test("a discontinuity and another map begin another run")
    func runs() throws {
        let lines = "#EXTINF:6,\na\n#EXTINF:6,\nb\n#EXT-X-DISCONTINUITY\n#EXTINF:6,\nc\n#EXT-X-MAP:URI=\"m\"\n#EXTINF:6,\nd\n#EXT-X-ENDLIST\n"
        #expect(try timeline(media(lines)).places.map(\.run) == [0, 0, 1, 2])
    }

    @Test("a discontinuity before the first segment begins no further run")
    func leadingDiscontinuity() throws {
        #expect(try timeline(media("#EXT-X-DISCONTINUITY\n#EXTINF:6,\na\n#EXTINF:6,\nb\n")).places.map(\.run) == [0, 0])
    }

    @Test("the segment of a media time is found", arguments: [(-1.0, 0), (0, 0), (5.9, 0), (6, 1), (17.9, 2), (100, 2)])
    func place(_ time: Double, _ index: Int) throws {
        #expect(try timeline(window(0...2, isEnded: true)).place(at: time)?.index == index)
    }

    @Test("a playlist may begin elsewhere than at its start", arguments: [("7", 6.0), ("-5", 12), ("7,PRECISE=YES", 7), ("100", 12), ("-100", 0)])
    func startTime(_ offset: String, _ time: Double) throws {
        #expect(try timeline(window(0...2, "#EXT-X-START:TIME-OFFSET=\(offset)\n", isEnded: true)).startTime == time)
    }

    // MARK: Reloads

    @Test("new segments are added at the end, and old ones leave the window without a change of any time")
    func sliding() throws {
        var timeline = try timeline(window(10...12))
        #expect(try timeline.update(window(11...14), at: zero + 6) == true)
        #expect(timeline.places.map(\.segment.number) == [11, 12, 13, 14] && timeline.places.map(\.start) == [6, 12, 18, 24])
        #expect(
            timeline.places.map(\.run) == [0, 0, 0, 0] && timeline.window == 6..<30 && timeline[0] == nil && timeline[4]?.segment.location == "14.ts")
    }

    @Test("a playlist is loaded again after the target duration, and after half of it if it has not changed (RFC 8216, section 6.3.4)")
    func reloadTime() throws {
        var timeline = try timeline(window(0...2))
        #expect(timeline.reloadTime == zero + 6)
        #expect(try timeline.update(window(0...2), at: zero + 6) == false)
        #expect(timeline.reloadTime == zero + 9 && timeline.changeTime == zero)
        #expect(try timeline.update(window(0...3), at: zero + 9) == true)
        #expect(timeline.reloadTime == zero + 15 && timeline.changeTime == zero + 9)
    }

    @Test("the end of a live stream is a change, after which it is not loaded again")
    func end() throws {
        var timeline = try timeline(window(0...2))
        #expect(try timeline.update(window(0...2, isEnded: true), at: zero + 6) == true)
        #expect(timeline.hasEnded && timeline.reloadTime == nil && timeline.isLive)
    }

    @Test("a playlist that grows keeps its first segment")
    func event() throws {
        var timeline = try timeline(window(0...1, "#EXT-X-PLAYLIST-TYPE:EVENT\n"))
        #expect(try timeline.update(window(0...4, "#EXT-X-PLAYLIST-TYPE:EVENT\n"), at: zero + 6) == true)
        #expect(timeline.window == 0..<30)
    }

    @Test("a server that begins again at 0 begins a run at the end of the known segments, when a second playlist shows that")
    func restart() throws {
        var timeline = try timeline(window(100...102))
        #expect(try timeline.update(window(0...1), at: zero + 3) == false)
        #expect(try timeline.update(window(0...1), at: zero + 6) == true)
        #expect(timeline.places.map(\.start) == [18, 24] && timeline.places.map(\.index) == [3, 4] && timeline.places.map(\.run) == [1, 1])
        #expect(try timeline.update(window(0...2), at: zero + 12) == true)
        #expect(timeline.places.map(\.start) == [18, 24, 30])
    }

    @Test("a server that begins again with known numbers and other segments begins a run")
    func restartWithinWindow() throws {
        var timeline = try timeline(media("#EXTINF:6,\na1\n#EXTINF:6,\na2\n#EXTINF:6,\na3\n"))
        #expect(try timeline.update(media("#EXTINF:6,\nb1\n"), at: zero + 6) == true)
        #expect(timeline.places.map(\.segment.location) == ["b1"] && timeline.places.map(\.start) == [18])
    }

    @Test("an older playlist of a cache changes nothing")
    func stale() throws {
        var timeline = try timeline(window(10...14))
        #expect(try timeline.update(window(9...12), at: zero + 6) == false)
        #expect(timeline.places.map(\.segment.number) == [10, 11, 12, 13, 14])
    }

    @Test("a cache that lags behind others by more than the window changes nothing")
    func lagging() throws {
        var timeline = try timeline(window(10...12))
        for step in 1...3 {
            #expect(try timeline.update(window(5...7), at: zero + 6) == false)
            #expect(try timeline.update(window((10 + step)...(12 + step)), at: zero + 6) == true)
        }
        #expect(timeline.places.map(\.run) == [0, 0, 0] && timeline.window == 18..<36)
    }

    @Test("an address that differs in host, folder or query is the same segment, also that of the map")
    func addresses() throws {
        func list(_ numbers: ClosedRange<Int>, _ token: Int) throws -> HLSMedia {
            try media(
                "#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n#EXT-X-MAP:URI=\"//h\(token)/init.mp4?t=\(token)\"\n"
                    + numbers.map { "#EXTINF:6,\n//h\(token)/\(token)/\($0).m4s?t=\(token)\n" }.joined())
        }
        var timeline = try timeline(list(10...12, 1))
        #expect(try timeline.update(list(11...13, 2), at: zero + 6) == true)
        #expect(timeline.places.map(\.run) == [0, 0, 0])
        #expect(timeline.places.map(\.segment.location) == (11...13).map { "//h2/2/\($0).m4s?t=2" })
    }

    @Test("an address that differs in its query only is the same segment")
    func query() throws {
        var timeline = try timeline(window(10...12, query: "?token=1"))
        #expect(try timeline.update(window(11...13, query: "?token=2"), at: zero + 6) == true)
        #expect(timeline.places.map(\.run) == [0, 0, 0] && timeline.places.last?.segment.location == "13.ts?token=2")
    }

    @Test("segments that passed unseen begin a run, and those that follow the last known one do not")
    func passed() throws {
        var timeline = try timeline(window(10...12))
        #expect(try timeline.update(window(13...14), at: zero + 6) == true)
        #expect(timeline.places.map(\.run) == [0, 0] && timeline.places.map(\.start) == [18, 24])
        #expect(try timeline.update(window(20...21), at: zero + 60) == true)
        #expect(timeline.places.map(\.run) == [1, 1] && timeline.places.map(\.start) == [30, 36])
    }

    @Test("a stream that has no segments yet begins at 0 with the first one")
    func lateSegments() throws {
        var timeline = try timeline(media(""))
        #expect(timeline.window == nil && timeline.place(at: 0) == nil && timeline.startTime == 0)
        #expect(try timeline.update(media(""), at: zero + 6) == false)
        #expect(try timeline.update(window(5...6), at: zero + 9) == true)
        #expect(timeline.window == 0..<12)
    }

    // MARK: The live edge

    @Test("a live stream begins three target durations before its end, at a segment (RFC 8216, section 6.3.3)")
    func edge() throws {
        let timeline = try timeline(window(0...9))
        #expect(timeline.startTime == 42 && timeline.edgeDistance == 18)
        #expect(try self.timeline(window(0...1)).startTime == 0)
    }

    @Test("a server may state a greater distance from the end, and where playback begins")
    func statedEdge() throws {
        #expect(try timeline(window(0...9, "#EXT-X-SERVER-CONTROL:HOLD-BACK=25\n")).startTime == 30)
        #expect(try timeline(window(0...9, "#EXT-X-SERVER-CONTROL:HOLD-BACK=1\n")).startTime == 42)
        #expect(try timeline(window(0...9, "#EXT-X-START:TIME-OFFSET=-30\n")).startTime == 30)
        #expect(try timeline(window(0...9, "#EXT-X-START:TIME-OFFSET=-1\n")).startTime == 42)
        #expect(try timeline(window(0...9, "#EXT-X-START:TIME-OFFSET=0\n")).startTime == 0)
    }

    // MARK: Dates

    private func dated(_ dates: [String?]) throws -> HLSTimeline {
        try timeline(
            media(
                dates.enumerated().map { ($1.map { "#EXT-X-PROGRAM-DATE-TIME:\($0)\n" } ?? "") + "#EXTINF:6,\n\($0).ts\n" }.joined()
                    + "#EXT-X-ENDLIST\n"))
    }

    @Test("a media time has a date, also before the first stated one")
    func dates() throws {
        let timeline = try dated([nil, "2020-01-01T00:00:10Z", nil])
        let first = RFC3339.seconds("2020-01-01T00:00:10Z") ?? 0
        #expect(timeline.date(at: 6) == first && timeline.date(at: 0) == first - 6 && timeline.date(at: 13.5) == first + 7.5)
        #expect(try dated([nil, nil]).date(at: 3) == nil)
    }

    @Test("media time 0 has a date only if the dates run with the media time")
    func startDate() throws {
        let first = RFC3339.seconds("2020-01-01T00:00:10Z") ?? 0
        #expect(try dated([nil, "2020-01-01T00:00:10Z", "2020-01-01T00:00:15.5Z"]).startDate == first - 6)
        #expect(try dated([nil, "2020-01-01T00:00:10Z", "2020-01-01T01:00:00Z"]).startDate == nil && dated([nil]).startDate == nil)
    }

    @Test("a day of dates in segments of six seconds runs with the media time")
    func day() throws {
        let start = RFC3339.seconds("2020-01-01T00:00:00Z") ?? 0
        let timeline = try dated((0..<14_400).map { RFC3339.text(start + Double($0) * 6) })
        #expect(timeline.startDate == start)
        let date = try #require(timeline.date(at: 86_399.25))
        #expect(abs(date - start - 86_399.25) < 0.001)
    }

    @Test("a date is not carried over an interruption of the stream")
    func interruptedDates() throws {
        var timeline = try timeline(window(10...12, "#EXT-X-PROGRAM-DATE-TIME:2020-01-01T00:00:00Z\n"))
        for _ in 0..<2 { _ = try timeline.update(window(0...1), at: zero + 6) }
        #expect(timeline.date(at: 18) == nil)
    }
}
