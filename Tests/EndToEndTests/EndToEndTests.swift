import Testing

/// Tests with the real program, a real sound server and real clients. They run one after the other, so that no test delays another one.
@Suite("End to end", .serialized, .failureEvidence)
enum EndToEndTests {}
