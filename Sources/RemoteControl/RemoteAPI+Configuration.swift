public import PlaybackEngine
public import Playlist

extension RemoteAPI {
    /// What the program decides for the API.
    public struct Configuration: Sendable {
        /// Which hosts and origins are answered.
        public var requestGuard = RequestGuard()
        /// The secrets of which a client must show one; none: whoever reaches the address may use the API.
        public var tokens: [AccessToken] = []
        /// Which local files may be used.
        public var media: PathConfinement
        /// Whether http URLs may lead to private networks although the request came from another machine.
        public var allowsPrivateURLs = false
        /// The files of the web remote.
        public var web = StaticFiles.none
        /// What makes small pictures of large ones; nil: they are given as they are alone.
        public var pictureScaler: (any PictureScaler)?
        /// The text of openapi.yaml.
        public var contract = StaticFiles.File(contentType: "application/yaml", bytes: [])
        /// The outputs to choose from; nil: there is no choice.
        public var outputs: (any OutputDirectory)?
        /// New at each start of the server.
        public var epoch = Configuration.randomEpoch()
        /// nil where playing would work now, else a sentence that says why not. Called on any thread; must not block.
        public var readiness: @Sendable () -> String? = { nil }
        /// Tells the date.
        public var wallClock: any WallClock = SystemWallClock()
        /// Shortens every `wait`, seconds.
        public var maximumWait = PlayerController.longestWait

        public init(media: PathConfinement) { self.media = media }

        /// 12 hexadecimal digits.
        public static func randomEpoch() -> String {
            let text = String(UInt64.random(in: 0..<(1 << 48)), radix: 16)
            return String(repeating: "0", count: 12 - text.count) + text
        }
    }
}
