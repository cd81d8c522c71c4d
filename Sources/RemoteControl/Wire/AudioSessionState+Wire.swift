import Playlist

extension AudioSessionState {
    func write(_ writer: inout JSONWriter) {
        writer.member("category", category.rawValue)
        writer.member("mode", mode.rawValue)
        writer.member("options", array: options) { $0.string($1.rawValue) }
        writer.member("isActive", isActive)
        writer.member("isInterrupted", isInterrupted)
    }
}
