import FFmpegMedia
import Foundation
import Glibc
import PlaybackEngine
import PlaybackTesting
import Player
import RemoteControl
import Testing

@testable import tonearm

@Suite("The options of the state") struct StateOptionsTests {
    private func parse(_ arguments: String..., environment: [String: String] = [:]) throws -> Options {
        try Options.parse(arguments: ["serve"] + arguments, environment: environment)
    }

    @Test("name a folder or none, and what happens after a restart")
    func options() throws {
        #expect(try parse("--state-dir", "s").stateDirectory == "s")
        #expect(try parse("--no-state").noState)
        #expect(try parse(environment: ["TONEARM_NO_STATE": "yes"]).noState)
        #expect(try parse("--resume", "play").resumesPlayback)
        #expect(try !parse("--resume", "play", "--resume=pause").resumesPlayback)
        #expect(try parse("--remember-positions").remembersPositions)
        #expect(throws: OptionsError("--no-state and --state-dir cannot be combined")) { try parse("--no-state", "--state-dir", "s") }
        #expect(throws: OptionsError("--resume must be play or pause, not \"stop\"")) { try parse("--resume", "stop") }
        #expect(throws: OptionsError("--state-dir must be a folder, not \"\"")) { try parse("--state-dir=") }
    }

    @Test("the names of the settings that were given are known, from the command line and from the environment")
    func given() throws {
        #expect(try parse("--output", "null", environment: ["TONEARM_CROSSFADE": "2"]).given == ["output", "crossfade"])
    }

    @Test("the folder is systemd's, else that of XDG, else one below the home; without them there is none")
    func folder() {
        #expect(StateFolder.standardPath(environment: ["STATE_DIRECTORY": "/s:/t", "XDG_STATE_HOME": "/x", "HOME": "/h"]) == "/s")
        #expect(StateFolder.standardPath(environment: ["XDG_STATE_HOME": "/x", "HOME": "/h"]) == "/x/tonearm")
        #expect(StateFolder.standardPath(environment: ["XDG_STATE_HOME": "x", "HOME": "/h"]) == "/h/.local/state/tonearm")
        #expect(StateFolder.standardPath(environment: ["HOME": "h"]) == nil)
    }

    @Test("the volume without a saved state is a safe one only if there may be a state")
    @MainActor func safeVolume() throws {
        let options = try parse()
        let clock = VirtualClock()
        let scheduler = VirtualScheduler(clock: clock)
        let log = Log(level: .error, style: .plain, write: { _ in })
        func open(_ directory: String?) -> StatePersistence {
            StatePersistence(options, directory: directory, log: log, clock: clock, scheduler: scheduler)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tonearm-state-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(open("/etc/hosts/state").initialVolume == 1)
        #expect(open(nil).initialVolume == SavedSettings.safeVolume, "an earlier run may have had a home, and a state in it")
        let first = open(folder)
        #expect(first.initialVolume == 1)
        let second = open(folder)
        #expect(second.persistence.error?.code == .inUse && second.initialVolume == SavedSettings.safeVolume)
        first.close()
    }

    @Test("a kept choice of the output is restored if this run has the output")
    func output() {
        let choices = OutputChoices(.auto, drivers: [.null])
        choices.restore(OutputChoice(id: "gone:dac", kind: OutputKind(rawValue: "gone"), name: "DAC", device: "dac"))
        #expect(choices.chosenID == "auto")
        choices.restore(OutputChoice(id: "null", kind: .null, name: "Silence"))
        #expect(choices.chosenID == "null")
    }

    @Test("only files that the confinement permits are opened")
    func confinedOpener() throws {
        let opener = ScriptedMediaOpener()
        for path in ["/tmp", "/etc/hosts"] { opener.setMedium(ScriptedMedium(seconds: 1), at: path + "/a.flac") }
        opener.setMedium(ScriptedMedium(seconds: 1), at: "/etc/hosts")
        let confined = ConfinedOpener(opener: opener, confinement: try PathConfinement(roots: ["/tmp"], files: ["/etc/hosts"]))
        _ = try confined.open(MediaSource(.file(path: "/tmp/a.flac")), interrupt: Interrupt())
        _ = try confined.open(MediaSource(.file(path: "/etc/hosts")), interrupt: Interrupt())
        for path in ["/etc/hosts/a.flac", "/tmp/../etc/passwd", "/tmpx/a.flac", "relative"] {
            #expect(throws: PlaybackError.self) { try confined.open(MediaSource(.file(path: path)), interrupt: Interrupt()) }
        }
        #expect(opener.openCount == 2)
    }

    @Test("a link in a permitted path is not followed, whatever a saved queue says")
    func confinedLink() throws {
        let medium = try TestMedia.shared.wave(TestSignal(frameCount: 4800))
        let folder = medium.deletingLastPathComponent().resolvingSymlinksInPath().path
        let link = folder + "/confined-link.wav"
        unlink(link)
        try #require(symlink(medium.lastPathComponent, link) == 0)
        let confined = ConfinedOpener(opener: FFmpegOpener(), confinement: try PathConfinement(roots: [folder]))
        _ = try confined.open(MediaSource(.file(path: folder + "/" + medium.lastPathComponent)), interrupt: Interrupt())
        #expect(throws: PlaybackError.self) { try confined.open(MediaSource(.file(path: link)), interrupt: Interrupt()) }
    }
}
