import Glibc

/// A usual run proves a change: each kind of case, in small numbers. A thorough run proves a release: all cases, in the numbers of the documentation.
/// A test that differs only in degree is enabled by `isThorough`, and one that counts has two counts.
public enum TestDepth {
    /// `TONEARM_THOROUGH`, set by `script/test --thorough`.
    public static let isThorough = getenv("TONEARM_THOROUGH") != nil
}
