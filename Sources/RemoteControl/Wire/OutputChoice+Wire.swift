import PlaybackEngine
import Playlist

extension OutputKind {
    /// The name of the kind of output in requests and responses. The null output is `silent`, because generators of clients read `null` as JSON's
    /// null.
    var wireName: String { self == .null ? "silent" : rawValue }
}

extension OutputChoice {
    /// Writes the members of the output's JSON object.
    ///
    /// - Parameter rates: The settings that determine the sample rate of each output.
    func write(_ writer: inout JSONWriter, _ rates: OutputRates) {
        writer.member("id", id)
        writer.member("kind", kind.wireName)
        writer.member("name", name)
        if let volume {
            writer.member("volume", volume.volume)
            writer.member("isMuted", volume.isMuted)
        }
        writer.member("outputRate", rates.rate(of: device).description)
    }
}
