/// The folder of a user for the state that survives a restart of the program.
enum StateFolder {
    /// Returns the path of the folder for state: systemd's `$STATE_DIRECTORY`, otherwise `$XDG_STATE_HOME/tonearm`, otherwise
    /// `~/.local/state/tonearm` (XDG Base Directory Specification). Returns nil if the environment names no folder for state.
    static func standardPath(environment: [String: String]) -> String? {
        if let systemd = ofSystemd("STATE_DIRECTORY", environment) { return systemd }
        if let state = absolute("XDG_STATE_HOME", environment) { return state + "/tonearm" }
        return absolute("HOME", environment).map { $0 + "/.local/state/tonearm" }
    }

    /// Returns the first folder in the value of an environment variable that systemd sets. systemd separates several folders by colons.
    static func ofSystemd(_ name: String, _ environment: [String: String]) -> String? {
        absolute(name, environment).map { String($0.prefix { $0 != ":" }) }
    }

    /// Returns the value of an environment variable if it is an absolute path. A relative path is ignored, as the XDG specification requires.
    static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
