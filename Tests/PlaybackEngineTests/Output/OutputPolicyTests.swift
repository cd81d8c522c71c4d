import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The output policy")
struct OutputPolicyTests {
    /// A sequence of steps, and what a client shows after it.
    struct Sequence: CustomTestStringConvertible {
        var name: String
        var world = OutputWorld()
        var steps: [OutputWorld.Step]
        var end: String

        init(_ name: String, in world: OutputWorld = OutputWorld(), _ steps: [OutputWorld.Step], _ end: String) {
            (self.name, self.world, self.steps, self.end) = (name, world, steps, end)
        }
        var testDescription: String { name }
    }

    private static let dac = OutputWish.output(driver: "pulse", device: "dac")
    private static let speakers = "plays on pulse:speakers"

    static let sequences: [Sequence] = [
        // Loss and return.
        Sequence("the server goes", [.play, .serverGoes], "waits on nothing (noOutput)"),
        Sequence("the server goes and comes", [.play, .serverGoes, .wait(5), .serverComes], speakers),
        Sequence("the server goes during a pause", [.play, .pause, .serverGoes, .serverComes], "paused on pulse:speakers"),
        Sequence("a pause while the server is away", [.play, .serverGoes, .pause, .serverComes], "paused on pulse:speakers"),
        Sequence("the server comes within the patience", [.play, .serverGoes, .wait(600), .serverComes], speakers),
        Sequence("the server comes after the patience", [.play, .serverGoes, .wait(601), .serverComes], "paused on pulse:speakers"),
        Sequence("play after the patience", [.play, .serverGoes, .wait(601), .play, .wait(10), .serverComes], speakers),
        Sequence("play while the server is away", [.serverGoes, .play], "waits on nothing (noOutput)"),
        Sequence("the server is absent at the start", in: OutputWorld(isServerUp: false), [.play], "waits on nothing (noOutput)"),
        Sequence("the server comes after the start", in: OutputWorld(isServerUp: false), [.play, .wait(5), .serverComes], speakers),
        Sequence("the stream is killed", [.play, .streamIsKilled], speakers),
        Sequence("the server restarts twice", [.play, .serverGoes, .serverComes, .serverGoes, .serverComes], speakers),
        Sequence("the server goes after the start without play", [.serverGoes, .serverComes, .play], speakers),
        // Choices.
        Sequence("null keeps time if it is chosen", [.play, .choose(.output(driver: "null"))], "plays on null:"),
        Sequence("null is chosen while the server is away", [.play, .serverGoes, .choose(.output(driver: "null"))], "plays on null:"),
        Sequence("the server comes while null is chosen", [.choose(.output(driver: "null")), .serverGoes, .serverComes, .play], "plays on null:"),
        Sequence("automatic never falls to null", in: OutputWorld(isServerUp: false), [.play, .wait(60)], "waits on nothing (noOutput)"),
        Sequence("a chosen device is kept over a restart", [.choose(dac), .play, .serverGoes, .serverComes], "plays on pulse:dac"),
        Sequence("the same choice twice", [.choose(dac), .choose(dac), .play], "plays on pulse:dac"),
        Sequence("a device is chosen while the server is away", [.play, .serverGoes, .choose(dac), .serverComes], "plays on pulse:dac"),
        Sequence("a chosen device is absent", in: OutputWorld(.output(driver: "pulse", device: "radio")), [.play], "waits on nothing (noOutput)"),
        Sequence(
            "a chosen device is plugged", in: OutputWorld(.output(driver: "pulse", device: "radio")), [.play, .plug("radio")], "plays on pulse:radio"),
        Sequence("a refused choice leaves the former output", [.play, .choose(.output(driver: "pulse", device: "radio"))], speakers),
        Sequence("a refused choice is kept", [.play, .choose(.output(driver: "pulse", device: "radio")), .plug("radio")], "plays on pulse:radio"),
        // Devices that are unplugged and plugged.
        Sequence("the chosen device is unplugged", [.choose(dac), .play, .unplug("dac")], speakers),
        Sequence("the chosen device is plugged again", [.choose(dac), .play, .unplug("dac"), .wait(60), .plug("dac")], "plays on pulse:dac"),
        Sequence(
            "another rate while the chosen device is away", [.choose(dac), .play, .unplug("dac"), .otherRate, .plug("dac")], "plays on pulse:dac"),
        Sequence(
            "a stream that was moved by hand stays", [.choose(dac), .play, .move("speakers"), .unplug("dac"), .plug("dac")], speakers),
        Sequence(
            "a device is chosen again after the stream was moved by hand", [.choose(dac), .play, .move("speakers"), .choose(dac)],
            "plays on pulse:dac"),
        Sequence("the last device is unplugged", [.play, .unplug("dac"), .unplug("speakers")], "waits on pulse:auto_null (noDevice)"),
        Sequence("a device comes after the last one", [.play, .unplug("dac"), .unplug("speakers"), .plug("usb")], "plays on pulse:usb"),
        // Interruptions, and their ends.
        Sequence("a call", [.play, .callBegins], "waits on pulse:speakers (otherAudio)"),
        Sequence("a call of an hour ends", [.play, .callBegins, .wait(3_600), .callEnds], speakers),
        Sequence("a call ends before the server knows of the pause", [.play, .callBegins, .callEndsSoon], speakers),
        Sequence("play during a call", [.play, .callBegins, .play], "waits on pulse:speakers (otherAudio)"),
        Sequence("the server restarts during a call", [.play, .callBegins, .serverGoes, .serverComes], "waits on pulse:speakers (otherAudio)"),
        Sequence("the call ends while the server is away", [.play, .callBegins, .serverGoes, .callEnds, .serverComes], speakers),
        Sequence("a suspended device", [.play, .suspend], "waits on pulse:speakers (deviceSuspended)"),
        Sequence("a suspended device in a call", [.play, .callBegins, .suspend, .callEnds], "waits on pulse:speakers (deviceSuspended)"),
        Sequence("both end", [.play, .callBegins, .suspend, .callEnds, .resume], speakers),
        Sequence("the suspended server restarts", [.play, .suspend, .serverGoes, .serverComes], speakers),
        Sequence("sleep", [.play, .sleep], "waits on pulse:speakers (systemSleep)"),
        Sequence("sleep and wake", [.play, .sleep, .wake], speakers),
        Sequence("sleep during a pause", [.sleep, .wake], "paused on pulse:speakers"),
        Sequence("the server goes during sleep", [.play, .sleep, .serverGoes, .wake, .serverComes], speakers),
        // Files and ALSA.
        Sequence(
            "a full disk stops", in: OutputWorld(.output(driver: "file")), [.play, .diskFills, .wait(60)], "paused on nothing (writeFailed)"),
        Sequence("play on a full disk", in: OutputWorld(.output(driver: "file")), [.play, .diskFills, .play], "waits on nothing (writeFailed)"),
        Sequence("ALSA plays without a server", in: OutputWorld(isServerUp: false, hasCard: true), [.play], "plays on alsa:default"),
        Sequence("a server is better than ALSA", in: OutputWorld(isServerUp: false, hasCard: true), [.play, .serverComes], speakers),
        Sequence(
            "ALSA leaves the card to a server that restarts", in: OutputWorld(hasCard: true), [.play, .serverGoes], "waits on nothing (noOutput)"),
    ]

    @Test("a sequence of events has a documented end", arguments: sequences)
    func sequence(_ sequence: Sequence) {
        var world = sequence.world
        for step in sequence.steps { world.perform(step) }
        #expect(world.summary == sequence.end)
        #expect(!world.hasPlayedToNobody)
    }

    @Test("a volume that another program has set is kept over a restart of the server and another sample rate")
    func volumeIsKept() {
        var world = OutputWorld()
        for step in [OutputWorld.Step.play, .mixer(0.3), .serverGoes, .serverComes] { world.perform(step) }
        #expect(world.volume == 0.3 && world.streamVolume == 0.3)
        world.perform(.otherRate)
        #expect(world.streamVolume == 0.3)
    }

    @Test("a mute in the mixer is kept, and the mute of a call is not the user's")
    func muteIsKept() {
        var world = OutputWorld()
        for step in [OutputWorld.Step.play, .callBegins, .serverGoes] { world.perform(step) }
        #expect(!world.isMuted)
        for step in [OutputWorld.Step.callEnds, .serverComes, .mixerMutes(true), .otherRate] { world.perform(step) }
        #expect(world.isMuted && world.isStreamMuted)
    }

    @Test("an absent output is opened only after a sign of its presence, however long it is away")
    func noAttempts() {
        var world = OutputWorld(isServerUp: false)
        world.perform(.play)
        let attempts = world.openings.count
        for _ in 0..<60 { world.perform(.wait(60)) }
        #expect(world.openings.count == attempts)
        world.perform(.serverComes)
        #expect(world.openings.count == attempts + 1)
    }

    @Test("an output that fails as soon as it is open is not opened without end, but again by play")
    func failsAtOnce() {
        var world = OutputWorld()
        world.perform(.play)
        for _ in 0..<10 { world.perform(.streamIsKilled) }
        #expect(world.openings.count == 3 && world.summary == "waits on nothing (noOutput)")
        world.perform(.play)
        #expect(world.openings.count == 4 && world.summary == Self.speakers)
    }

    @Test("an output that has failed at once is opened again when its devices change")
    func failsUntilChange() {
        var world = OutputWorld()
        world.perform(.play)
        for _ in 0..<3 { world.perform(.streamIsKilled) }
        world.perform(.plug("usb"))
        #expect(world.summary == Self.speakers)
    }

    @Test("an output that fails now and then is opened each time")
    func failsNowAndThen() {
        var world = OutputWorld()
        world.perform(.play)
        for _ in 0..<10 {
            world.perform(.wait(2))
            world.perform(.streamIsKilled)
        }
        #expect(world.openings.count == 11 && world.summary == Self.speakers)
    }

    @Test("a report of the volume from before the mute of a call does not end the call, and one from after its end does")
    func oldReportInCall() {
        let now = HostTime(seconds: 1)
        var policy = OutputPolicy(drivers: [OutputPolicy.Driver(id: "pulse", isAutomatic: true, comesAndGoes: true)])
        _ = policy.handle(.needed, at: now)
        _ = policy.handle(.opened(OutputPolicy.Target(driver: "pulse", device: "a"), isAudible: true, by: .opened), at: now)
        #expect(policy.handle(.corked(true), at: now) == [.interrupt(.otherAudio)])
        #expect(policy.handle(.volumeReported(0.5, isMuted: false), at: now) == [.adopt(volume: 0.5, isMuted: nil)])
        #expect(policy.handle(.volumeReported(0.5, isMuted: true), at: now) == [.adopt(volume: 0.5, isMuted: nil)])
        let end: [OutputPolicy.Effect] = [.adopt(volume: 0.5, isMuted: false), .endInterruption(shouldResume: true)]
        #expect(policy.handle(.volumeReported(0.5, isMuted: false), at: now) == end)
    }

    @Test("an identical choice opens nothing")
    func sameChoice() {
        var world = OutputWorld()
        world.perform(.choose(Self.dac))
        let count = world.openings.count
        world.perform(.choose(Self.dac))
        #expect(world.openings.count == count)
    }

    @Test("before the first opening, the absence of the server is known if the policy watches for it")
    func idle() {
        let drivers = [OutputPolicy.Driver(id: "pulse", isAutomatic: true, comesAndGoes: true)]
        let now = HostTime(seconds: 1)
        var policy = OutputPolicy(drivers: drivers, watchesWhileIdle: true)
        #expect(policy.handle(.started, at: now) == [.watch(["pulse"])])
        #expect(policy.reason == nil)
        #expect(policy.handle(.presence(driver: "pulse", .absent), at: now) == [.interrupt(.noOutput)])
        #expect(policy.reason == .noOutput)
        // The server is not opened before it is needed.
        #expect(policy.handle(.presence(driver: "pulse", .present(devices: [])), at: now) == [.endInterruption(shouldResume: true)])
        #expect(policy.handle(.needed, at: now) == [.watch([])])
    }

    @Test("a server that returns during an attempt that fails is tried once more")
    func foundWhileOpening() {
        let drivers = [OutputPolicy.Driver(id: "pulse", isAutomatic: true, comesAndGoes: true)]
        let now = HostTime(seconds: 1), pulse = OutputPolicy.Target(driver: "pulse")
        var policy = OutputPolicy(drivers: drivers)
        _ = policy.handle(.needed, at: now)
        _ = policy.handle(.opened(OutputPolicy.Target(driver: "pulse", device: "a"), isAudible: true, by: .opened), at: now)
        #expect(policy.handle(.lost, at: now) == [.interrupt(.noOutput), .open(pulse, by: .lost), .watch(["pulse"])])
        #expect(policy.handle(.presence(driver: "pulse", .present(devices: ["a"])), at: now) == [])
        #expect(policy.handle(.unavailable, at: now) == [.open(pulse, by: .lost)])
        #expect(policy.handle(.unavailable, at: now) == [])
    }

    // MARK: Random sequences

    private static let wishes: [OutputWish] = [
        .automatic, .output(driver: "pulse"), .output(driver: "pulse", device: "dac"), .output(driver: "pulse", device: "usb"),
        .output(driver: "null"), .output(driver: "file"),
    ]

    private static func step(_ generator: inout SeededGenerator) -> OutputWorld.Step {
        let device = ["speakers", "dac", "usb"].randomElement(using: &generator) ?? "dac"
        switch Int.random(in: 0..<22, using: &generator) {
        case 0, 1, 2: return .play
        case 3: return .pause
        case 4: return .choose(wishes.randomElement(using: &generator) ?? .automatic)
        case 5, 6: return .serverGoes
        case 7, 8: return .serverComes
        case 9: return .streamIsKilled
        case 10: return .unplug(device)
        case 11: return .plug(device)
        case 12: return .move(device)
        case 13: return .suspend
        case 14: return .resume
        case 15: return .callBegins
        case 16: return .callEnds
        case 17: return Bool.random(using: &generator) ? .sleep : .wake
        case 18: return .mixer(Float(Int.random(in: 0...10, using: &generator)) / 10)
        case 19: return .mixerMutes(Bool.random(using: &generator))
        case 20: return Bool.random(using: &generator) ? .otherRate : .volume(Float(Int.random(in: 0...10, using: &generator)) / 10)
        default: return Int.random(in: 0..<8, using: &generator) == 0 ? .diskFills : .wait(Double.random(in: 0...900, using: &generator))
        }
    }

    @Test("10,000 random sequences: never played to nobody, no volume raised unasked, no choice lost, no attempt without a sign")
    func random() {
        for seed in 0..<10_000 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let wish = Self.wishes.randomElement(using: &generator) ?? .automatic
            var world = OutputWorld(wish, isServerUp: Bool.random(using: &generator), hasCard: Bool.random(using: &generator))
            var chosen = wish
            /// The volume that the user or another program has asked for last.
            var asked = world.volume
            var steps: [OutputWorld.Step] = []
            for _ in 0..<24 {
                let step = Self.step(&generator)
                steps.append(step)
                let openings = world.openings.count
                world.perform(step)
                switch step {
                case .choose(let new): chosen = new
                case .volume(let new): asked = new
                case .mixer: asked = world.volume
                default: break
                }
                let isKept = [
                    "it plays to nobody": !world.hasPlayedToNobody,
                    "the volume has risen": world.volume == asked && world.streamVolume <= asked,
                    "the choice is lost": world.policy.wish == chosen,
                    "the interruption has no reason": world.isInterrupted == (world.policy.reason != nil),
                    "an output was opened without a sign": !step.isWait || world.openings.count == openings,
                ]
                if let broken = isKept.first(where: { !$0.value }) {
                    Issue.record("\(broken.key) after \(steps)")
                    return
                }
            }
            // When every cause has ended, the wish is fulfilled, and nothing is reported any more.
            for step in [OutputWorld.Step.serverComes, .callEnds, .resume, .wake, .plug("speakers"), .plug("dac"), .plug("usb")] {
                world.perform(step)
            }
            guard world.isFulfilled else {
                Issue.record("\(world.summary) after \(steps)")
                return
            }
        }
    }
}
