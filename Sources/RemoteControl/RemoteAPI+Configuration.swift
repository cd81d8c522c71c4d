public import Platform
public import PlaybackEngine
public import Playlist

extension RemoteAPI {
    /// The settings that the program passes to the API.
    public struct Configuration: Sendable {
        /// The guard with the hosts and origins that requests may name.
        public var requestGuard = RequestGuard()
        /// The path below which a proxy serves this server.
        public var pathPrefix = PathPrefix.none
        /// The accepted tokens; any one of them authorises a client. If the list is empty, every client that reaches the address may use the API.
        public var tokens: [AccessToken] = []
        /// The rule that decides which local files clients may play and browse.
        public var media: PathConfinement
        /// Whether http URLs may lead to private networks even if a client of another machine sent the request.
        public var allowsPrivateURLs = false
        /// The files of the web remote.
        public var web = StaticFiles.none
        /// The scaler that makes pictures smaller; nil if pictures are served in their original size only.
        public var pictureScaler: (any PictureScaler)?
        /// Returns the gzip form of a document, in little time; nil if JSON documents are not compressed.
        public var compress: (@Sendable ([UInt8]) -> [UInt8]?)?
        /// The OpenAPI description of the API (openapi.yaml), in YAML and JSON.
        public var description = APIDescription.none
        /// The name, the identifier and the version of this server.
        public var information = ServerInformation(name: "Tonearm", id: Configuration.randomEpoch(), version: "0")
        /// The outputs that a client can choose; nil if the output cannot be chosen.
        public var outputs: (any OutputCatalog)?
        /// The identifier of this run of the server, which changes at each start.
        public var epoch = Configuration.randomEpoch()
        /// The function that returns nil if playback would work now; otherwise a sentence with the reason why playback would fail. The function
        /// `readiness` is called on any thread and must not block.
        public var readiness: @Sendable () -> String? = { nil }
        /// The archive that keeps the waveforms of files over restarts; nil if they are not kept.
        public var waveformArchive: (any WaveformArchive)?
        /// The clock that gives the date, for example for the expiry of cookies.
        public var wallClock: any WallClock = SystemWallClock()
        /// The upper limit, in seconds, of the query parameter `wait`, the time that a request may wait. A larger value counts as this limit.
        public var maximumWait = PlayerController.longestWait

        public init(media: PathConfinement) { self.media = media }

        /// The parts of the API that this configuration offers.
        var capabilities: [ServerInformation.Capability] {
            ServerInformation.Capability.allCases.filter { capability in
                switch capability {
                case .outputChoice: outputs != nil
                case .artworkScaling: pictureScaler != nil
                case .library: !media.rootPaths.isEmpty
                case .authentication: !tokens.isEmpty
                }
            }
        }

        /// Returns a random identifier of 12 hexadecimal digits.
        public static func randomEpoch() -> String {
            let text = String(UInt64.random(in: 0..<(1 << 48)), radix: 16)
            return String(repeating: "0", count: 12 - text.count) + text
        }
    }
}
