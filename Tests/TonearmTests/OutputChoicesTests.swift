import PlaybackEngine
import Player
import Testing

@testable import tonearm

@Suite("The outputs that can be chosen") struct OutputChoicesTests {
    /// An output provider that stores the name of the device for which it was made.
    private struct Provider: OutputProvider {
        var device: String?
        func makeSink() -> any AudioSink { NullOutputProvider().makeSink() }
    }

    @MainActor private final class Reports {
        var ids: [String] = []
    }

    private func server(devices: [String]) -> OutputDriver {
        OutputDriver(
            id: "server", name: "Default", devices: { devices.map { OutputDriver.Device(id: $0, name: $0.uppercased()) } },
            provider: { Provider(device: $0) })
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

    @Test("an automatic choice tries the drivers in their order, without the file; another one tries its device alone")
    func providers() throws {
        let choices = OutputChoices(.auto, file: "/x.wav", drivers: [server(devices: ["dac"]), .null])
        let automatic = choices.chosenProviders
        #expect(automatic.count == 2 && automatic[0] is Provider && automatic[1] is NullOutputProvider)
        let device = try #require(choices.outputs().first { $0.id == "server:dac" })
        #expect(choices.providers(of: device).map { ($0 as? Provider)?.device } == ["dac"])
    }

    @Test("a choice is kept, and reported") @MainActor
    func choosing() throws {
        let choices = OutputChoices(.auto, drivers: [server(devices: []), .null])
        let reports = Reports()
        choices.onChange { [unowned choices] in reports.ids.append(choices.chosenID) }
        choices.didChoose(try #require(choices.outputs().last))
        #expect(reports.ids == ["null"])
        #expect(choices.chosenProviders.count == 1)
    }
}
