import PlaybackEngine
import PlaybackTesting

/// The helpers of suites that play ramps: media in which each frame's value is its number.
protocol RampPlaying {}

extension RampPlaying {
    var a: ItemID { ItemID(rawValue: 1) }
    var b: ItemID { ItemID(rawValue: 2) }
    /// The number of frames of a fade (5 ms). The suites skip the frames of fades; `SpliceTests` and `PauseTests` check them.
    var ramp: Int { 220 }

    /// Returns the heard values as whole numbers.
    func values(_ heard: [CaptureSink.Heard]) -> [Int] { heard.map { Int($0.value) } }

    /// Returns a rig that plays the first script's medium and has executed `commands`.
    func playing(_ scripts: [String: RampReader.Script] = ["a": .init(frames: 200_000)], _ commands: TestCommand...) -> EngineRig {
        let rig = EngineRig(scripts)
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        for command in commands { rig.send(command) }
        return rig
    }
}
