/// A name in the common key space, or in that of one format.
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
    public static let icyMetadataKeyStreamTitle = AVMetadataKey(rawValue: "StreamTitle")
    public static let icyMetadataKeyStreamURL = AVMetadataKey(rawValue: "StreamURL")
}

/// The metadata keys of one format, or those common to all formats.
public struct AVMetadataKeySpace: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    /// The keys are the four-character identifiers of ID3's frames.
    public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
    /// The keys are the four-character codes of MPEG-4 atoms.
    public static let iTunes = AVMetadataKeySpace(rawValue: "itsk")
    /// The metadata of radio stations (Shoutcast, Icecast): titles in a stream, and the station's facts (`icy-name`).
    public static let icy = AVMetadataKeySpace(rawValue: "icy")
    /// The comments of FLAC, Vorbis and Opus, with keys in upper case. Not in Apple's API.
    public static let vorbisComment = AVMetadataKeySpace(rawValue: "org.xiph.vorbis-comment")
    /// The tags of Monkey's Audio, WavPack, Musepack and True Audio. Not in Apple's API.
    public static let ape = AVMetadataKeySpace(rawValue: "org.monkeysaudio.ape")
    /// The metadata of all other containers, with FFmpeg's names. Not in Apple's API.
    public static let unified = AVMetadataKeySpace(rawValue: "org.ffmpeg.metadata")
}

/// A format of metadata, for example ID3.
public struct AVMetadataFormat: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
    public static let iTunesMetadata = AVMetadataFormat(rawValue: "com.apple.itunes")
    /// The comments of FLAC, Vorbis and Opus. Not in Apple's API.
    public static let vorbisComment = AVMetadataFormat(rawValue: "org.xiph.vorbis-comment")
    /// Not in Apple's API.
    public static let ape = AVMetadataFormat(rawValue: "org.monkeysaudio.ape")
    /// The metadata of all other containers, as FFmpeg reports them. Not in Apple's API.
    public static let unified = AVMetadataFormat(rawValue: "org.ffmpeg.metadata")
}

/// A key with its key space: `comn/title`, `id3/TIT2`, `itsk/%C2%A9nam`.
public struct AVMetadataIdentifier: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "comn/title")
    public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "comn/creator")
    public static let commonIdentifierDescription = AVMetadataIdentifier(rawValue: "comn/description")
    public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "comn/publisher")
    public static let commonIdentifierContributor = AVMetadataIdentifier(rawValue: "comn/contributor")
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(rawValue: "comn/creationDate")
    public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "comn/type")
    public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "comn/language")
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(rawValue: "comn/copyrights")
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "comn/albumName")
    public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "comn/artist")
    public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "comn/artwork")
    public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "comn/software")
    public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
    public static let id3MetadataLeadPerformer = AVMetadataIdentifier(rawValue: "id3/TPE1")
    public static let id3MetadataAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TALB")
    public static let id3MetadataTrackNumber = AVMetadataIdentifier(rawValue: "id3/TRCK")
    public static let id3MetadataAttachedPicture = AVMetadataIdentifier(rawValue: "id3/APIC")
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
    public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamURL")
    public static let iTunesMetadataSongName = AVMetadataIdentifier(rawValue: "itsk/%C2%A9nam")
    public static let iTunesMetadataArtist = AVMetadataIdentifier(rawValue: "itsk/%C2%A9ART")
    public static let iTunesMetadataAlbum = AVMetadataIdentifier(rawValue: "itsk/%C2%A9alb")
    public static let iTunesMetadataTrackNumber = AVMetadataIdentifier(rawValue: "itsk/trkn")
    public static let iTunesMetadataCoverArt = AVMetadataIdentifier(rawValue: "itsk/covr")
}
