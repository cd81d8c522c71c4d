/// iTunes' tag "iTunSMPB": samples before and after the recording, and its length, hexadecimal.
struct ITunesGapless: Equatable {
    let priming: Int64
    let padding: Int64
    let samples: Int64

    init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        let fields = text.split(separator: " ").prefix(4).map { Int64($0, radix: 16) }
        guard fields.count == 4, let priming = fields[1], let padding = fields[2], let samples = fields[3] else { return nil }
        guard (0..<65_536).contains(priming), (0..<65_536).contains(padding), samples > 0, samples < 1 << 48 else { return nil }
        self.priming = priming
        self.padding = padding
        self.samples = samples
    }
}
