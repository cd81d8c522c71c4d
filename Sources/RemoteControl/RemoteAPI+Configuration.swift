public import Platform
public import PlaybackEngine
public import Player

extension RemoteAPI {
    /// The settings that the program passes to the API.
    public struct Configuration: Sendable {
        /// The hosts and origins that requests may name.
        public var requestGuard = RequestGuard()
        /// The path below which a proxy serves this server.
        public var pathPrefix = PathPrefix.none
        /// The tokens, any one of which authorises a client. If empty, every client that reaches the address may use the API.
        public var tokens: [AccessToken] = []
        /// The rule that decides which local files clients may play and browse.
        public var media: PathConfinement
        /// The order of folders.
        public var order = NaturalOrder.standard
        /// Whether http URLs may lead to private networks even if a client of another machine sent the request.
        public var allowsPrivateURLs = false
        public var web = StaticFiles.none
        /// The scaler of pictures; nil if they are served in their original size only.
        public var pictureScaler: (any PictureScaler)?
        /// Compresses a document with gzip, in little time; nil if JSON documents are not compressed.
        public var compress: (@Sendable ([UInt8]) -> [UInt8]?)?
        /// The contract openapi.yaml, in YAML and JSON.
        public var description = APIDescription.none
        public var information = ServerInformation(name: "Tonearm", id: Configuration.randomEpoch(), version: "0")
        /// The outputs that clients can choose; nil if the output cannot be chosen.
        public var outputs: (any OutputCatalog)?
        /// The name of this run of the server, which changes at each start.
        public var epoch = Configuration.randomEpoch()
        /// Returns nil if playback would work now; otherwise the reason in a sentence. Called on any thread; must not block.
        public var readiness: @Sendable () -> String? = { nil }
        /// The date, for the expiry of cookies.
        public var wallClock: any WallClock = SystemWallClock()
        /// The limit of the parameter `wait`, in seconds; a larger value counts as this.
        public var maximumWait = PlayerController.longestWait

        public init(media: PathConfinement) { self.media = media }

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

        /// A random epoch of 12 hexadecimal digits.
        public static func randomEpoch() -> String {
            let text = String(UInt64.random(in: 0..<(1 << 48)), radix: 16)
            return String(repeating: "0", count: 12 - text.count) + text
        }
    }
}
