/// The field `Tonearm-Client`, as printable text of at most 64 Unicode scalars, because other clients display it.
enum ClientName {
    static let maximumLength = 64

    /// Without control characters and outer spaces. `remote` if nothing is left, or for `player`, which means the player itself.
    static func sanitised(_ value: String?) -> String {
        guard let value else { return "remote" }
        var name = String.UnicodeScalarView()
        for scalar in value.unicodeScalars where name.count < maximumLength {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: continue
            case .spaceSeparator where name.isEmpty: continue
            default: name.append(scalar)
            }
        }
        while name.last?.properties.generalCategory == .spaceSeparator { name.removeLast() }
        return name.isEmpty || String(name).lowercased() == "player" ? "remote" : String(name)
    }
}
