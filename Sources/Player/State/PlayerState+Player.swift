import AVFoundation
import CoreMedia
import Foundation
import Platform
import PlaybackEngine

extension PlayerState.Failure: Error {
    /// The description of a player's error for remotes, with the code and message of the engine's error that caused it.
    init(describing error: any Error) {
        let cause = PlaybackError(describing: error)
        self.init(code: cause.code, message: cause.message, reason: cause.reason)
    }
}

extension PlayerState.Network {
    init(_ wait: ConnectionMonitor.Wait) {
        self.init(
            error: PlayerState.Failure(code: wait.error.code, message: wait.error.message, reason: wait.error.reason), attempt: wait.attempt,
            retryHostTime: wait.retryTime.seconds)
    }
}

extension PlayerState.Item {
    /// The description of an entry's item for remotes. If `item` is nil, the description has only the properties of the entry's specification and the
    /// failure.
    ///
    /// - Parameter withHeardTitle: Whether a title that a stream announces for the audio that is heard now replaces the title of the
    ///   entry and of the tags.
    @MainActor init(_ entry: PlaylistEntry, item: AVPlayerItem?, failure: PlayerState.Failure?, withHeardTitle: Bool = true) {
        self.init(id: entry.id, url: entry.spec.url, title: entry.spec.title, startTime: entry.spec.startTime, addedBy: entry.spec.addedBy)
        publicationDate = entry.spec.publicationDate
        duration = entry.spec.listedDuration
        guard let item else {
            if let failure { (status, error) = (.failed, failure) }
            return
        }
        status = item.status
        error = item.error.map(PlayerState.Failure.init(describing:))
        guard let info = item.mediaInfo else { return }
        func tag(_ key: String) -> String? { Self.texts(info.values(key)).joined }
        title = entry.spec.title ?? tag("title")
        (artist, artists) = Self.texts(info.values("artist"))
        album = tag("album")
        (genre, genres) = Self.texts(info.values("genre"))
        duration = item.duration.isNumeric ? item.duration.seconds : nil
        isLive = info.isLive
        isSeekable = info.isSeekable
        picture = info.artwork == nil ? entry.spec.picture : nil
        hasArtwork = info.artwork != nil || picture != nil
        format = PlayerState.Format(
            fileType: info.containerName, codec: info.codecName, sampleRate: info.format.sampleRate, channels: info.format.channelCount,
            bitsPerSample: info.bitsPerSample, bitRate: info.bitRate)
        stationName = tag("icy-name")
        if withHeardTitle, let heard = item.timedMetadata { describe(heard) }
    }

    /// Replaces the title, artist and album by those of the audio that is heard now.
    private mutating func describe(_ heard: [AVMetadataItem]) {
        func value(_ name: AVMetadataKey) -> String? { heard.first { $0.commonKey == name }?.stringValue }
        if let streamed = heard.first(where: { $0.identifier == .icyMetadataStreamTitle })?.stringValue {
            streamTitle = Self.text(streamed)
            // Stations write the artist before the title.
            let (first, second) = Self.split(streamed)
            (artist, artists) = (second.map { _ in first }.flatMap(Self.text), [])
            title = Self.text(second ?? first)
        } else if heard.contains(where: { $0.commonKey != nil }) {
            title = value(.commonKeyTitle).flatMap(Self.text) ?? title
            let performers = heard.filter { $0.commonKey == .commonKeyArtist }
            (artist, artists) = Self.texts(performers.compactMap { item in item.stringValue.map { OuterText($0) } })
            album = value(.commonKeyAlbumName).flatMap(Self.text)
        }
    }

    /// Divides a stream's title at the first " - " that has text before and after it; without one, returns the whole title and nil. Bytes of UTF-8
    /// are compared, not characters.
    static func split(_ title: String) -> (String, String?) {
        let bytes = Array(title.utf8), mark = Array(" - ".utf8)
        guard let at = bytes.indices.dropFirst().first(where: { bytes[$0...].starts(with: mark) }), at + mark.count < bytes.count else {
            return (title, nil)
        }
        return (String(decoding: bytes[..<at], as: UTF8.self), String(decoding: bytes[(at + mark.count)...], as: UTF8.self))
    }

    /// Returns the values of a tag as one text, and, if there are several, as a list of those that fit into `maximumTextLength` bytes.
    static func texts(_ values: [OuterText]) -> (joined: String?, list: [String]) {
        var left = maximumTextLength
        let list = values.prefix { value in
            left -= value.utf8.count
            return left >= 0
        }
        return (text(values.joined.map(String.init)), values.count > 1 ? list.map(String.init) : [])
    }

    /// Returns the text of a tag, cut to at most `maximumTextLength` bytes after a whole character. Clients get the whole tag with the
    /// details of the item.
    static func text(_ tag: String?) -> String? {
        guard let tag, tag.utf8.count > maximumTextLength else { return tag }
        var bytes = Array(tag.utf8.prefix(maximumTextLength + 1))
        // In UTF-8, each byte of a character after the first byte begins with the bits 10.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension CMTime {
    /// Converts the seconds of a request, rounded to a nanosecond, because `init(seconds:preferredTimescale:)` would truncate them (R-TIME-24). Times
    /// of at least 9 × 10⁹ seconds become infinite.
    init(remoteSeconds seconds: Double) {
        guard abs(seconds) < 9e9 else {
            self = seconds < 0 ? .negativeInfinity : .positiveInfinity
            return
        }
        self.init(value: Int64((seconds * 1e9).rounded()), timescale: 1_000_000_000)
    }
}
