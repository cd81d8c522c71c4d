import Playlist

extension OutputChoice {
    func write(_ writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("kind", kind.rawValue)
        writer.member("name", name)
    }
}
