public import Foundation
import PlaybackEngine

/// A key of the common key space, or of a format's own.
public struct AVMetadataKey: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
    public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
    public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
}

/// The space that a metadata key belongs to.
public struct AVMetadataKeySpace: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
    public static let iTunes = AVMetadataKeySpace(rawValue: "itsk")
    /// Comments of FLAC, Vorbis and Opus. Not in Apple's vocabulary.
    public static let vorbisComment = AVMetadataKeySpace(rawValue: "org.xiph.vorbis-comment")
    /// Tags of any other container, under the names that FFmpeg gives them. Not in Apple's vocabulary.
    public static let unified = AVMetadataKeySpace(rawValue: "org.ffmpeg.metadata")
}

/// A format of metadata.
public struct AVMetadataFormat: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
    public static let iTunesMetadata = AVMetadataFormat(rawValue: "com.apple.itunes")
    /// Not in Apple's vocabulary.
    public static let vorbisComment = AVMetadataFormat(rawValue: "org.xiph.vorbis-comment")
    /// Not in Apple's vocabulary.
    public static let unified = AVMetadataFormat(rawValue: "org.ffmpeg.metadata")
}

/// One piece of metadata. Immutable.
public final class AVMetadataItem: Sendable {
    /// The key in the common space, where there is one for it (R-ASSET-14).
    public let commonKey: AVMetadataKey?
    public let keySpace: AVMetadataKeySpace
    /// The key in its own space: FFmpeg's unified name.
    public let key: String
    /// The text, nil where it is no text.
    public let stringValue: String?
    /// The bytes, nil where it is text.
    public let dataValue: Data?
    /// The MIME type of `dataValue`.
    public let dataType: String?

    init(commonKey: AVMetadataKey?, keySpace: AVMetadataKeySpace, key: String, string: String? = nil, data: Data? = nil, dataType: String? = nil) {
        self.commonKey = commonKey
        self.keySpace = keySpace
        self.key = key
        stringValue = string
        dataValue = data
        self.dataType = dataType
    }

    /// Those of one common key.
    public static func metadataItems(from items: [AVMetadataItem], withCommonKey key: AVMetadataKey) -> [AVMetadataItem] {
        items.filter { $0.commonKey == key }
    }
}

extension MediaInfo {
    private static let commonKeys: [String: AVMetadataKey] = [
        "title": .commonKeyTitle, "artist": .commonKeyArtist, "album": .commonKeyAlbumName, "composer": .commonKeyCreator,
        "genre": .commonKeyType, "date": .commonKeyCreationDate, "copyright": .commonKeyCopyrights, "publisher": .commonKeyPublisher,
        "language": .commonKeyLanguage, "comment": .commonKeyDescription, "description": .commonKeyDescription, "encoder": .commonKeySoftware,
        "performer": .commonKeyContributor,
    ]

    /// Where the container keeps its tags.
    var metadataFormat: (format: AVMetadataFormat, space: AVMetadataKeySpace) {
        let names = containerName.split(separator: ",").map(String.init)
        if names.contains(where: { ["mp3", "aac", "aiff"].contains($0) }) { return (.id3Metadata, .id3) }
        if names.contains(where: { ["mov", "mp4", "m4a"].contains($0) }) { return (.iTunesMetadata, .iTunes) }
        if names.contains(where: { ["flac", "ogg", "opus", "oga"].contains($0) }) { return (.vorbisComment, .vorbisComment) }
        return (.unified, .unified)
    }

    /// All metadata, in the container's own space.
    var metadataItems: [AVMetadataItem] {
        let space = metadataFormat.space
        var items = metadata.map { entry in
            AVMetadataItem(commonKey: Self.commonKeys[entry.key.lowercased()], keySpace: space, key: entry.key, string: entry.value)
        }
        if let artwork {
            items.append(
                AVMetadataItem(
                    commonKey: .commonKeyArtwork, keySpace: space, key: "artwork", data: Data(artwork.data), dataType: artwork.mimeType))
        }
        return items
    }

    /// What has a common key, translated into the common space (R-ASSET-14).
    var commonMetadataItems: [AVMetadataItem] {
        metadataItems.compactMap { item in
            guard let key = item.commonKey else { return nil }
            return AVMetadataItem(
                commonKey: key, keySpace: .common, key: key.rawValue, string: item.stringValue, data: item.dataValue, dataType: item.dataType)
        }
    }
}
