import CoreMedia
import Foundation
import Platform
import PlaybackEngine

/// The metadata format of a container, with its keys (`TIT2`); FFmpeg's names are the same for all containers (`title`).
private struct TagFormat {
    var format: AVMetadataFormat
    var space: AVMetadataKeySpace
    /// The container's keys, by FFmpeg's names.
    var keys: [String: String]
    /// Makes the key of a name that `keys` does not contain.
    var other: @Sendable (String) -> String = { $0 }

    static let id3 = TagFormat(
        format: .id3Metadata, space: .id3,
        keys: [
            "title": "TIT2", "artist": "TPE1", "album": "TALB", "album_artist": "TPE2", "composer": "TCOM", "genre": "TCON", "date": "TDRC",
            "track": "TRCK", "disc": "TPOS", "comment": "COMM", "copyright": "TCOP", "publisher": "TPUB", "language": "TLAN", "encoder": "TSSE",
            "encoded_by": "TENC", "performer": "TPE3", "lyrics": "USLT", "compilation": "TCMP", "grouping": "TIT1", "creation_time": "TDEN",
            "album-sort": "TSOA", "artist-sort": "TSOP", "title-sort": "TSOT", "artwork": "APIC",
        ])
    static let iTunes = TagFormat(
        format: .iTunesMetadata, space: .iTunes,
        keys: [
            "title": "©nam", "artist": "©ART", "album": "©alb", "album_artist": "aART", "composer": "©wrt", "genre": "©gen", "date": "©day",
            "track": "trkn", "disc": "disk", "comment": "©cmt", "description": "desc", "copyright": "cprt", "encoder": "©too", "lyrics": "©lyr",
            "compilation": "cpil", "grouping": "©grp", "sort_name": "sonm", "sort_artist": "soar", "sort_album": "soal", "artwork": "covr",
        ])
    static let vorbisComment = TagFormat(
        format: .vorbisComment, space: .vorbisComment,
        keys: ["album_artist": "ALBUMARTIST", "track": "TRACKNUMBER", "disc": "DISCNUMBER", "artwork": "METADATA_BLOCK_PICTURE"],
        other: { $0.uppercased() })
    static let ape = TagFormat(
        format: .ape, space: .ape,
        keys: ["album_artist": "Album Artist", "date": "Year", "artwork": "Cover Art (Front)"],
        other: { $0.prefix(1).uppercased() + $0.dropFirst() })
    static let unified = TagFormat(format: .unified, space: .unified, keys: [:])

    static func of(_ containerName: String) -> TagFormat {
        let names = Set(containerName.split(separator: ",").map(String.init))
        if !names.isDisjoint(with: ["mp3", "aac", "aiff"]) { return id3 }
        if !names.isDisjoint(with: ["mov", "mp4", "m4a"]) { return iTunes }
        if !names.isDisjoint(with: ["flac", "ogg", "opus", "oga"]) { return vorbisComment }
        if !names.isDisjoint(with: ["ape", "wv", "mpc", "mpc8", "tta"]) { return ape }
        return unified
    }

    /// The container's key for one of FFmpeg's names. FFmpeg's name of lyrics may have a language: `lyrics-eng`.
    func key(of name: String) -> String { keys[name] ?? (name.hasPrefix("lyrics-") ? keys["lyrics"] : nil) ?? other(name) }
}

extension MediaInfo {
    private static let commonKeys: [String: AVMetadataKey] = [
        "title": .commonKeyTitle, "artist": .commonKeyArtist, "album": .commonKeyAlbumName, "composer": .commonKeyCreator,
        "genre": .commonKeyType, "date": .commonKeyCreationDate, "copyright": .commonKeyCopyrights, "publisher": .commonKeyPublisher,
        "language": .commonKeyLanguage, "comment": .commonKeyDescription, "description": .commonKeyDescription, "encoder": .commonKeySoftware,
        "performer": .commonKeyContributor,
    ]

    var metadataFormat: AVMetadataFormat { TagFormat.of(containerName).format }

    /// The metadata under the keys of the container format.
    var metadataItems: [AVMetadataItem] {
        let format = TagFormat.of(containerName)
        var items = items(of: metadata)
        if let artwork {
            items.append(
                AVMetadataItem(
                    commonKey: .commonKeyArtwork, keySpace: format.space, key: format.key(of: "artwork"), bytes: artwork.data,
                    dataType: artwork.mimeType))
        }
        return items
    }

    /// Entries of radio stations (`StreamTitle`, `StreamUrl`, `icy-…`) keep their keys, in the key space `icy`.
    func items(of entries: [MetadataEntry]) -> [AVMetadataItem] {
        let format = TagFormat.of(containerName)
        return entries.map { entry in
            let name = entry.key.lowercased()
            let text = String(entry.value)
            if name == "streamtitle" { return AVMetadataItem(commonKey: .commonKeyTitle, keySpace: .icy, key: entry.key, string: text) }
            if name == "streamurl" || name.hasPrefix("icy-") {
                return AVMetadataItem(commonKey: nil, keySpace: .icy, key: entry.key, string: text)
            }
            return AVMetadataItem(commonKey: Self.commonKeys[name], keySpace: format.space, key: format.key(of: name), string: text)
        }
    }

    /// The items with a common key of Apple, under that key (R-ASSET-14).
    var commonMetadataItems: [AVMetadataItem] {
        metadataItems.compactMap { item in
            guard let key = item.commonKey else { return nil }
            return AVMetadataItem(
                commonKey: key, keySpace: .common, key: key.rawValue, string: item.stringValue, bytes: item.bytes, dataType: item.dataType)
        }
    }

    /// The lyrics in any language.
    var lyrics: String? { (tag("lyrics") ?? metadata.first { $0.key.lowercased().hasPrefix("lyrics-") }?.value).map(String.init) }

    /// The chapters, each with its title if it has one.
    var chapterGroups: [AVTimedMetadataGroup] {
        chapters.map { chapter in
            let start = CMTime(nearest: chapter.start)
            let title = AVMetadataItem(
                commonKey: .commonKeyTitle, keySpace: .common, key: AVMetadataKey.commonKeyTitle.rawValue, string: String(chapter.title))
            return AVTimedMetadataGroup(
                items: chapter.title.isEmpty ? [] : [title], timeRange: CMTimeRange(start: start, end: CMTime(nearest: chapter.end)))
        }
    }
}

extension CMTime {
    /// The time rounded to nanoseconds; `CMTime(seconds:)` truncates (R-TIME-21, R-TIME-24).
    fileprivate init(nearest seconds: Double) {
        let nanoseconds = Int64(exactly: (seconds * 1_000_000_000).rounded())
        self = nanoseconds.map { CMTime(value: $0, timescale: 1_000_000_000) } ?? CMTime(seconds: seconds, preferredTimescale: 1_000_000_000)
    }
}
