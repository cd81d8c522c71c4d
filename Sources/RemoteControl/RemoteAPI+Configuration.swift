public import Platform
public import PlaybackEngine
public import Playlist

extension RemoteAPI {
    /// The settings that the program passes to the API.
    public struct Configuration: Sendable {
        /// The accepted hosts and origins.
        public var requestGuard = RequestGuard()
        /// The accepted tokens, each sufficient. If empty, every client that reaches the address may use the API.
        public var tokens: [AccessToken] = []
        /// The local files that may be used.
        public var media: PathConfinement
        /// Whether http URLs may lead to private networks even if the request came from another machine.
        public var allowsPrivateURLs = false
        /// The files of the web remote.
        public var web = StaticFiles.none
        /// Scales large pictures down; nil if pictures are served in their original size only.
        public var pictureScaler: (any PictureScaler)?
        /// The text of openapi.yaml.
        public var contract = StaticFiles.File(contentType: "application/yaml", bytes: [])
        /// The outputs to choose from; nil if there is no choice.
        public var outputs: (any OutputDirectory)?
        /// An identifier that changes at each start of the server.
        public var epoch = Configuration.randomEpoch()
        /// Returns nil if playback would work now, otherwise a sentence with the reason. Called on any thread; must not block.
        public var readiness: @Sendable () -> String? = { nil }
        /// The source of the date.
        public var wallClock: any WallClock = SystemWallClock()
        /// The upper limit of every `wait`, in seconds.
        public var maximumWait = PlayerController.longestWait

        public init(media: PathConfinement) { self.media = media }

        /// Returns a random identifier of 12 hexadecimal digits.
        public static func randomEpoch() -> String {
            let text = String(UInt64.random(in: 0..<(1 << 48)), radix: 16)
            return String(repeating: "0", count: 12 - text.count) + text
        }
    }
}
