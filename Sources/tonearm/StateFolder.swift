/// The user's folder for state that survives a restart.
enum StateFolder {
    /// Returns the folder: systemd's `$STATE_DIRECTORY`, otherwise `$XDG_STATE_HOME/tonearm`, otherwise `~/.local/state/tonearm` (XDG Base Directory
    /// Specification). Returns nil if the environment names none.
    static func standardPath(environment: [String: String]) -> String? {
        // The specification requires that a relative path is ignored. If systemd names several folders, they are separated by colons.
        func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let state = folder("STATE_DIRECTORY") { return String(state.prefix { $0 != ":" }) }
        if let state = folder("XDG_STATE_HOME") { return state + "/tonearm" }
        return folder("HOME").map { $0 + "/.local/state/tonearm" }
    }
}
