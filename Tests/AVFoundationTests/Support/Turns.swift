import PlaybackEngine

@testable import AVFoundation

extension AVPlayerItem {
    /// The identity of the item in the engine.
    nonisolated var id: ItemID { Turn.perform { engineID } }
    /// The timed metadata since the medium was last opened.
    nonisolated var metadataLog: TimedMetadataLog { Turn.perform { attached.timedMetadata } }
}
