import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import tonearm

@Suite("The outputs that can be chosen") struct OutputChoicesTests {
    @MainActor private final class Reports {
        var ids: [String] = []
    }

    private func server(devices: [String]) -> OutputDriver {
        OutputDriver(
            id: "server", name: "Default", devices: { devices.map { OutputDriver.Device(id: $0, name: $0.uppercased()) } },
            provider: { _ in NullOutputProvider() })
    }

    @Test("the automatic one, each driver with its devices, and the file of the command line")
    func list() {
        let choices = OutputChoices(.auto, file: "/x.wav", drivers: [server(devices: ["dac", "hdmi"]), .null])
        #expect(choices.outputs().map(\.id) == ["auto", "server", "server:dac", "server:hdmi", "null", "file"])
        #expect(choices.outputs().map(\.name) == ["Automatic", "Default", "DAC", "HDMI", "Silence", "File"])
        #expect(choices.chosenID == "auto")
    }

    @Test("a server without devices is left out, unless it was chosen")
    func withoutDevices() {
        let drivers = [server(devices: []), .null]
        #expect(OutputChoices(.auto, drivers: drivers).outputs().map(\.id) == ["auto", "null"])
        let chosen = Options.Output(kind: OutputKind(rawValue: "server"))
        #expect(OutputChoices(chosen, drivers: drivers).outputs().map(\.id) == ["auto", "server", "null"])
    }

    @Test("each choice is a wish of the player: the automatic one, a driver, or its device")
    func wishes() throws {
        let choices = OutputChoices(.auto, file: "/x.wav", drivers: [server(devices: ["dac"]), .null])
        #expect(choices.chosenWish == .automatic)
        #expect(
            choices.outputs().map(\.wish) == [
                .automatic, .output(driver: "server"), .output(driver: "server", device: "dac"), .output(driver: "null"), .output(driver: "file"),
            ])
        #expect(choices.drivers.map(\.id) == ["server", "null", "file"])
    }

    @Test("a device gets no greater volume than the limit, and may be muted alone")
    func volumeLimit() {
        let set = Mutex<[String]>([])
        let driver = OutputDriver(
            id: "server", name: "Default",
            setVolume: { device, volume, isMuted in
                set.withLock { $0.append("\(device) \(volume.map { "\($0)" } ?? "-") \(isMuted.map { "\($0)" } ?? "-")") }
                return true
            },
            provider: { _ in NullOutputProvider() })
        let choices = OutputChoices(.auto, volumeLimit: 0.8, drivers: [driver])
        let dac = OutputChoice(id: "server:dac", kind: OutputKind(rawValue: "server"), name: "DAC", device: "dac")
        #expect(choices.setVolume(of: dac, volume: 1.2, isMuted: nil))
        #expect(choices.setVolume(of: dac, volume: 0.5, isMuted: nil))
        #expect(choices.setVolume(of: dac, volume: nil, isMuted: true))
        #expect(set.withLock { $0 } == ["dac 0.8 -", "dac 0.5 -", "dac - true"])
    }

    @Test("a choice is kept, and reported") @MainActor
    func choosing() throws {
        let choices = OutputChoices(.auto, drivers: [server(devices: []), .null])
        let reports = Reports()
        choices.onChange { [unowned choices] in reports.ids.append(choices.chosenID) }
        choices.didChoose(try #require(choices.outputs().last))
        #expect(reports.ids == ["null"])
        #expect(choices.chosenWish == .output(driver: "null"))
    }
}
