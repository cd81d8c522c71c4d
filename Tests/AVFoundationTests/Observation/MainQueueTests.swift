import Dispatch
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("The main queue") @MainActor struct MainQueueTests {
    let rig = ScriptedRig()
    let log = Recorder()

    @Test("the main queue is recognised on every call, and a queue with the same label or targeting it is not")
    func recognition() {
        #expect(MainQueue.isMain(.main))
        #expect(MainQueue.isMain(DispatchQueue.main))
        #expect(!MainQueue.isMain(DispatchQueue(label: DispatchQueue.main.label)))
        #expect(!MainQueue.isMain(DispatchQueue(label: "above", target: .main)))
        #expect(!MainQueue.isMain(.global()))
    }

    @Test("isCurrent is true in code of the main actor, and false on another queue")
    func presence() async {
        #expect(MainQueue.isCurrent)
        let queue = DispatchQueue(label: DispatchQueue.main.label)
        let isThere = await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: MainQueue.isCurrent) } }
        #expect(!isThere)
    }

    @Test(
        "with the queue .main, observers are called in the order of events, as with nil (R-PTO-04, R-BTO-07, R-SEEK-13)", arguments: [true, false])
    func order(isNamed: Bool) {
        let item = rig.item("a", seconds: 1)
        let player = rig.player(item)
        rig.run()
        let queue: DispatchQueue? = isNamed ? .main : nil
        let periodic = player.addPeriodicTimeObserver(forInterval: ms(250), queue: queue) { [log] in log.add("periodic \($0.value)") }
        let boundary = player.addBoundaryTimeObserver(forTimes: [ms(500), ms(1_000)], queue: queue) { [log] in log.add("boundary") }
        log.observeEnds(item)
        player.seek(to: ms(400), toleranceBefore: .zero, toleranceAfter: .zero) { [log] in log.add("seek \($0)") }
        rig.run()
        #expect(log.log.map(Self.kind) == ["periodic", "timeJumped", "seek true"])
        log.clear()
        player.play()
        rig.advance(3)
        let told = log.log.map(Self.kind)
        #expect(told.filter { $0 == "boundary" }.count == 2)
        #expect(told.lastIndex(of: "boundary").map { $0 < told.firstIndex(of: "didPlayToEnd") ?? -1 } == true)
        #expect(told.first == "periodic", "the start")
        _ = (periodic, boundary)
    }

    private static func kind(_ line: String) -> String { line.hasPrefix("periodic") ? "periodic" : line }

    @Test("a block for a queue with the main queue's label is called on that queue")
    func sameLabel() {
        let queue = DispatchQueue(label: DispatchQueue.main.label)
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 7)
        let player = rig.readyPlayer()
        let token = player.addPeriodicTimeObserver(forInterval: ms(100), queue: queue) { [log] _ in
            log.add("\(DispatchQueue.getSpecific(key: key) ?? 0)")
        }
        player.play()
        queue.sync {}
        #expect(log.log == ["7"])
        _ = token
    }
}

/// Calls of main-actor classes from another queue, as code without strict concurrency checking can make them. Each such call traps, so it runs in a
/// process of its own.
@Suite("Calls off the main queue") struct OffMainQueueTests {
    /// Calls `body` on another queue. The cast removes the main actor from its type, as code of Swift 5 may do, so that the compiler does not reject
    /// the call.
    private static func callElsewhere(_ body: @escaping @MainActor () -> Void) {
        let unchecked = unsafeBitCast(body, to: (@Sendable () -> Void).self)
        let isDone = DispatchSemaphore(value: 0)
        // `sync` is not used, because it would run the block on the caller's thread, which is the main thread.
        DispatchQueue.global().async {
            unchecked()
            isDone.signal()
        }
        isDone.wait()
    }

    private func says(_ call: String, _ result: ExitTest.Result?) -> Bool {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            .contains("\(call) was called off the main queue: call it from the main actor (DispatchQueue.main.async, or await MainActor.run)")
    }

    @Test("a command off the main queue traps with its name and the remedy")
    func command() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let player = await MainActor.run { ScriptedRig().player() }
            Self.callElsewhere { player.play() }
        }
        #expect(says("AVPlayer.play()", result))
    }

    @Test("reading or setting a property off the main queue traps with the name of its class")
    func property() async {
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let player = await MainActor.run { ScriptedRig().player() }
            Self.callElsewhere { _ = player.rate }
        }
        #expect(says("AVPlayer.rate", read))
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let player = await MainActor.run { ScriptedRig().queue([]) }
            Self.callElsewhere { player.volume = 0.5 }
        }
        #expect(says("AVPlayer.volume", set))
    }

    @Test("a seek and a time observer off the main queue trap with the name of the called method")
    func seek() async {
        let seek = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let player = await MainActor.run { ScriptedRig().player() }
            Self.callElsewhere { player.seek(to: .zero) }
        }
        #expect(says("AVPlayer.seek(to:)", seek))
        let observer = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let player = await MainActor.run { ScriptedRig().player() }
            Self.callElsewhere { _ = player.addPeriodicTimeObserver(forInterval: ms(100)) { _ in } }
        }
        #expect(says("AVPlayer.addPeriodicTimeObserver(forInterval:queue:using:)", observer))
    }

    @Test("creating a player or an item off the main queue traps")
    func making() async {
        let player = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.callElsewhere { _ = AVQueuePlayer() }
        }
        #expect(says("AVQueuePlayer.init(items:environment:)", player))
        let item = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.callElsewhere { _ = AVPlayerItem(url: URL(filePath: "/a")) }
        }
        #expect(says("AVPlayerItem.init(asset:automaticallyLoadedAssetKeys:)", item))
    }

    @Test("observe and the audio session trap off the main queue")
    func observation() async {
        let observation = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let item = await MainActor.run { ScriptedRig().item("a") }
            Self.callElsewhere { _ = item.observe(\.status) { _, _ in } }
        }
        #expect(says("AVPlayerItem.observe(_:options:changeHandler:)", observation))
        let session = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let session = await MainActor.run { AVAudioSession.sharedInstance() }
            Self.callElsewhere { try? session.setActive(true) }
        }
        #expect(says("AVAudioSession.setActive(_:options:)", session))
    }
}
