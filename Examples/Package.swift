// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a user's is: it names the product AVFoundation, and nothing else.
let tonearm: Target.Dependency = .product(name: "AVFoundation", package: "tonearm")

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "tonearm", path: "..")],
    targets: [
        .executableTarget(name: "PlayFile", dependencies: [tonearm]),
        .executableTarget(name: "QueueWithCues", dependencies: [tonearm]),
        .executableTarget(name: "Scrub", dependencies: [tonearm]),
        .executableTarget(name: "InterruptionAware", dependencies: [tonearm]),
        // Code in the shape that Apple's documentation teaches, of the time before actors and of today.
        .target(name: "ListingsSwift5", dependencies: [tonearm], swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(name: "ListingsSwift6", dependencies: [tonearm], swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
)
