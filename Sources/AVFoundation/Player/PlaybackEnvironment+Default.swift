extension PlaybackEnvironment {
    static var standard: PlaybackEnvironment { preconditionFailure("set PlaybackEnvironment.default before the first player or asset is made") }
}
