import Testing

/// Tests with the real program, a real sound server and real clients. The tests of
/// one process run one after the other; `script/test` runs several processes side by side.
@Suite("End to end", .serialized, .failureEvidence)
enum EndToEndTests {}
