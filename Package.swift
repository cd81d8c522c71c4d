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
/// Test code is not optimized, also in an optimized build: its compilation would take longer than that of what it tests. What loops over minutes of
/// audio is in `PlaybackTesting`, which is. The modules of tests are emitted by the compilation itself, because nothing waits for them.
let testSettings: [SwiftSetting] = settings + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])]

/// The test targets that are built: those that the environment variable names, separated by commas, or all. (`script/test --adapters`)
let chosenTests = Context.environment["TONEARM_TESTS"]?.split(separator: ",").map(String.init)

let package = Package(
    name: "tonearm",
    products: [
        .library(name: "AVFoundation", targets: ["AVFoundation", "AVFAudio", "CoreMedia", "Combine"]),
        .library(name: "Combine", targets: ["Combine"]),
        .executable(name: "tonearm", targets: ["tonearm"]),
    ],
    targets: [
        // C libraries, from Debian. Each shim holds only what Swift cannot import.
        .systemLibrary(name: "CLinux", path: "Sources/C/CLinux"),
        .systemLibrary(
            name: "CFFmpeg", path: "Sources/C/CFFmpeg",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswresample-dev", "libswscale-dev"])]),
        .systemLibrary(name: "CPulse", path: "Sources/C/CPulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(name: "CALSA", path: "Sources/C/CALSA", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", path: "Sources/C/CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CRubberBand", path: "Sources/C/CRubberBand", providers: [.apt(["librubberband-dev"])]),
        .systemLibrary(name: "CEBUR128", path: "Sources/C/CEBUR128", providers: [.apt(["libebur128-dev"])]),
        .systemLibrary(name: "CWslay", path: "Sources/C/CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CCurl", path: "Sources/C/CCurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
        .systemLibrary(name: "CGnuTLS", path: "Sources/C/CGnuTLS", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CNettle", path: "Sources/C/CNettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CSQLite", path: "Sources/C/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSystemd", path: "Sources/C/CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CExpat", path: "Sources/C/CExpat", providers: [.apt(["libexpat1-dev"])]),

        // The library, lowest layer first.
        .target(name: "Platform", dependencies: ["CLinux"], swiftSettings: settings),
        .target(name: "CoreMedia", swiftSettings: settings),
        .target(name: "Combine", swiftSettings: settings),
        .target(name: "PlaybackEngine", dependencies: ["CoreMedia", "Platform"], swiftSettings: settings),
        .target(name: "HTTPClient", dependencies: ["PlaybackEngine", "Platform", "CCurl"], swiftSettings: settings),
        .target(name: "CFFmpegLimits", path: "Sources/C/CFFmpegLimits"),
        // TagLib's interface is C++: libtag1-dev.
        .target(name: "CTagLib", path: "Sources/C/CTagLib"),
        .target(
            name: "FFmpegMedia",
            dependencies: ["PlaybackEngine", "Platform", "HTTPClient", "CFFmpeg", "CFFmpegLimits", "CTagLib", "CZlib", "CExpat"],
            swiftSettings: settings),
        .target(name: "PulseOutput", dependencies: ["PlaybackEngine", "Platform", "CPulse"], swiftSettings: settings),
        .target(name: "ALSAOutput", dependencies: ["PlaybackEngine", "Platform", "CALSA"], swiftSettings: settings),
        .target(name: "RubberBandPitch", dependencies: ["PlaybackEngine", "CRubberBand"], swiftSettings: settings),
        .target(
            name: "AVFoundation",
            dependencies: ["CoreMedia", "Combine", "PlaybackEngine", "Platform", "FFmpegMedia", "RubberBandPitch", "PulseOutput", "ALSAOutput"],
            swiftSettings: settings),
        .target(name: "AVFAudio", dependencies: ["AVFoundation"], swiftSettings: settings),

        // The remote control.
        .target(name: "Player", dependencies: ["AVFoundation", "CoreMedia", "PlaybackEngine", "Platform", "CSQLite"], swiftSettings: settings),
        .target(
            name: "RemoteControl", dependencies: ["AVFoundation", "Player", "PlaybackEngine", "Platform", "CWslay", "CNettle"],
            swiftSettings: settings,
            // Of Swift's toolchain, which links it with Foundation, but to a program's own code only if it is named.
            linkerSettings: [.linkedLibrary("_FoundationICU")]),
        .target(name: "CRemoteAssets", path: "Sources/C/CRemoteAssets", exclude: ["bundle"]),
        .target(name: "HTTPServer", dependencies: ["RemoteControl", "Platform", "CMicroHTTPD", "CLinux"], swiftSettings: settings),
        .executableTarget(
            name: "tonearm",
            dependencies: [
                "AVFoundation", "CoreMedia", "Player", "RemoteControl", "HTTPServer", "PlaybackEngine", "Platform", "FFmpegMedia",
                "CCurl", "CEBUR128", "CRemoteAssets", "CSystemd", "CZlib", "CLinux",
            ],
            swiftSettings: settings),

        // The kit that replaces the edges in tests, and generates and compares their audio.
        .target(
            name: "PlaybackTesting", dependencies: ["CoreMedia", "PlaybackEngine", "Platform", "AVFoundation", "CGnuTLS"], swiftSettings: settings),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: testSettings),
        .testTarget(name: "CoreMediaTests", dependencies: ["CoreMedia", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(name: "CombineTests", dependencies: ["Combine", "Platform", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "PlaybackEngineTests", dependencies: ["CoreMedia", "PlaybackEngine", "Platform", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "HTTPClientTests", dependencies: ["HTTPClient", "CGnuTLS", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "FFmpegMediaTests",
            dependencies: [
                "CoreMedia", "FFmpegMedia", "HTTPClient", "CFFmpeg", "CFFmpegLimits", "PlaybackEngine", "Platform", "PlaybackTesting",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "RubberBandPitchTests", dependencies: ["RubberBandPitch", "PlaybackEngine", "PlaybackTesting"], swiftSettings: testSettings),
        .testTarget(
            name: "PulseOutputTests", dependencies: ["PulseOutput", "CPulse", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "ALSAOutputTests", dependencies: ["ALSAOutput", "PlaybackEngine", "Platform"], swiftSettings: testSettings),
        .testTarget(
            name: "AVFoundationTests", dependencies: ["AVFoundation", "Combine", "CoreMedia", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "PlayerTests",
            dependencies: ["Player", "AVFoundation", "CoreMedia", "PlaybackEngine", "Platform", "PlaybackTesting", "CSQLite"],
            swiftSettings: testSettings),
        .testTarget(
            name: "RemoteControlTests",
            dependencies: ["RemoteControl", "Player", "AVFoundation", "PlaybackEngine", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "RemoteControl", "Platform", "PlaybackTesting"],
            swiftSettings: testSettings),

        // The program and what it carries.
        .testTarget(
            name: "TonearmTests",
            dependencies: [
                "tonearm", "CoreMedia", "FFmpegMedia", "HTTPServer", "PlaybackEngine", "Platform", "PlaybackTesting", "Player",
                "RemoteControl",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["tonearm", "AVFoundation", "PlaybackEngine", "Platform", "PlaybackTesting", "PulseOutput", "CSystemd"],
            exclude: ["Browser", "Clients", "Server"], swiftSettings: testSettings),
    ],
    cxxLanguageStandard: .cxx17
)
if let chosenTests { package.targets.removeAll { $0.type == .test && !chosenTests.contains($0.name) } }
