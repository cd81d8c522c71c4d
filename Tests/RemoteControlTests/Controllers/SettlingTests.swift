import PlaybackTesting
import Playlist
import Synchronization
import Testing

@testable import RemoteControl

/// Checks that the server responds to a change of the player only after the change has been written to the state's database.
@MainActor @Suite struct SettlingTests {
    /// A fake store, which reports that a change is written when the test releases it.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }
        private let state = Mutex(State())
        var waitingCount: Int { state.withLock { $0.waiting.count } }

        func settle() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }
        func open() {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isOpen = true
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private let gate: Gate
    private let rig: TestRig

    init() throws {
        let gate = Gate()
        self.gate = gate
        rig = try TestRig { $0.settle = { await gate.settle() } }
    }

    @Test(
        "a change is answered after it is kept",
        arguments: [("POST", "/api/v1/player/pause"), ("PATCH", "/api/v1/player"), ("DELETE", "/api/v1/queue")])
    func change(method: String, path: String) async {
        let isAnswered = Mutex(false)
        let task = Task { @MainActor in
            let reply = await rig.send(method, path, json: method == "PATCH" ? #"{"volume": 0.5}"# : nil)
            isAnswered.withLock { $0 = true }
            return reply
        }
        await rig.until {
            rig.time.run()
            return gate.waitingCount == 1
        }
        #expect(!isAnswered.withLock { $0 })
        gate.open()
        #expect(await task.value.status < 300)
    }

    @Test("a change over a WebSocket is answered after it is kept, and does not delay the next command")
    func socket() async throws {
        let socket = try await TestSocket(rig)
        let first = socket.command("pause")
        let second = socket.command("play")
        await rig.until {
            rig.time.run()
            return gate.waitingCount == 2
        }
        gate.open()
        #expect(await socket.answer(to: first)["result"] != nil)
        #expect(await socket.answer(to: second)["result"] != nil)
    }

    @Test("a read and a refused change wait for nothing")
    func read() async {
        #expect(await rig.send("GET", "/api/v1/queue").status == 200)
        rig.player.refusal = .noNextEntry
        #expect(await rig.send("POST", "/api/v1/queue/next").status == 409)
        #expect(gate.waitingCount == 0)
    }
}
