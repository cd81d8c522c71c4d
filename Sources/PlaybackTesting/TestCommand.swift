public import Platform
public import PlaybackEngine

/// A command of the engine, or a new value of one setting.
public enum TestCommand: Sendable {
    case engine(EngineCommand)
    case setting(@Sendable (inout EngineSettings) -> Void)

    public static func load(_ request: LoadRequest) -> TestCommand { .engine(.load(request)) }
    public static var unload: TestCommand { .engine(.unload) }
    public static func setUpcoming(_ requests: [LoadRequest], after item: ItemID) -> TestCommand { .engine(.setUpcoming(requests, after: item)) }
    public static var advance: TestCommand { .engine(.advance) }
    public static func seek(_ request: SeekRequest) -> TestCommand { .engine(.seek(request)) }
    public static func setRunning(_ isRunning: Bool) -> TestCommand { .engine(.setRunning(isRunning)) }
    public static func setLoop(_ range: LoopRange?, _ item: ItemID) -> TestCommand { .engine(.setLoop(range, item)) }
    public static func awaitStart(_ host: HostTime) -> TestCommand { .engine(.awaitStart(host)) }
    public static var meetStart: TestCommand { .engine(.meetStart) }
    public static var reselectOutput: TestCommand { .engine(.reselectOutput) }

    public static func setRate(_ rate: Double) -> TestCommand { .setting { $0.rate = rate } }
    public static func setCrossfade(_ seconds: Double) -> TestCommand { .setting { $0.crossfade = seconds } }
    public static func setLoudness(_ mode: LoudnessMode) -> TestCommand { .setting { $0.loudness = mode } }
    public static func setRole(_ role: StreamRole) -> TestCommand { .setting { $0.role = role } }
    public static func setForwardBuffer(_ seconds: Double) -> TestCommand { .setting { $0.forwardBuffer = seconds } }
}
