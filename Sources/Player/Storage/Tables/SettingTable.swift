import PlaybackEngine

/// The table of settings: a name and a value in each row. Rows with a name or a value that this version does not know are ignored, and
/// stay in the table.
struct SettingTable {
    /// A value of a setting in the database.
    private enum Value: Hashable {
        case number(Double)
        case text(String)
    }

    private let insert: Statement
    private let select: Statement

    init(_ database: Database) throws(DatabaseError) {
        insert = try Statement(database, "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)")
        select = try Statement(database, "SELECT value FROM setting WHERE name = ?")
    }

    func read() throws(DatabaseError) -> SavedSettings {
        var settings = SavedSettings()
        settings.volume = try number("volume")
        settings.isMuted = try number("isMuted").map { $0 != 0 }
        settings.defaultRate = try number("defaultRate")
        settings.automaticallyWaitsToMinimizeStalling = try number("automaticallyWaitsToMinimizeStalling").map { $0 != 0 }
        settings.actionAtItemEnd = try named("actionAtItemEnd")
        settings.audioTimePitchAlgorithm = try choice("audioTimePitchAlgorithm")
        settings.crossfadeDuration = try number("crossfadeDuration")
        settings.loudnessNormalization = try choice("loudnessNormalization")
        settings.outputRates = try text("outputRates").map(OutputRates.init(saved:))
        if let id = try text("output.id"), let kind = try text("output.kind") {
            settings.output = OutputChoice(
                id: id, kind: OutputKind(rawValue: kind), name: try text("output.name") ?? id, device: try text("output.device"))
        }
        return settings
    }

    /// Writes the settings that differ from `former`; if `former` is nil, writes all settings.
    func write(_ settings: SavedSettings, after former: SavedSettings?) throws(DatabaseError) {
        let known = former.map(Self.rows) ?? [:]
        for (name, value) in Self.rows(settings) where known[name] != value {
            try insert.bind(1, name)
            switch value {
            case .number(let number): try insert.bind(2, number)
            case .text(let text): try insert.bind(2, text)
            }
            try insert.run()
        }
    }

    private static func rows(_ settings: SavedSettings) -> [String: Value] {
        var rows: [String: Value] = [:]
        func set(_ name: String, _ value: Double?) { if let value { rows[name] = .number(value) } }
        func set(_ name: String, _ value: String?) { if let value { rows[name] = .text(value) } }
        set("volume", settings.volume)
        set("isMuted", settings.isMuted.map { $0 ? 1 : 0 })
        set("defaultRate", settings.defaultRate)
        set("automaticallyWaitsToMinimizeStalling", settings.automaticallyWaitsToMinimizeStalling.map { $0 ? 1 : 0 })
        set("actionAtItemEnd", settings.actionAtItemEnd?.name)
        set("audioTimePitchAlgorithm", settings.audioTimePitchAlgorithm?.rawValue)
        set("crossfadeDuration", settings.crossfadeDuration)
        set("loudnessNormalization", settings.loudnessNormalization?.rawValue)
        set("outputRates", settings.outputRates?.saved)
        set("output.id", settings.output?.id)
        set("output.kind", settings.output?.kind.rawValue)
        set("output.name", settings.output?.name)
        // If the chosen output has no device, an empty text replaces the device of an earlier choice.
        set("output.device", settings.output.map { $0.device ?? "" })
        return rows
    }

    // MARK: Values

    private func number(_ name: String) throws(DatabaseError) -> Double? {
        try select.bind(1, name)
        defer { select.reset() }
        guard try select.step(), select.isNumber(0) else { return nil }
        return select.double(0)
    }

    private func text(_ name: String) throws(DatabaseError) -> String? {
        try select.bind(1, name)
        defer { select.reset() }
        guard try select.step(), let text = select.text(0), !text.isEmpty else { return nil }
        return text
    }

    private func choice<Choice: RawRepresentable<String>>(_ name: String) throws(DatabaseError) -> Choice? {
        try text(name).flatMap { $0.utf8.count <= 256 ? Choice(rawValue: $0) : nil }
    }

    private func named<Choice: Named>(_ name: String) throws(DatabaseError) -> Choice? {
        try text(name).flatMap { $0.utf8.count <= 256 ? Choice(name: $0) : nil }
    }
}

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
