// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled in Swift 6 language mode, with the import rules that keep the layers of ARCHITECTURE.md honest.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]
/// Test code is not optimized, also in an optimized build: its compilation would take longer than that of what it tests. Its modules are emitted by
/// the compilation itself, because nothing waits for them.
let testSettings: [SwiftSetting] = settings + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])]

/// The test targets that are built: those that the environment variable names, separated by commas, or all. (`script/test --adapters`)
let chosenTests = Context.environment["TONEARM_TESTS"]?.split(separator: ",").map(String.init)

let package = Package(
    name: "tonearm",
    products: [
        .library(name: "AVFoundation", targets: ["AVFoundation", "CoreMedia", "Combine"]),
        .library(name: "Combine", targets: ["Combine"]),
        .executable(name: "tonearm", targets: ["tonearm"]),
    ],
    targets: [
        // C libraries, from Debian. Each shim holds only what Swift cannot import.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CFFmpeg", providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswresample-dev", "libswscale-dev"])]),
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CRubberBand", providers: [.apt(["librubberband-dev"])]),
        .systemLibrary(name: "CEBUR128", providers: [.apt(["libebur128-dev"])]),
        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
        .systemLibrary(name: "CGnuTLS", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CNettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),

        // The library, lowest layer first.
        .target(name: "Platform", dependencies: ["CLinux"], swiftSettings: settings),
        .target(name: "CoreMedia", swiftSettings: settings),
        .target(name: "Combine", swiftSettings: settings),
        .target(name: "PlaybackEngine", dependencies: ["CoreMedia", "Platform"], swiftSettings: settings),
        .target(name: "FeedReader", dependencies: ["PlaybackEngine", "Platform", "CExpat"], swiftSettings: settings),
        .target(name: "HTTPClient", dependencies: ["PlaybackEngine", "Platform", "CCurl"], swiftSettings: settings),
        .target(name: "CFFmpegLimits"),
        .target(
            name: "FFmpegMedia", dependencies: ["PlaybackEngine", "Platform", "FeedReader", "HTTPClient", "CFFmpeg", "CFFmpegLimits", "CZlib"],
            swiftSettings: settings),
        .target(name: "PulseOutput", dependencies: ["PlaybackEngine", "Platform", "CPulse"], swiftSettings: settings),
        .target(name: "RubberBandPitch", dependencies: ["PlaybackEngine", "CRubberBand"], swiftSettings: settings),
        .target(name: "LoudnessMeter", dependencies: ["PlaybackEngine", "CEBUR128"], swiftSettings: settings),
        .target(
            name: "AVFoundation",
            dependencies: ["CoreMedia", "Combine", "PlaybackEngine", "Platform", "FFmpegMedia", "RubberBandPitch", "PulseOutput"],
            swiftSettings: settings),

        // The remote control.
        .target(name: "Playlist", dependencies: ["AVFoundation", "CoreMedia", "PlaybackEngine", "Platform"], swiftSettings: settings),
        .target(name: "StateStore", dependencies: ["AVFoundation", "Playlist", "PlaybackEngine", "Platform", "CSQLite"], swiftSettings: settings),
        .target(name: "WebSocket", dependencies: ["CWslay", "CNettle"], swiftSettings: settings),
        .target(
            name: "RemoteControl", dependencies: ["AVFoundation", "Playlist", "PlaybackEngine", "Platform", "WebSocket"], swiftSettings: settings),
        .target(name: "CRemoteAssets", exclude: ["bundle"]),
        .target(name: "RemoteAssets", dependencies: ["CRemoteAssets", "CYAML", "CZlib"], swiftSettings: settings),
        .target(name: "CMicroHTTPDErrors"),
        .target(
            name: "MicroHTTP", dependencies: ["RemoteControl", "Platform", "CMicroHTTPD", "CMicroHTTPDErrors", "CLinux"], swiftSettings: settings),
        .executableTarget(
            name: "tonearm",
            dependencies: [
                "AVFoundation", "CoreMedia", "Playlist", "RemoteControl", "RemoteAssets", "MicroHTTP", "PlaybackEngine", "Platform", "FFmpegMedia",
                "LoudnessMeter", "StateStore", "CLinux",
            ],
            swiftSettings: settings),

        // The kit that replaces the edges in tests.
        .target(
            name: "PlaybackTesting", dependencies: ["CoreMedia", "PlaybackEngine", "Platform", "AVFoundation", "CGnuTLS"], swiftSettings: settings),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: testSettings),
        .testTarget(name: "CoreMediaTests", dependencies: ["CoreMedia", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(name: "CombineTests", dependencies: ["Combine", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "PlaybackEngineTests", dependencies: ["CoreMedia", "PlaybackEngine", "Platform", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "FeedReaderTests", dependencies: ["FeedReader", "PlaybackEngine", "Platform", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "HTTPClientTests", dependencies: ["HTTPClient", "CGnuTLS", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "FFmpegMediaTests",
            dependencies: [
                "CoreMedia", "FFmpegMedia", "FeedReader", "HTTPClient", "CFFmpeg", "CFFmpegLimits", "PlaybackEngine", "Platform", "PlaybackTesting",
            ],
            swiftSettings: testSettings),
        .testTarget(name: "LoudnessMeterTests", dependencies: ["LoudnessMeter", "PlaybackEngine"], swiftSettings: testSettings),
        .testTarget(
            name: "RubberBandPitchTests", dependencies: ["RubberBandPitch", "PlaybackEngine", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "PulseOutputTests", dependencies: ["PulseOutput", "CPulse", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "AVFoundationTests", dependencies: ["AVFoundation", "Combine", "CoreMedia", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "PlaylistTests", dependencies: ["Playlist", "AVFoundation", "CoreMedia", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "StateStoreTests",
            dependencies: ["AVFoundation", "StateStore", "Playlist", "PlaybackEngine", "Platform", "PlaybackTesting", "CSQLite"],
            swiftSettings: testSettings),
        .testTarget(name: "WebSocketTests", dependencies: ["WebSocket", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "RemoteControlTests",
            dependencies: ["RemoteControl", "Playlist", "AVFoundation", "PlaybackEngine", "Platform", "PlaybackTesting", "WebSocket"],
            swiftSettings: testSettings),
        .testTarget(
            name: "MicroHTTPTests", dependencies: ["MicroHTTP", "RemoteControl", "Platform", "PlaybackTesting", "WebSocket"],
            swiftSettings: testSettings),

        // The program and what it carries.
        .testTarget(name: "RemoteAssetsTests", dependencies: ["RemoteAssets", "RemoteControl"], swiftSettings: testSettings),
        .testTarget(
            name: "TonearmTests",
            dependencies: [
                "tonearm", "CoreMedia", "FFmpegMedia", "LoudnessMeter", "MicroHTTP", "PlaybackEngine", "Platform", "PlaybackTesting", "Playlist",
                "RemoteControl",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "EndToEndTests", dependencies: ["tonearm", "AVFoundation", "PlaybackEngine", "Platform", "PlaybackTesting", "PulseOutput"],
            // Optimized, because they examine minutes of recorded audio while other programs need the processor.
            exclude: ["Browser", "Clients", "Server"], swiftSettings: settings),
    ]
)
if let chosenTests { package.targets.removeAll { $0.type == .test && !chosenTests.contains($0.name) } }
