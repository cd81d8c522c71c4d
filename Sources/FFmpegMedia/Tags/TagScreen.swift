import PlaybackEngine

/// Hides data of a medium from FFmpeg for which FFmpeg would need much more memory than the file has bytes. Compressed frames of ID3v2 tags (ID3v2.4
/// structure, 4.1.2) may expand from 2 MB to 2 GB: they are hidden after one megabyte of expanded data in total. Tags, tag frames, chunks and cue
/// points are hidden beyond a number that no real medium has, because FFmpeg has no limit for their number.
///
/// The names of pictures' formats that FFmpeg does not know are replaced, so that FFmpeg does not discard the pictures. So are texts in UTF-16
/// without a byte order mark, and the ends of chapters that have none.
///
/// The places of texts that TagLib reads (`TagFields`) are noted on the way.
///
/// The ID3v2 tags are found as FFmpeg finds them: consecutive tags at the start of a file, and tags in the chunks of WAV, AIFF, DSDIFF and DSF.
struct TagScreen {
    private let source: HeadSource
    /// The replacements for single bytes of the medium, by the offset of the replaced byte.
    private(set) var patches: [Int64: UInt8] = [:]
    /// The byte offset after the ID3v2 tags at the start of the medium.
    private(set) var end: Int64 = 0
    /// The text frames of the first ID3v2 tags that have any.
    private(set) var texts: [TextFrames] = []
    /// The byte range of the Vorbis comments in a FLAC file; nil if there are none.
    private(set) var comments: Range<Int64>?
    /// The number of bytes to which compressed frames of ID3v2 tags may still expand.
    private var bytesLeft = Metadata.totalLimit
    private var tags = 0
    private var frames = 0
    private var cues = 0
    private var pictures = 0
    /// The number of bytes that may still be replaced in texts and chapters. Each costs a little in every read of the medium.
    private var replacementsLeft = 4096

    /// The maximum number of ID3v2 tags in a medium that are examined. The ID3v2 tag after the 64th is changed so that FFmpeg does not recognise it.
    private static let tagLimit = 64
    /// The maximum number of frames that are examined, in all ID3v2 tags of a medium together. After that, tags are changed so that they end for
    /// FFmpeg before the next frame: the present tag in its middle, and later tags before their first frame.
    private static let frameLimit = 16_384
    /// The maximum number of ID3v2 tags whose texts are read with all their values.
    private static let textsLimit = 4
    private static let chunkLimit = 4096
    /// The maximum number of cue points in a WAV file, each of which becomes a chapter.
    private static let cueLimit = 1024
    /// The maximum number of pictures whose formats' names are replaced. FFmpeg discards further pictures of unknown formats.
    private static let pictureLimit = 64
    /// The first letter of a tag frame's name that makes FFmpeg skip the frame.
    private static let unknown = UInt8(ascii: "X")

    /// Examines the tags and chunks of the medium in `source`. The examination changes the byte offset of `source`.
    init(_ source: HeadSource) throws(PlaybackError) {
        self.source = source
        let head = try source.bytes(0..<28)
        // Sony's files (OMA) have tags with their own mark ("ea3") after the ID3v2 tags.
        end = try walkTags(at: walkTags(at: 0), mark: "ea3")
        let header = end == 0 ? head : try source.bytes(end..<(end + 28))
        // If a medium cannot seek, the examined bytes must be read and kept in advance of FFmpeg. So only FLAC, WAV and AIFF are examined then, in
        // which audio certainly follows these bytes.
        if header.starts(with: "fLaC".utf8) { try walkBlocks(from: end + 4) }
        guard source.isSeekable || ["WAVE", "AIFF", "AIFC"].contains(String(decoding: header.dropFirst(8).prefix(4), as: UTF8.self)) else { return }
        switch String(decoding: header.prefix(4), as: UTF8.self) {
        case "RIFF": try walkChunks(from: end + 12, sizeBytes: 4, isLittleEndian: true)
        case "RF64", "BW64": try walkChunks(from: end + 12, sizeBytes: 4, isLittleEndian: true, hasLongSize: true)
        case "FORM", "RIFX": try walkChunks(from: end + 12, sizeBytes: 4, isLittleEndian: false)
        case "FRM8": try walkChunks(from: end + 16, sizeBytes: 8, isLittleEndian: false)
        case "DSD " where header.count >= 28:
            let offset = TagScreen.number(header[20..<28].reversed())
            if offset > 0, source.length.map({ offset < $0 }) ?? false { _ = try walkTags(at: offset) }
        default: break
        }
    }

    /// Examines consecutive ID3v2 tags from a byte offset on, and returns the offset after them. `mark` is the text with which each tag begins.
    private mutating func walkTags(at start: Int64, mark: String = "ID3") throws(PlaybackError) -> Int64 {
        var end = start
        while let next = try walkTag(at: end, mark: mark) { end = next }
        return end
    }

    /// Examines the ID3v2 tag that begins at a byte offset, and returns the offset after it; nil if there is no tag.
    private mutating func walkTag(at start: Int64, mark: String) throws(PlaybackError) -> Int64? {
        let head = try source.bytes(start..<(start + 10))
        guard head.count == 10, head.starts(with: mark.utf8), head[3] != 0xFF, head[4] != 0xFF, head[6...].allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        tags += 1
        guard tags <= TagScreen.tagLimit else {
            patches[start] = 0
            return nil
        }
        let length = TagScreen.syncSafe(head[6..<10]), end = start + 10 + length
        let version = head[3], flags = head[5]
        guard (2...4).contains(version), version > 2 || flags & 0x40 == 0 else { return end }
        var at = start + 10, left = length
        if version > 2, flags & 0x40 != 0 {
            let extended = try TagScreen.syncSafe(source.bytes(at..<(at + 4))[...]) - (version == 4 ? 4 : 0)
            guard extended >= 0 else { return end }
            at += 4 + extended
            left -= 4 + extended
        }
        // The bytes that are added to a whole tag against false synchronisation move everything in it.
        let isPlain = flags & 0x80 == 0
        var found = TextFrames(version: version, flags: flags)
        try walkFrames(at, left, version: version, isPlain: isPlain, &found)
        let isReadable = mark.utf8.elementsEqual("ID3".utf8) && (isPlain || version == 4) && !found.isEmpty
        if isReadable, texts.count < TagScreen.textsLimit { texts.append(found) }
        return version == 4 && flags & 0x10 != 0 ? end + 10 : end
    }

    private mutating func walkFrames(
        _ start: Int64, _ length: Int64, version: UInt8, isPlain: Bool, _ texts: inout TextFrames
    ) throws(PlaybackError) {
        // In ID3v2.2, the names and sizes of frames have three bytes, and there are no flags.
        let headSize: Int64 = version == 2 ? 6 : 10
        var at = start, left = length
        while left >= headSize {
            let head = try source.bytes(at..<(at + headSize + 4))
            guard head.count >= headSize else { return }
            frames += 1
            guard frames <= TagScreen.frameLimit else {
                // A frame of an ID3v2 tag with an empty name ends the tag, if the frame's size is not 0.
                patches[at] = 0
                patches[at + (version == 2 ? 5 : 7)] = 1
                return
            }
            var size = TagScreen.number(version == 2 ? head[3..<6] : head[4..<8])
            if version == 4, size > 0x7F {
                let shorter = TagScreen.unsynchronised(size)
                if size >= left {
                    size = shorter
                } else if try isName(at: at + 10 + shorter) {
                    size = shorter
                } else if try !isName(at: at + 10 + size) {
                    return
                }
            }
            left -= headSize + size
            guard size <= 1 << 28, left >= 0 else { return }
            if version > 2, size > 0, head[9] & 0x0C == 0x08 {
                let expanded = head[9] & 1 != 0 && head.count >= 14 ? TagScreen.number(head[10..<14]) : size
                if expanded <= Int64(bytesLeft) { bytesLeft -= Int(expanded) } else { patches[at] = TagScreen.unknown }
            }
            if head[0] == 0, size > 0 { return }
            if version > 2, head.starts(with: "APIC".utf8) {
                // The name of the picture's format follows the text encoding, which may follow the length of the data.
                try namePicture(at: at + headSize + (version == 4 && head[9] & 1 != 0 ? 5 : 1))
            }
            if isPlain, version == 2 || head[9] == 0 {
                let content = (at + headSize)..<(at + headSize + size), name = String(decoding: head[..<(version == 2 ? 3 : 4)], as: UTF8.self)
                if name == "CHAP" { try endChapter(content) }
                if size > 0, head.count > Int(headSize), head[Int(headSize)] == 1 {
                    if head[0] == UInt8(ascii: "T") { try markText(content, after: 1) }
                    // A language precedes these texts.
                    if ["COMM", "USLT", "COM", "ULT"].contains(name) { try markText(content, after: 4) }
                }
            }
            texts.add(head[..<Int(headSize)], size: size, at: at + headSize)
            at += headSize + size
        }
    }

    /// Makes a text that claims to begin with a byte order mark, and does not, one in UTF-16 with the higher byte first (ID3v2.4 structure, section
    /// 4). FFmpeg would discard it. The order of the bytes is the one in which more of the higher bytes are 0; without such bytes it is that of
    /// Windows.
    private mutating func markText(_ content: Range<Int64>, after head: Int64) throws(PlaybackError) {
        let start = content.lowerBound + head, count = (content.upperBound - start) & ~1
        guard count >= 2, count <= Int64(replacementsLeft) else { return }
        let text = try source.bytes(start..<(start + count))
        guard text.count == Int(count), ![[0xFF, 0xFE], [0xFE, 0xFF], [0, 0]].contains(Array(text[..<2])) else { return }
        func zeros(_ first: Int) -> Int { stride(from: first, to: text.count, by: 2).count { text[$0] == 0 } }
        patches[content.lowerBound] = 2
        guard zeros(0) <= zeros(1) else { return }
        replacementsLeft -= text.count
        for (index, byte) in text.enumerated() { patches[start + Int64(index ^ 1)] = byte }
    }

    /// Gives a chapter that does not end after its start the latest end, because FFmpeg would discard it; `Metadata` then lets it end where the next
    /// one begins (ID3v2 Chapter Frame Addendum, section 3.1).
    private mutating func endChapter(_ content: Range<Int64>) throws(PlaybackError) {
        let bytes = try source.bytes(content.lowerBound..<min(content.upperBound, content.lowerBound + 264))
        guard replacementsLeft >= 4, let zero = bytes.firstIndex(of: 0), zero + 9 <= bytes.count else { return }
        guard TagScreen.number(bytes[(zero + 5)..<(zero + 9)]) <= TagScreen.number(bytes[(zero + 1)..<(zero + 5)]) else { return }
        replacementsLeft -= 4
        for index in (zero + 5)..<(zero + 9) { patches[content.lowerBound + Int64(index)] = 0xFF }
    }

    /// Returns whether the name of an ID3v2 frame, or padding, is at a byte offset.
    private func isName(at offset: Int64) throws(PlaybackError) -> Bool {
        let name = try source.bytes(offset..<(offset + 4))
        guard name.count == 4 else { return false }
        return name.allSatisfy { $0 == 0 } || name.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// Examines the chunks of a file that consists of chunks (WAV, AIFF, DSDIFF), and the tags in the chunks.
    ///
    /// - Parameters:
    ///   - sizeBytes: The number of bytes in which each chunk states its size.
    ///   - hasLongSize: Whether the first chunk of the file states the size of the audio in 64 bits (EBU Tech 3306).
    private mutating func walkChunks(
        from start: Int64, sizeBytes: Int64, isLittleEndian: Bool, hasLongSize: Bool = false
    ) throws(PlaybackError) {
        var at = start, audioSize: Int64?, count = 0
        while true {
            let head = try source.bytes(at..<(at + 4 + sizeBytes))
            guard head.count == Int(4 + sizeBytes) else { return }
            count += 1
            guard count <= TagScreen.chunkLimit else { return hideChunks(from: at, sizeBytes: sizeBytes) }
            let name = String(decoding: head[..<4], as: UTF8.self)
            // If the medium is on a server or cannot seek, FFmpeg does not read the chunks after the audio, so they need no examination.
            if source.isRemote || !source.isSeekable, ["data", "SSND", "DSD "].contains(name) { return }
            let digits = isLittleEndian ? Array(head[4...].reversed()) : Array(head[4...])
            var size = TagScreen.number(digits[...])
            let contentStart = at + 4 + sizeBytes
            switch name {
            case "ID3 ", "id3 ": _ = try walkTags(at: contentStart)
            case "cue " where sizeBytes == 4: try walkCues(at: contentStart)
            case "ds64" where hasLongSize: audioSize = try TagScreen.number(source.bytes((contentStart + 8)..<(contentStart + 16)).reversed())
            case "data" where hasLongSize: size = audioSize ?? size
            // In a chunk with the stated size 0, the audio extends to the end of the file.
            case "data" where sizeBytes == 4 && size == 0: return
            case "PROP" where sizeBytes == 8:
                // The chunk "PROP" of a DSDIFF file contains chunks (DSDIFF 1.5, 3.2).
                at = contentStart + 4
                continue
            default: break
            }
            let (next, overflow) = contentStart.addingReportingOverflow(size)
            guard size >= 0, !overflow, next < Int64.max - 64, source.length.map({ next < $0 }) ?? true else { return }
            at = next + size % 2
        }
    }

    /// Examines the metadata blocks of a FLAC file (RFC 9639, section 8): renames the formats of pictures that FFmpeg does not know, and notes where
    /// the comments are.
    private mutating func walkBlocks(from start: Int64) throws(PlaybackError) {
        var at = start
        for _ in 0..<TagScreen.chunkLimit {
            let head = try source.bytes(at..<(at + 4))
            guard head.count == 4 else { return }
            // In a picture block, the type and the length of the name precede the name.
            if head[0] & 0x7F == 6 { try namePicture(at: at + 12) }
            let next = at + 4 + TagScreen.number(head[1...])
            if head[0] & 0x7F == 4, comments == nil { comments = (at + 4)..<next }
            guard head[0] & 0x80 == 0 else { return }
            at = next
        }
    }

    /// Changes the name of a picture's format at a byte offset if FFmpeg 5.1 does not know it, because FFmpeg would discard the picture. The bytes of
    /// the picture determine its format (`PictureHeader`), whatever its name is.
    private mutating func namePicture(at offset: Int64) throws(PlaybackError) {
        let name = try source.bytes(offset..<(offset + 10))
        guard pictures < TagScreen.pictureLimit, TagScreen.unknownPictures.contains(where: { name.elementsEqual($0.utf8) }) else { return }
        pictures += 1
        for (number, byte) in "image/jpeg".utf8.enumerated() { patches[offset + Int64(number)] = byte }
    }
    /// The names of pictures' formats that FFmpeg 5.1 does not know. Their length is that of the name that replaces them.
    private static let unknownPictures = ["image/webp", "image/avif"]

    /// Changes the chunk at a byte offset into an unknown one that is longer than the file, so that FFmpeg skips this and all later chunks.
    private mutating func hideChunks(from start: Int64, sizeBytes: Int64) {
        patches[start] = 0
        for number in 0..<sizeBytes { patches[start + 4 + number] = sizeBytes == 8 && number == 0 ? 0x7F : 0xFF }
    }

    /// Reduces the number of cue points that is stored at a byte offset of a WAV file, if it is more than the limit still allows.
    private mutating func walkCues(at start: Int64) throws(PlaybackError) {
        let bytes = try source.bytes(start..<(start + 4))
        let count = TagScreen.number(bytes.reversed()), allowed = Int64(TagScreen.cueLimit - cues)
        cues += Int(min(count, allowed))
        guard count > allowed else { return }
        for number in 0..<4 as Range<Int64> { patches[start + number] = UInt8(truncatingIfNeeded: allowed >> (8 * number)) }
    }

    /// Returns the big-endian number that the bytes form.
    private static func number(_ bytes: some Sequence<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
    /// Returns the big-endian number that the lower seven bits of each byte form.
    private static func syncSafe(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 7 | Int64($1 & 0x7F) } }
    /// Converts a number that was read with eight bits of each byte to the number that the lower seven bits of each byte form.
    private static func unsynchronised(_ size: Int64) -> Int64 {
        size & 0x7F | (size & 0x7F00) >> 1 | (size & 0x7F_0000) >> 2 | (size & 0x7F00_0000) >> 3
    }
}
