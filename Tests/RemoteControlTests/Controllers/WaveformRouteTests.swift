import AVFoundation
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of the route of waveforms: parts of a waveform, the progress of its computation, and its limits.
@MainActor @Suite struct WaveformRouteTests {
    private let rig: TestRig
    private let home: TemporaryDirectory
    private let path = "/api/v1/items/e1/waveform"

    init() throws {
        let home = try TemporaryDirectory()
        self.home = home
        try home.directory("music")
        try home.file("music/a.flac")
        rig = try TestRig { $0.media = try PathConfinement(roots: [home.path + "/music"]) }
    }

    private func addItem() {
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///a", status: .readyToPlay, duration: 60) }
    }
    private func setMedium(_ medium: FakeOpener.Medium) { rig.player.fakeOpener.setMedium(medium, at: "/e1") }

    private func waveform(_ query: String = "") async -> Reply {
        async let reply = rig.send("GET", path + query)
        await rig.until { rig.time.turnCount > 0 || rig.waveformRunner.heldCount > 0 }
        rig.time.run()
        return await reply
    }

    /// Sends a request that does not wait for the computation (`wait=0`). Returns the reply, which has the part that is known.
    private func knownPart(_ query: String = "") async -> Reply {
        async let reply = rig.send("GET", path + "?wait=0" + query)
        await rig.until { rig.time.timerCount == 2 }
        rig.time.advance(by: 0)
        return await reply
    }

    /// Adds an item whose waveform takes long to compute. The clock advances with each block of 333 frames, so that each slice of the computation
    /// ends after one block.
    private func addSlowItem(frames: Int64) {
        addItem()
        let time = rig.time
        setMedium(
            FakeOpener.Medium(
                frames: frames, sample: { frame, _ in frame < 333 ? 0.25 : -0.5 },
                willRead: { time.pass(WaveformAnalysis.slice) }))
        rig.waveformRunner.hold()
    }

    /// Runs the slices of the computation that wait, and then the main actor's turns with their results.
    private func runSlices() {
        rig.waveformRunner.release()
        rig.waveformRunner.hold()
        rig.time.run()
    }

    @Test("a waveform has the minimum, the maximum and the RMS value of each band")
    func points() async throws {
        addItem()
        // The medium has one second of samples with the value 0.5, one second of silence, and one second at full scale in the first channel alone.
        setMedium(
            FakeOpener.Medium(frames: 3000, channels: 2) { frame, channel in
                frame < 1000 ? (frame % 2 == 0 ? 0.5 : -0.25) : frame < 2000 ? 0 : channel == 0 ? 1 : 0
            })
        let json = await waveform("?points=3").json
        #expect(json?["duration"]?.double == 3)
        #expect(json?["isComplete"]?.bool == true)
        #expect(json?["minimum"]?.elements.map(\.double) == [-0.25, 0, 0])
        #expect(json?["maximum"]?.elements.map(\.double) == [0.5, 0, 1])
        #expect(json?["rms"]?.elements.map(\.double) == [0.39528, 0, 0.70711])
        let more = await rig.send("GET", path)
        #expect(more.json?["minimum"]?.elements.count == 800)
        #expect(rig.player.fakeOpener.openings.count == 1)
    }

    @Test("a part of a waveform has the requested number of points, and ends with the item")
    func part() async throws {
        addItem()
        setMedium(FakeOpener.Medium(frames: 3000) { frame, _ in Float(frame / 1000) / 4 })
        let middle = await waveform("?points=2&from=0.5&to=1.5").json
        #expect(middle?["maximum"]?.elements.map(\.double) == [0, 0.25])
        #expect(middle?["from"]?.double == 0.5 && middle?["to"]?.double == 1.5)
        let last = await rig.send("GET", path + "?points=1&from=2&to=99").json
        #expect(last?["to"]?.double == 3)
        #expect(last?["minimum"]?.elements.map(\.double) == [0.5])
        let beyond = await rig.send("GET", path + "?from=3&to=4")
        #expect(beyond.problem == "seek-out-of-range")
        #expect(beyond.json?["end"]?.double == 3)
    }

    @Test("a waveform in progress is answered after the requested wait, with the part that is known")
    func progress() async throws {
        addSlowItem(frames: 3 * 333)
        #expect(await knownPart("&points=3&to=0.999").problem == "waveform-not-ready")
        runSlices()
        let json = await knownPart("&points=3&to=0.999").json
        #expect(json?["isComplete"]?.bool == false)
        #expect(json?["maximum"]?.elements.map(\.double) == [0.25])
        #expect(json?["analyzedDuration"]?.double == 0.333)
        for _ in 0..<3 { runSlices() }
        let whole = await rig.send("GET", path + "?points=3").json
        #expect(whole?["isComplete"]?.bool == true)
        #expect(whole?["minimum"]?.elements.map(\.double) == [0.25, -0.5, -0.5])
        #expect(rig.player.fakeOpener.openings.count == 1)
        #expect(rig.time.timerCount == 0)
    }

    @Test("an analysis that no request asks for is cancelled")
    func interest() async throws {
        addSlowItem(frames: 100 * 333)
        #expect(await knownPart().problem == "waveform-not-ready")
        runSlices()
        rig.time.advance(by: WaveformStore.interest)
        for _ in 0..<3 { runSlices() }
        #expect(rig.waveformRunner.heldCount == 0)
        #expect(rig.time.timerCount == 0)
        #expect(await knownPart().problem == "waveform-not-ready")
        runSlices()
        #expect(rig.player.fakeOpener.openings.count == 2)
    }

    @Test("a request for an analysis that is being cancelled is told to repeat, not that the item is gone")
    func interestAgain() async throws {
        addSlowItem(frames: 100 * 333)
        #expect(await knownPart().problem == "waveform-not-ready")
        rig.time.advance(by: WaveformStore.interest)
        async let second = rig.send("GET", path + "?wait=60")
        await rig.until { rig.time.timerCount == 2 }
        runSlices()
        #expect(await second.problem == "waveform-not-ready")
    }

    @Test("the analysis for a client that disconnects ends soon, unless another client asks for it")
    func clientLeft() async throws {
        addSlowItem(frames: 100 * 333)
        for asksAgain in [true, false] {
            let request = try rig.begin("GET", path + "?wait=60")
            await rig.until { rig.time.timerCount == 2 }
            request.abandon()
            await rig.until { rig.time.turnCount > 0 }
            rig.time.run()
            await rig.until { rig.time.timerCount == 1 }
            if asksAgain { #expect(await knownPart().problem == "waveform-not-ready") }
            rig.time.advance(by: WaveformStore.repetition)
            #expect(rig.time.timerCount == (asksAgain ? 1 : 0))
        }
        runSlices()
        #expect(rig.waveformRunner.heldCount == 0)
    }

    @Test("an analysis continues while a request waits for it, and two analyses take turns")
    func turns() async throws {
        let entries = (1...2).map { _ in #"{"url":"\#(home.path)/music/a.flac"}"# }.joined(separator: ",")
        _ = await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[\(entries)]}")
        let time = rig.time
        let order = Mutex<[Int]>([])
        for number in 1...2 {
            let medium = FakeOpener.Medium(
                frames: 3 * 333,
                willRead: {
                    order.withLock { $0.append(number) }
                    time.pass(WaveformAnalysis.slice)
                })
            rig.player.fakeOpener.setMedium(medium, at: "/e\(number)")
        }
        rig.waveformRunner.hold()
        let requests = (1...2).map { number in Task { await rig.send("GET", "/api/v1/items/e\(number)/waveform?wait=60").status } }
        await rig.until { rig.waveformRunner.heldCount == 2 }
        for _ in 0..<4 { runSlices() }
        for request in requests { #expect(await request.value == 200) }
        #expect(order.withLock { $0.count } == 8)
        let first = order.withLock { $0 }
        #expect(first[0] != first[1] && first[2] != first[3])
    }

    @Test("an invalid number of points is refused", arguments: ["0", "-1", "2001", "1.5", "x", "", "1e9", "NaN"])
    func badPoints(_ points: String) async throws {
        addItem()
        let reply = await rig.send("GET", path + "?points=" + points)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "points")
    }

    @Test(
        "an invalid part is refused", arguments: [("from=-1", "from"), ("to=0", "to"), ("from=2&to=2", "to"), ("to=1e9", "to"), ("wait=61", "wait")])
    func badPart(_ query: String, _ parameter: String) async throws {
        addItem()
        let reply = await rig.send("GET", path + "?" + query)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == parameter)
    }

    @Test("a medium that fails, one without end and one that is not a local file have no waveform")
    func none() async throws {
        addItem()
        setMedium(FakeOpener.Medium(frames: 3000, failsAt: 1000))
        #expect(await waveform().problem == "item-failed")
        setMedium(FakeOpener.Medium(frames: 3000, isLive: true))
        #expect(await waveform().problem == "no-waveform")
        setMedium(FakeOpener.Medium(frames: 101 * 3600, sampleRate: 1))
        #expect(await waveform().problem == "no-waveform")
        rig.player.sources["e1"] = MediaSource(.remote(url: "http://example.com/a"))
        #expect(await rig.send("GET", path).problem == "no-waveform")
    }

    @Test("a client that waits too long gets a time for a retry, and the waveform is ready later")
    func patience() async throws {
        addItem()
        setMedium(FakeOpener.Medium(frames: 1000))
        rig.waveformRunner.hold()
        async let reply = rig.send("GET", path)
        await rig.until { rig.time.timerCount == 2 }
        rig.time.advance(by: MediaController.standardWait)
        let answer = await reply
        #expect(answer.problem == "waveform-not-ready")
        #expect(answer.header("Retry-After") == "1")
        rig.waveformRunner.release()
        rig.time.run()
        #expect(await rig.send("GET", path).status == 200)
        #expect(rig.player.fakeOpener.openings.count == 1)
        #expect(rig.time.timerCount == 0)
    }

    @Test("concurrent requests for one waveform share one computation")
    func shared() async throws {
        addItem()
        setMedium(FakeOpener.Medium(frames: 1000))
        rig.waveformRunner.hold()
        let requests = (0..<20).map { _ in Task { await rig.send("GET", path).status } }
        await rig.until { rig.time.timerCount == 21 }
        rig.waveformRunner.release()
        rig.time.run()
        for request in requests { #expect(await request.value == 200) }
        #expect(rig.player.fakeOpener.openings.count == 1)
    }

    @Test("work is cancelled if its item leaves the queue or the API is closed")
    func cancelled() async throws {
        addItem()
        let (player, api) = (rig.player, rig.api)
        for isClosing in [false, true] {
            addItem()
            let ends = Mutex(0)
            setMedium(FakeOpener.Medium(frames: 1000, willRead: { ends.withLock { $0 += 1 } }))
            rig.waveformRunner.hold()
            async let reply = rig.send("GET", path)
            await rig.until { rig.waveformRunner.heldCount == 1 }
            if isClosing {
                api.close()
            } else {
                player.change { $0.currentItem = nil }
                player.emit(.queueDidChange(QueueUpdate(summary: QueueSummary(revision: 2, count: 0), previousRevision: 1)))
            }
            rig.waveformRunner.release()
            rig.time.run()
            #expect(await reply.problem == "item-not-found")
            #expect(ends.withLock { $0 } == 0)
        }
    }

    @Test("requests beyond the limit of pending waveforms are refused")
    func tooMany() async throws {
        rig.waveformRunner.hold()
        let entries = (0...WaveformStore.maximumPending).map { _ in #"{"url":"\#(home.path)/music/a.flac"}"# }.joined(separator: ",")
        _ = await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[\(entries)]}")
        var requests: [Task<Int, Never>] = []
        for number in 1...WaveformStore.maximumPending {
            requests.append(Task { await rig.send("GET", "/api/v1/items/e\(number)/waveform").status })
        }
        await rig.until { rig.time.timerCount == 2 * WaveformStore.maximumPending }
        let refused = await rig.send("GET", "/api/v1/items/e\(WaveformStore.maximumPending + 1)/waveform")
        #expect(refused.status == 429)
        #expect(refused.header("Retry-After") == "5")
        rig.api.close()
        rig.waveformRunner.release()
        rig.time.run()
        for request in requests { #expect(await request.value == 404) }
    }

    @Test("cancelled work counts towards the limit until it has ended")
    func abandoned() async throws {
        rig.waveformRunner.hold()
        func fill() async {
            let entries = (0..<WaveformStore.maximumPending).map { _ in #"{"url":"\#(home.path)/music/a.flac"}"# }.joined(separator: ",")
            _ = await rig.send("PUT", "/api/v1/queue", json: "{\"entries\":[\(entries)]}")
        }
        await fill()
        let requests = (1...WaveformStore.maximumPending).map { number in
            Task { await rig.send("GET", "/api/v1/items/e\(number)/waveform").problem }
        }
        await rig.until { rig.time.timerCount == 2 * WaveformStore.maximumPending }
        await fill()
        let next = "/api/v1/items/e\(WaveformStore.maximumPending + 1)/waveform"
        #expect(await rig.send("GET", next).problem == "too-many-requests")
        rig.waveformRunner.release()
        rig.time.run()
        for request in requests { #expect(await request.value == "item-not-found") }
        async let later = rig.send("GET", next)
        await rig.until { rig.time.turnCount > 0 }
        rig.time.run()
        #expect(await later.problem != "too-many-requests")
    }
}
