// swift-tools-version: 6.2
import PackageDescription

// This package is separate from Tonearm's own, as a user's package is: it depends only on the product AVFoundation.
let tonearm: Target.Dependency = .product(name: "AVFoundation", package: "tonearm")

let package = Package(
    name: "Examples",
    dependencies: [.package(name: "tonearm", path: "..")],
    targets: [
        .executableTarget(name: "PlayFile", dependencies: [tonearm]),
        .executableTarget(name: "QueueWithCues", dependencies: [tonearm]),
        .executableTarget(name: "Scrub", dependencies: [tonearm]),
        .executableTarget(name: "InterruptionAware", dependencies: [tonearm]),
        // Code in the style of Apple's documentation: as it was written before Swift had actors, and as it is written today.
        .target(name: "ListingsSwift5", dependencies: [tonearm], swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(name: "ListingsSwift6", dependencies: [tonearm], swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
)
