import Testing

/// The entry point of all tests. Because it exists, the package manager does not search an index of the test targets for classes of XCTest, so that
/// the build makes no index.
@main struct TestMain {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
