import Glibc

/// The depth of a test run. A usual run proves a change: it has each kind of case, in small numbers. A thorough run proves a release: it has all
/// cases, in the numbers that the documentation promises.
///
/// A test that differs from another one only in degree is enabled by `isThorough`, and a test that counts has two counts.
public enum TestDepth {
    /// Whether this is a thorough run: the environment variable `TONEARM_THOROUGH` is set. `script/test --thorough` sets it.
    public static let isThorough = getenv("TONEARM_THOROUGH") != nil
}
