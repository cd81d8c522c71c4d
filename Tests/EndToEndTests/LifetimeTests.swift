import AVFoundation
import Foundation
import Glibc
import PlaybackEngine
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Lifetime of players")
    struct LifetimeTests {
        @Test("after a thousand players have played and ended, none of their objects, memory or threads remains")
        func thousandCycles() async {
            // The players run in a separate process, so that all its objects, memory and threads are theirs.
            await #expect(processExitsWith: .success) {
                let file = try TestMedia.shared.wave(TestSignal(frameCount: 4_410), bits: 16)
                let cycles = await PlayerCycles(file)
                try await cycles.run(100)
                // A leak makes the heap grow in each round. Memory that the allocator and Dispatch keep for their threads grows less from round to
                // round, and then no more; after how many rounds depends on the number of threads. A growth of 128 bytes per cycle would be one small
                // object.
                var sizes = [cycles.settledHeapBytes]
                var growths: [Int] = []
                repeat {
                    try await cycles.run(180)
                    sizes.append(cycles.settledHeapBytes)
                    growths = zip(sizes.dropFirst(), sizes).map { $0 - $1 }
                } while growths.count < 5 || (growths.count < 40 && !growths.contains { $0 < 180 * 128 })
                #expect(await cycles.livePlayers == 0)
                #expect(await cycles.liveItems == 0)
                #expect(cycles.playerThreads == 0, "no thread of an engine, reader or device remains")
                #expect(sizes[0] > 0 && growths.contains { $0 < 180 * 128 }, "bytes more after 180 cycles each: \(growths)")
                #expect(cycles.threadCount < 80, "only the thread pool of dispatch remains")
            }
        }

        @Test("two players in one process play at the same time, each at its own rate")
        func twoPlayers() async {
            await #expect(processExitsWith: .success) {
                let file = try TestMedia.shared.wave(TestSignal(frameCount: 441_000), bits: 16)
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
        environment.outputs = [NullOutputProvider()]
        self.environment = environment
    }

    var livePlayers: Int { made.count { $0.player != nil } }
    var liveItems: Int { made.count { $0.item != nil } }

    func run(_ count: Int) async throws {
        for number in 0..<count { await cycle(isShutDown: number.isMultiple(of: 2)) }
    }

    /// Creates a player, lets it play, and then shuts it down, or only releases it.
    private func cycle(isShutDown: Bool) async {
        let item = AVPlayerItem(asset: AVAsset(source: MediaSource(.file(path: file.path)), environment: environment))
        let player = AVPlayer(playerItem: item, environment: environment)
        made.append(Weak(player: player, item: item))
        let observer = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) { _ in }
        player.play()
        for await status in player.values(for: \.timeControlStatus) where status == .playing { break }
        await player.seek(to: .zero, toleranceBefore: .zero, toleranceAfter: .zero)
        player.removeTimeObserver(observer)
        if isShutDown { player.shutDown() }
        // The weak references to released objects are removed, because each keeps a few bytes allocated.
        made.removeAll { $0.player == nil && $0.item == nil }
    }

    func playTwo() async throws {
        let items = (0..<2).map { _ in AVPlayerItem(asset: AVAsset(source: MediaSource(.file(path: file.path)), environment: environment)) }
        let players = items.map { AVPlayer(playerItem: $0, environment: environment) }
        players[0].rate = 1
        players[1].rate = 2
        for player in players { await play(1, of: player) }
        // The second player may have begun later, because it stretches.
        let start = players.map { $0.currentTime().seconds }
        await play(2, of: players[1])
        let passed = zip(players, start).map { $0.currentTime().seconds - $1 }
        #expect(players.allSatisfy { $0.timeControlStatus == .playing })
        #expect(passed[0] > 0 && passed[1] > passed[0] * 1.5)
        for player in players { player.shutDown() }
    }

    /// Waits until a player has played some seconds of its item from now on.
    private func play(_ seconds: Double, of player: AVPlayer) async {
        let time = player.currentTime() + CMTime(seconds: seconds, preferredTimescale: 44_100)
        await withCheckedContinuation { continuation in
            let token = Token()
            token.value = player.addBoundaryTimeObserver(forTimes: [time], queue: nil) {
                MainActor.assumeIsolated {
                    guard token.value != nil else { return }
                    token.value = nil
                    continuation.resume()
                }
            }
        }
    }

    @MainActor private final class Token { var value: Any? }

    /// The value of `heapBytes` after the threads of the last players have ended.
    nonisolated var settledHeapBytes: Int {
        _ = PrivatePulseServer.wait(seconds: 20) { playerThreads == 0 }
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
