/// The volume of an output device, which belongs to the sound server and is shared by all programs.
public struct DeviceVolume: Sendable, Hashable {
    /// The greatest volume that clients may set.
    public static let maximum = 1.5

    /// On the sound server's scale: 0 is silence, and 1 the level without amplification by the server.
    public var volume: Double
    public var isMuted: Bool
    public init(volume: Double, isMuted: Bool) { (self.volume, self.isMuted) = (volume, isMuted) }
}
