/// The user's folder for state that survives a restart.
enum StateFolder {
    /// systemd's `$STATE_DIRECTORY`, or `$XDG_STATE_HOME/tonearm`, or `~/.local/state/tonearm` (XDG Base Directory Specification).
    static func standardPath(environment: [String: String]) -> String? {
        if let systemd = ofSystemd("STATE_DIRECTORY", environment) { return systemd }
        if let state = absolute("XDG_STATE_HOME", environment) { return state + "/tonearm" }
        return absolute("HOME", environment).map { $0 + "/.local/state/tonearm" }
    }

    /// systemd separates several folders by colons.
    static func ofSystemd(_ name: String, _ environment: [String: String]) -> String? {
        absolute(name, environment).map { String($0.prefix { $0 != ":" }) }
    }

    /// A relative path is ignored, as the XDG specification requires.
    static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
