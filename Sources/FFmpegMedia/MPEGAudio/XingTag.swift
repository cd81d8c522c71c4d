import CFFmpeg
import Glibc
import PlaybackEngine

/// The tag in the first frame of an MP3 file that states the file's length (Xing, Info, VBRI), and the samples that the encoder added (LAME's
/// extension of the tag).
struct XingTag {
    /// The number of audio frames after the frame that contains the Xing tag; nil if the tag does not state it.
    private(set) var frames: Int64?
    /// The number of bytes of audio, including the frame that contains the Xing tag; nil if the tag does not state it.
    private(set) var bytes: Int64?
    /// The number of samples that the encoder added before the recording, without the decoder's delay of 529; nil if the Xing tag does not state it.
    private(set) var delay: Int?
    /// The number of samples that the encoder added after the recording, from which the decoder's delay of 529 has not been subtracted; nil if the
    /// Xing tag does not state it.
    private(set) var padding: Int?

    /// The byte offset of the frame that contains the tag.
    private(set) var start: Int64 = 0
    /// The shares of the audio's bytes at equal intervals of its length, from 0 to 1, as the tag's table states them; empty without a table.
    private(set) var shares: [Double] = []

    /// The delay of an MP3 decoder, in samples: 528 + 1 (LAME's technical notes).
    static let decoderDelay = 529

    /// Reads the Xing, Info or VBRI tag of an opened MP3 file; nil if there is none. Reading the tag does not change the byte offset of `io`. If the
    /// medium is remote, the number of frames in the tag is not compared with frames at other offsets of the medium.
    init?(_ io: UnsafeMutablePointer<AVIOContext>, isRemote: Bool) {
        let before = avio_seek(io, 0, SEEK_CUR)
        guard before >= 0 else { return nil }
        defer { avio_seek(io, before, SEEK_SET) }
        var bytes = XingTag.read(io, at: start, count: XingTag.headSize)
        // ID3v2 tags precede the audio of an MP3 file, possibly several.
        for _ in 0..<8 where bytes.starts(with: "ID3".utf8) && bytes.count >= 10 {
            let size = bytes[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
            start += 10 + size + (bytes[5] & 0x10 != 0 ? 10 : 0)
            bytes = XingTag.read(io, at: start, count: XingTag.headSize)
        }
        guard let header = bytes.withUnsafeBufferPointer({ MPEGAudioHeader($0) }), header.layer == 3 else { return nil }
        let reader = Reader(bytes)
        let xing = 4 + header.sideInformationSize
        let name = reader.text(xing, 4)
        if name == "Xing" || name == "Info" {
            var at = xing + 8
            let flags = reader.number(xing + 4, 4)
            if flags & 1 != 0 {
                frames = reader.number(at, 4)
                at += 4
            }
            if flags & 2 != 0 {
                self.bytes = reader.number(at, 4)
                at += 4
            }
            if flags & 4 != 0 {
                // The table states the share of the bytes at each percent of the length, in units of 1/256.
                shares = (0..<100).map { Double(reader.number(at + $0, 1)) / 256 } + [1]
                at += 100
            }
            if flags & 8 != 0 { at += 4 }
            if ["LAME", "Lavf", "Lavc"].contains(reader.text(at, 4)) {
                let counts = Int(reader.number(at + 21, 3))
                delay = counts >> 12
                padding = counts & 0xFFF
            }
        } else if reader.text(36, 4) == "VBRI" {
            self.bytes = reader.number(46, 4)
            frames = reader.number(50, 4)
            shares = XingTag.shares(vbri: reader)
        } else {
            return nil
        }
        if frames == 0 { frames = nil }
        if self.bytes == 0 { self.bytes = nil }
        if let length = self.bytes, XingTag.audioContinues(io, at: start + length) { isAboutWholeFile = false }
        check(io, isRemote: isRemote, first: start + Int64(header.frameSize), samples: header.samples)
    }

    /// The number of bytes that are read of the frame with the tag. A frame has at most 1441 bytes.
    private static let headSize = 1441

    /// Returns the shares of the table of a VBRI tag, which states the sizes of parts of equal length; empty if the table is invalid or incomplete.
    private static func shares(vbri reader: Reader) -> [Double] {
        let count = Int(reader.number(54, 2)), scale = Double(reader.number(56, 2)), size = Int(reader.number(58, 2))
        guard count > 0, (1...4).contains(size), 62 + count * size <= reader.bytes.count else { return [] }
        var sums = [0.0]
        for entry in 0..<count { sums.append(sums[entry] + Double(reader.number(62 + entry * size, size)) * scale) }
        guard let total = sums.last, total > 0 else { return [] }
        return sums.map { $0 / total }
    }

    /// Checks the tag's number of frames: the size of the audio divided by it must be near the average size of the first frames. Otherwise, in a
    /// local file, the number is refused if neither frames at 12 offsets nor frames at 96 offsets confirm it. In a remote medium, it is refused only
    /// if no MP3 frame has such an average size (24…2881 bytes). A refused number is discarded with `bytes`, `isAboutWholeFile` becomes false, and
    /// `samplesByHead` is estimated.
    private mutating func check(_ io: UnsafeMutablePointer<AVIOContext>, isRemote: Bool, first: Int64, samples: Int) {
        let size = avio_size(io)
        // If more than a sixteenth of the stated bytes is missing, the size of the MP3 file proves nothing about the number of frames in the tag.
        guard let frames, size > first, bytes.map({ size >= $0 - $0 / 16 }) ?? true, frames * Int64(samples) != 0 else { return }
        let mean = Double(bytes ?? size - first) / Double(frames)
        guard let head = RawStreamEstimate.meanFrameSize(XingTag.read(io, at: first, count: 16_384)) else { return }
        if (0.8...1.25).contains(mean / head) { return }
        // If the tag contradicts the size of the first frames, either the bit rate varies, or the tag is wrong. Frames from the whole MP3 file show
        // whether the tag is right: first the frames at 12 offsets, and if they contradict the tag, those at 96 offsets.
        let isLikely =
            isRemote
            // The average frame size must be between the sizes of the smallest and the largest possible MP3 frame, including free format.
            ? (24...2881).contains(mean)
            : [12, 96].contains { windows in
                guard let estimate = RawStreamEstimate(io, start: first, isADTS: false, windows: windows) else { return true }
                return (0.67...1.5).contains(Double(estimate.samples) / Double(frames * Int64(samples)))
            }
        if isLikely { return }
        isAboutWholeFile = false
        (self.frames, bytes) = (nil, nil)
        samplesByHead = Int64(bounded: (Double(size - first) / head).rounded(.down) * Double(samples))
    }
    /// The number of samples of the whole MP3 file, estimated as if all frames were like the first ones. Nil as long as the tag's own number of
    /// frames may be true.
    private(set) var samplesByHead: Int64?

    /// Whether the tag describes the whole MP3 file. `isAboutWholeFile` is false if more audio follows (joined files), or if the number of frames in
    /// the tag cannot be true.
    private(set) var isAboutWholeFile = true

    /// Returns whether two consecutive frames of MPEG audio begin at the byte offset `offset`, or after an ID3 tag there.
    private static func audioContinues(_ io: UnsafeMutablePointer<AVIOContext>, at offset: Int64) -> Bool {
        guard offset + 4096 < avio_size(io) else { return false }
        var bytes = read(io, at: offset, count: 4096)[...]
        // If MP3 files were joined, the ID3 tag of the next file may precede its audio.
        if bytes.starts(with: "ID3".utf8), bytes.count >= 10 {
            let size = bytes.dropFirst(6).prefix(4).reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
            bytes = read(io, at: offset + 10 + size, count: 4096)[...]
        }
        for _ in 0..<2 {
            guard let header = bytes.withUnsafeBufferPointer({ MPEGAudioHeader($0) }), header.frameSize > 4, header.frameSize < bytes.count else {
                return false
            }
            bytes = bytes.dropFirst(header.frameSize)
        }
        return true
    }

    /// Returns the number of samples in the recording; nil if the Xing tag does not state the number of frames. `frameSize` is the number of samples
    /// in one MP3 frame.
    func samples(in frameSize: Int) -> Int64? {
        guard let frames else { return nil }
        let all = frames * Int64(frameSize)
        guard let delay, let padding else { return all }
        let end = all - Int64(max(0, padding - XingTag.decoderDelay))
        return max(0, end - Int64(delay + XingTag.decoderDelay))
    }

    private static func read(_ io: UnsafeMutablePointer<AVIOContext>, at offset: Int64, count: Int) -> [UInt8] {
        guard avio_seek(io, offset, SEEK_SET) == offset else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, Int(avio_read(io, buffer.baseAddress, Int32(count))))
        }
    }

    /// Reads text and big-endian numbers from bytes that may end early; missing bytes of a number are 0.
    private struct Reader {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        func number(_ at: Int, _ count: Int) -> Int64 {
            (at..<at + count).reduce(0) { $0 << 8 | Int64(bytes.indices.contains($1) ? bytes[$1] : 0) }
        }
        func text(_ at: Int, _ count: Int) -> String {
            guard at + count <= bytes.count else { return "" }
            return String(decoding: bytes[at..<at + count], as: UTF8.self)
        }
    }
}

extension PacketTimeline {
    /// The number of consecutive frames that prove that audio continues after the end that a tag states.
    private static let provingFrames = 16
    /// The number of bytes that may follow the stated end without an examination: the frames of the padding, and small tags.
    private static let negligible: Int64 = 16 << 10

    /// Returns the estimated length of the recording, in frames, if its tag (Xing, Info or iTunSMPB) states too few frames (R-ASSET-17). Returns nil
    /// if nothing contradicts the tag. The current packet must be the one at the stated end `limit`, or a later one.
    func lengthBeyondTag(_ limit: Int64) throws(PlaybackError) -> Int64? {
        guard demuxer.traits.container == .mpegAudio, let length = demuxer.io.source.length, packet.pointee.pos >= 0 else { return nil }
        let tag = demuxer.xing.flatMap { $0.isAboutWholeFile ? $0 : nil }, first = tag?.start ?? start.first.byte
        let here = packet.pointee.pos + Int64(packet.pointee.size), end = min(length, tag?.bytes.map { first + $0 } ?? length)
        guard here > first, let run = currentRun else { return nil }
        let reached = max(limit, span.end ?? limit)
        let estimate = Int64(bounded: Double(reached) * Double(end - first) / Double(here - first))
        // A seek may lead so far beyond the stated end that few frames follow. Then the frames from the stated end to the current packet are the
        // proof.
        let frames = (reached - limit) / Int64(start.frameSize)
        let passed = Double(here - first) * Double(reached - limit) / Double(max(1, reached))
        if frames >= PacketTimeline.provingFrames, passed > Double(PacketTimeline.negligible) { return estimate }
        guard end - here > PacketTimeline.negligible else { return nil }
        var next = here
        for number in 0..<PacketTimeline.provingFrames {
            guard let packet = try reader.packet(ahead: number), packet.pointee.pos == next, let data = packet.pointee.data,
                packet.pointee.size >= FrameRun.headerSize, run.size(at: data) == Int(packet.pointee.size)
            else { return nil }
            next += Int64(packet.pointee.size)
        }
        return estimate
    }
}
