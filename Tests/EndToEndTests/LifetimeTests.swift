import AVFoundation
import Foundation
import Glibc
import PlaybackEngine
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Lifetime of players")
    struct LifetimeTests {
        @Test("after players have played and ended, none of their objects, memory or threads remains: of a hundred, or thoroughly of a thousand")
        func thousandCycles() async {
            // The players run in a separate process, so that all its objects, memory and threads are theirs.
            await #expect(processExitsWith: .success) {
                let file = try TestMedia.shared.wave(TestSignal(frameCount: 4_410), bits: 16)
                let cycles = await PlayerCycles(file)
                let (first, count, leastRounds, mostRounds) = TestDepth.isThorough ? (100, 180, 5, 40) : (30, 30, 2, 20)
                // A leak makes the heap grow in each round. Memory that the allocator and Dispatch keep for their threads grows less from round to
                // round, and then no more; after how many rounds depends on the number of threads. In a thorough run, a growth of 128 bytes per cycle
                // is one small object. A shorter round also contains what the allocator keeps, so there the limit is the size of a small buffer.
                let limit = count * (TestDepth.isThorough ? 128 : 768)
                try await cycles.run(first)
                var sizes = [cycles.settledHeapBytes]
                var growths: [Int] = []
                repeat {
                    try await cycles.run(count)
                    sizes.append(cycles.settledHeapBytes)
                    growths = zip(sizes.dropFirst(), sizes).map { $0 - $1 }
                } while growths.count < leastRounds || (growths.count < mostRounds && !growths.contains { $0 < limit })
                #expect(await cycles.livePlayers == 0)
                #expect(await cycles.liveItems == 0)
                #expect(cycles.playerThreads == 0, "no thread of an engine, reader or device remains")
                #expect(sizes[0] > 0 && growths.contains { $0 < limit }, "bytes more after \(count) cycles each: \(growths)")
                #expect(cycles.threadCount < 80, "only the thread pool of dispatch remains")
            }
        }

        @Test("two players in one process play at the same time, each at its own rate")
        func twoPlayers() async {
            await #expect(processExitsWith: .success) {
                let file = try TestMedia.shared.wave(TestSignal(frameCount: 882_000), bits: 16)
                try await PlayerCycles(file).playTwo()
            }
        }
    }
}

/// Creates players with the real engine and the null output, lets them play, and counts the objects, bytes and threads that remain of them.
@MainActor private final class PlayerCycles: Sendable {
    private struct Weak {
        weak var player: AVPlayer?
        weak var item: AVPlayerItem?
    }
    private let file: URL
    private let environment: PlaybackEnvironment
    private var made: [Weak] = []

    init(_ file: URL) {
        self.file = file
        var environment = PlaybackEnvironment.default
        environment.output = .output(driver: "null")
        self.environment = environment
    }

    var livePlayers: Int { made.count { $0.player != nil } }
    var liveItems: Int { made.count { $0.item != nil } }

    func run(_ count: Int) async throws {
        for number in 0..<count { await cycle(isShutDown: number.isMultiple(of: 2)) }
    }

    /// Creates a player, lets it play its item to the end, and starts it again. Then shuts the player down while it plays, or only releases it.
    ///
    /// The item is so short that it may begin and end between two turns of the main actor, and then no observer finds the player playing. So this
    /// waits for the notification of the end, which always arrives.
    private func cycle(isShutDown: Bool) async {
        let item = AVPlayerItem(asset: AVAsset(source: MediaSource(.file(path: file.path)), environment: environment))
        let player = AVPlayer(playerItem: item, environment: environment)
        made.append(Weak(player: player, item: item))
        let observer = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) { _ in }
        #expect(await ends(item) { player.play() })
        await player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        player.removeTimeObserver(observer)
        player.play()
        if isShutDown { player.shutDown() }
        // The weak references to released objects are removed, because each keeps a few bytes allocated.
        made.removeAll { $0.player == nil && $0.item == nil }
    }

    /// Calls `start`, and waits until the item has ended. Returns whether it was played to its end; otherwise it has failed.
    private func ends(_ item: AVPlayerItem, after start: () -> Void) async -> Bool {
        let token = Token()
        let names = [AVPlayerItem.didPlayToEndTimeNotification, AVPlayerItem.failedToPlayToEndTimeNotification]
        return await withCheckedContinuation { continuation in
            token.values = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: item, queue: nil) { _ in
                    MainActor.assumeIsolated {
                        guard !token.values.isEmpty else { return }
                        for value in token.values { NotificationCenter.default.removeObserver(value) }
                        token.values = []
                        continuation.resume(returning: name == names[0])
                    }
                }
            }
            start()
        }
    }

    func playTwo() async throws {
        let items = (0..<2).map { _ in AVPlayerItem(asset: AVAsset(source: MediaSource(.file(path: file.path)), environment: environment)) }
        // Varispeed needs the least processor time, so that a busy machine does not interrupt the second player.
        for item in items { item.audioTimePitchAlgorithm = .varispeed }
        let players = items.map { AVPlayer(playerItem: $0, environment: environment) }
        players[0].rate = 1
        players[1].rate = 2
        for player in players { await play(1, of: player) }
        // The second player may have begun later, because it changes its rate.
        let start = players.map { $0.currentTime().seconds }
        await play(2, of: players[1])
        let passed = zip(players, start).map { $0.currentTime().seconds - $1 }
        #expect(players.allSatisfy { $0.timeControlStatus == .playing })
        #expect(passed[0] > 0 && passed[1] > passed[0] * 1.5)
        for player in players { player.shutDown() }
    }

    /// Waits until a player has played some seconds of its item from now on, or its item has ended.
    private func play(_ seconds: Double, of player: AVPlayer) async {
        guard let item = player.currentItem else { return }
        let time = player.currentTime() + CMTime(seconds: seconds, preferredTimescale: 44_100)
        let token = Token(), end = Token()
        await withCheckedContinuation { continuation in
            let resume: @MainActor @Sendable () -> Void = {
                guard !token.values.isEmpty else { return }
                for value in token.values { player.removeTimeObserver(value) }
                for value in end.values { NotificationCenter.default.removeObserver(value) }
                (token.values, end.values) = ([], [])
                continuation.resume()
            }
            token.values = [player.addBoundaryTimeObserver(forTimes: [time], queue: nil) { MainActor.assumeIsolated(resume) }]
            end.values = [
                NotificationCenter.default.addObserver(forName: AVPlayerItem.didPlayToEndTimeNotification, object: item, queue: nil) { _ in
                    MainActor.assumeIsolated(resume)
                }
            ]
        }
    }

    /// The observers that a wait removes when it ends. The list is empty after that.
    @MainActor private final class Token { var values: [Any] = [] }

    /// The value of `heapBytes` after the threads of the last players have ended.
    nonisolated var settledHeapBytes: Int {
        _ = PrivatePulseServer.wait(seconds: 60) { playerThreads == 0 }
        return heapBytes
    }

    /// The number of allocated bytes in all arenas of the allocator, by the XML of `malloc_info` (a C function that Swift's module Glibc does not
    /// contain).
    nonisolated var heapBytes: Int {
        typealias MallocInfo = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let symbol = dlsym(nil, "malloc_info"), let file = open_memstream(&text, &size) else { return 0 }
        _ = unsafeBitCast(symbol, to: MallocInfo.self)(0, file)
        fclose(file)
        defer { free(text) }
        let totals = (text.map { String(cString: $0) } ?? "").split(separator: "</heap>").last ?? ""
        func bytes(_ element: String) -> Int {
            guard let line = totals.split(separator: "\n").first(where: { $0.hasPrefix(element) }) else { return 0 }
            return line.split(separator: "size=\"").last?.split(separator: "\"").first.flatMap { Int($0) } ?? 0
        }
        return bytes("<system type=\"current\"") + bytes("<total type=\"mmap\"") - bytes("<total type=\"fast\"") - bytes("<total type=\"rest\"")
    }

    nonisolated var threadCount: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? .max }

    /// The number of threads of this process that have the name of an engine's or a device's thread.
    nonisolated var playerThreads: Int {
        let names: Set<String> = ["engine", "feeder", "opener", "null"]
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            guard let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8) else { return false }
            return names.contains(name.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
