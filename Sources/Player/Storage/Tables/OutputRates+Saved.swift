import PlaybackEngine

/// The form in which the chosen sample rates are saved in the database. Each line has one choice: the word for the sample rate, a tab, and the name
/// of the device. The first line has only the word, and is the choice for all other devices.
extension OutputRates {
    var saved: String {
        // A device whose name has a tab or a line feed cannot be written. PulseAudio's and PipeWire's names have neither.
        let devices = byDevice.filter { device, _ in !device.utf8.contains { $0 == 9 || $0 == 10 } }.sorted { $0.key < $1.key }
        return ([standard.description] + devices.map { "\($0.value)\t\($0.key)" }).joined(separator: "\n")
    }

    /// Reads saved choices. Lines that this version does not know are ignored.
    init(saved: String) {
        self.init()
        for line in saved.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1).map { String(Substring($0)) }
            guard let word = parts.first, let rate = OutputRate(word) else { continue }
            set(rate, of: parts.count > 1 ? parts[1] : nil)
        }
    }
}
