import Dispatch
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
