import Testing

/// The real program, a real sound server and real clients. The tests are serialized: each has the machine and its sound card to itself.
@Suite("End to end", .serialized)
enum EndToEndTests {}
