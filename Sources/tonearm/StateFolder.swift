/// The user's folder for state that survives a restart.
enum StateFolder {
    /// Returns the folder: systemd's `$STATE_DIRECTORY`, otherwise `$XDG_STATE_HOME/tonearm`, otherwise `~/.local/state/tonearm` (XDG Base Directory
    /// Specification). Returns nil if the environment names none.
    static func standardPath(environment: [String: String]) -> String? {
        if let systemd = ofSystemd("STATE_DIRECTORY", environment) { return systemd }
        if let state = absolute("XDG_STATE_HOME", environment) { return state + "/tonearm" }
        return absolute("HOME", environment).map { $0 + "/.local/state/tonearm" }
    }

    /// Returns the first folder of a variable of systemd, which separates several folders by colons.
    static func ofSystemd(_ name: String, _ environment: [String: String]) -> String? {
        absolute(name, environment).map { String($0.prefix { $0 != ":" }) }
    }

    /// Returns the value of a variable if it is an absolute path, because the specification requires that a relative path is ignored.
    static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
