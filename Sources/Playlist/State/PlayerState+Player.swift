import AVFoundation
import CoreMedia
import Foundation
import PlaybackEngine

extension PlayerState.Failure: Error {
    /// The engine's code and sentence inside an error of the player.
    init(describing error: any Error) {
        let cause = PlaybackError(describing: error)
        self.init(code: cause.code.rawValue, message: cause.message)
    }
}

extension PlayerState.Item {
    /// What is known of an entry, and of its item where it has one.
    @MainActor init(_ entry: PlaylistEntry, item: AVPlayerItem?, failure: PlayerState.Failure?) {
        self.init(id: entry.id, url: entry.spec.url, title: entry.spec.title)
        guard let item else {
            if let failure { (status, error) = (.failed, failure) }
            return
        }
        status = PlayerState.Status(item.status)
        error = item.error.map(PlayerState.Failure.init(describing:))
        guard let info = item.mediaInfo else { return }
        title = entry.spec.title ?? Self.text(info.tag("title"))
        artist = Self.text(info.tag("artist"))
        album = Self.text(info.tag("album"))
        duration = item.duration.isNumeric ? item.duration.seconds : nil
        isLive = info.isLive
        isSeekable = info.isSeekable
        hasArtwork = info.artwork != nil
        format = PlayerState.Format(
            container: info.containerName, codec: info.codecName, sampleRate: info.format.sampleRate, channels: info.format.channelCount,
            bitsPerSample: info.bitsPerSample, bitRate: info.bitRate)
    }

    /// A tag as an item shows it: whole, or cut off before the character that would make it too long. The details of the item have all of it.
    static func text(_ tag: String?) -> String? {
        guard let tag, tag.utf8.count > maximumTextLength else { return tag }
        var bytes = Array(tag.utf8.prefix(maximumTextLength + 1))
        // The bytes that go on with a character begin with 10.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension CMTime {
    /// Seconds that a remote gave, rounded to a nanosecond (R-TIME-24: the plain conversion would cut them off); what is out of reach is infinite.
    init(remoteSeconds seconds: Double) {
        guard abs(seconds) < 9e9 else {
            self = seconds < 0 ? .negativeInfinity : .positiveInfinity
            return
        }
        self.init(value: Int64((seconds * 1e9).rounded()), timescale: 1_000_000_000)
    }
}
