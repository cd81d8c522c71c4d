import Testing

/// The real program, a real sound server and real clients. One test at a time: each has the machine, and its sound card, for itself.
@Suite("End to end", .serialized)
enum EndToEndTests {}
