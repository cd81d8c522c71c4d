import Testing

@testable import tonearm

@Suite("The commands of the terminal's remote")
struct RemoteActionTests {
    private func parse(_ arguments: String...) throws -> Options { try Options.parse(arguments: ["remote"] + arguments) }
    private func complaint(_ arguments: [String]) -> String? {
        do throws(OptionsError) {
            _ = try Options.parse(arguments: ["remote"] + arguments)
            return nil
        } catch { return error.description }
    }

    @Test("each command is an operation")
    func operations() throws {
        #expect(try parse().remote.operation == .status)
        #expect(try parse("play").remote.operation == .transport(.play))
        #expect(try parse("play", "a", "b").remote.operation == .playMedia(["a", "b"]))
        #expect(try parse("seek", "+30").remote.operation == .seek(.offset(30)))
        #expect(try parse("seek", "-10").remote.operation == .seek(.offset(-10)))
        #expect(try parse("seek", "1:02:03").remote.operation == .seek(.time(3723)))
        #expect(try parse("seek", "50%").remote.operation == .seek(.fraction(0.5)))
        #expect(try parse("volume", "40").remote.operation == .volume(.absolute(40)))
        #expect(try parse("volume", "-5%").remote.operation == .volume(.relative(-5)))
        #expect(try parse("mute").remote.operation == .mute(nil))
        #expect(try parse("mute", "off").remote.operation == .mute(false))
        #expect(try parse("rate", "-1").remote.operation == .rate(-1))
        #expect(try parse("repeat", "one").remote.operation == .repeatMode("one"))
        #expect(try parse("shuffle", "on").remote.operation == .shuffle(true))
        #expect(try parse("sleep", "1h30m").remote.operation == .sleepTimer(.after(seconds: 5400)))
        #expect(try parse("sleep", "end").remote.operation == .sleepTimer(.endOfItem))
        #expect(try parse("add", "a", "--next").remote.operation == .add(["a"]))
        #expect(try parse("jump", "3").remote.operation == .jump(3))
        #expect(try parse("jump", "100000").remote.operation == .jump(100_000))
        #expect(try parse("remove", "1", "2").remote.operation == .remove([1, 2]))
        #expect(try parse("move", "3", "1").remote.operation == .move(from: 3, to: 1))
        #expect(try parse("output", "pulse").remote.operation == .output("pulse"))
    }

    @Test("every command of the table is accepted by its own word")
    func table() {
        for action in RemoteAction.all where action.count.contains(0) { #expect(complaint([action.name]) == nil, "\(action.name)") }
        #expect(Set(RemoteAction.all.map(\.name)).count == RemoteAction.all.count)
    }

    @Test(
        "invalid arguments are refused before a daemon is contacted, with the form of valid ones",
        arguments: [
            ["seek", "soon"], ["seek", "101%"], ["seek", "1:60"], ["seek", "+"], ["seek", "1e3"], ["seek", "9999999999"], ["volume", "101"],
            ["volume", "loud"], ["volume", "nan"], ["rate", "0"], ["rate", "33"], ["rate", "0x2"], ["repeat", "some"], ["shuffle", "yes"],
            ["sleep", "30"], ["sleep", "25h"], ["sleep", "1m1h"], ["sleep", "m"], ["sleep", ""], ["jump", "0"], ["jump", "100001"],
            ["remove", "1", "x"],
            ["move", "1", "0"], ["mute", "maybe"], ["output", ""],
        ])
    func invalid(arguments: [String]) throws {
        let message = try #require(self.complaint(arguments))
        #expect(message.hasPrefix("\(arguments[0]) needs "), "\(message)")
    }

    @Test("a wrong number of arguments, an unknown word and options that do not fit are refused")
    func usage() {
        #expect(complaint(["pause", "1"]) == "pause has no arguments")
        #expect(complaint(["seek"]) == "the usage is: tonearm remote seek TIME")
        #expect(complaint(["add"]) == "the usage is: tonearm remote add FILE|URL…")
        #expect(complaint(["paus"]) == "\"paus\" is not a command of the remote; \"tonearm help remote\" lists them")
        #expect(complaint(["play", "--next"]) == "--next needs the command add")
        #expect(complaint(["servers", "--follow"]) == "--follow cannot be combined with servers")
        #expect(complaint(["--address", "https://h"])?.hasPrefix("--address must be a host and a port") == true)
    }

    @Test("the address and the token's file also come from the environment, which the other options do not")
    func environment() throws {
        let variables = ["TONEARM_ADDRESS": "h:1", "TONEARM_TOKEN_FILE": "/t", "TONEARM_JSON": "yes", "TONEARM_MEDIA_ROOT": "/m"]
        let options = try Options.parse(arguments: ["remote"], environment: variables)
        #expect(options.remote.address == RemoteAddress("h:1"))
        #expect(options.tokenFile == "/t")
        #expect(!options.remote.isJSON)
        #expect(options.warnings.isEmpty)
        #expect(try Options.parse(arguments: ["remote", "--address", "g:2"], environment: variables).remote.address == RemoteAddress("g:2"))
        #expect(try Options.parse(arguments: ["serve"], environment: ["TONEARM_ADDRESS": "h:1"]).warnings.isEmpty)
    }
}
