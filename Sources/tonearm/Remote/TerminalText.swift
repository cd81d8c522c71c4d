import Glibc

/// Fits text into the columns of a terminal. Text from outside must be escaped before (`Log.escaped`).
enum TerminalText {
    /// Cuts a text that is too wide, with an ellipsis.
    static func fitting(_ text: String, columns: Int) -> String {
        var kept = String.UnicodeScalarView()
        var fitting = String.UnicodeScalarView()
        var used = 0
        for scalar in text.unicodeScalars {
            used += width(of: scalar)
            // One column remains for the ellipsis.
            if used < columns { fitting.append(scalar) }
            guard used <= columns else { return columns > 0 ? String(fitting) + "…" : "" }
            kept.append(scalar)
        }
        return String(kept)
    }

    static func columns(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width(of: $1) } }

    /// Appends spaces up to a number of columns. A wider text is unchanged.
    static func padded(_ text: String, _ columns: Int) -> String { text + String(repeating: " ", count: max(0, columns - Self.columns(of: text))) }

    /// Puts spaces before a text up to a number of columns. A wider text is unchanged.
    static func indented(_ text: String, _ columns: Int) -> String { String(repeating: " ", count: max(0, columns - Self.columns(of: text))) + text }

    /// The number of columns; 80 if the terminal reports none, nil without a terminal.
    static func columns(ofTerminal descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        // The array stands for the structure `winsize`, which on Debian 13 another module defines for Swift.
        var size = [UInt16](repeating: 0, count: 4)
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size[1] > 0 else { return 80 }
        return Int(size[1])
    }

    /// The number of columns of a character: two for a wide one (UAX #11), none for a combining one.
    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case ..<0x300: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return 1
        }
    }
}
