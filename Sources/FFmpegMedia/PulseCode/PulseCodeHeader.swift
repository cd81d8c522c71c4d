import CFFmpeg
import PlaybackEngine

/// The format of uncompressed samples as the header of a WAV (also RF64, W64 and RIFX), Core Audio or AIFF file states it. It corrects what FFmpeg
/// makes of the header:
///
/// - A sample may have fewer valid bits than its container in the file (24 in 32), and is left-justified there. FFmpeg reads the valid bits as the
///   size, so `patches` replace them by the bits of the container.
/// - FFmpeg reads RIFX (WAV in big-endian order), and AIFF-C in little-endian order of other sizes than 16 bits, in the wrong order (`isSwapped`).
/// - AIFF states the number of frames twice. FFmpeg takes it from the common chunk for the length, and plays the sound data chunk to its end, as
///   sox does; `patches` make both equal.
struct PulseCodeHeader {
    /// The replacements for bytes of the medium, by their offsets.
    private(set) var patches: [Int64: UInt8] = [:]
    /// The number of significant bits of integer samples; nil if the header does not state it.
    private(set) var validBits: Int?
    /// Whether the samples are in the other byte order than that of the codec that FFmpeg chooses.
    private(set) var isSwapped = false
    private let form: ChunkForm
    /// The place of the fields of AIFF's common chunk, and the size of a frame in bytes; nil in other media.
    private var common: (at: Int64, frames: Int64, frameSize: Int64)?
    /// The place of the number 24 in the format of a WAV file whose samples have four bytes; nil in other media. They are integers, or Cool Edit's
    /// floats, as FFmpeg reads them. Only the samples show it.
    private var ambiguousBits: Int64?

    /// - Parameter start: The byte offset of the container, after tags before it.
    init(_ source: HeadSource, at start: Int64) throws(PlaybackError) {
        let head = try source.bytes(start..<(start + 40))
        guard let form = ChunkForm(head) else {
            self.form = .wave
            return
        }
        self.form = form
        var at = start + form.start
        // The header of a recording stands in the first chunks. A chunk of sound before it would be far.
        for _ in 0..<64 where at - start < 1 << 20 {
            let head = try source.bytes(at..<(at + form.headSize))
            guard Int64(head.count) == form.headSize, let size = form.contentSize(head) else { return }
            let content = at + form.headSize
            let isLast = try take(Array(head[..<4]), source, content, size)
            if isLast { return }
            at = form.end(content, size)
        }
    }

    /// Reads a chunk; returns whether no later chunk is of interest.
    private mutating func take(_ id: [UInt8], _ source: HeadSource, _ at: Int64, _ size: Int64) throws(PlaybackError) -> Bool {
        func isNamed(_ name: String) -> Bool { id.elementsEqual(name.utf8) }
        let bytes: [UInt8]
        switch form {
        case .wave, .wave64, .bigWave:
            if isNamed("fmt "), size >= 16 {
                bytes = try source.bytes(at..<(at + min(size, 40)))
                if bytes.count >= 16 { takeWave(bytes, at, size) }
                return ambiguousBits == nil
            }
            guard isNamed("data") else { return false }
            // A recorder that was interrupted leaves a size of 0; then the data reach to the end.
            let data = at..<(at + (size > 0 ? size : 4 << 20))
            if let ambiguousBits, try PulseCodeHeader.hasIntegers(source, data), let container = container(4, of: 24) {
                patch(container, 2, at: ambiguousBits)
            }
            return true
        case .coreAudio:
            guard isNamed("desc"), size >= 32 else { return isNamed("data") }
            bytes = try source.bytes(at..<(at + 32))
            if bytes.count == 32 { takeDescription(bytes, at) }
            return true
        case .aiff:
            if isNamed("COMM"), size >= 18 {
                bytes = try source.bytes(at..<(at + min(size, 22)))
                if bytes.count >= 18 { takeCommon(bytes, at) }
            } else if isNamed("SSND") {
                bytes = try source.bytes(at..<(at + 8))
                if bytes.count == 8 { countFrames(bytes, source.length.map { min(size, $0 - at) } ?? 0) }
                return true
            }
            return false
        }
    }

    /// The `fmt` chunk: Microsoft's WAVEFORMATEX and WAVEFORMATEXTENSIBLE.
    private mutating func takeWave(_ bytes: [UInt8], _ at: Int64, _ size: Int64) {
        func number(_ offset: Int, _ count: Int) -> Int64 { form.number(bytes[offset..<(offset + count)]) }
        let isExtensible = number(0, 2) == 0xFFFE && bytes.count == 40
        let tag = isExtensible ? number(24, 2) | number(26, 2) : number(0, 2), bits = number(14, 2), valid = isExtensible ? number(18, 2) : 0
        let channels = number(2, 2), block = number(12, 2)
        if form == .bigWave {
            isSwapped = true
            // FFmpeg refuses a RIFX file whose chunk is longer than 16 bytes. The rest becomes a chunk that it skips, or the padding of this one.
            if size >= 24 {
                patch(16, 4, at: at - 4)
                for (index, byte) in "JUNK".utf8.enumerated() { patches[at + 16 + Int64(index)] = byte }
                patch(size - 24, 4, at: at + 20)
                patch(tag, 2, at: at)
            } else if size == 18 {
                patch(17, 4, at: at - 4)
            }
        }
        // 1 is integers. A block size that the byte rate does not confirm may be wrong.
        guard tag == 1, channels > 0, block % channels == 0, number(8, 4) == number(4, 4) * block else { return }
        let stated = valid > 0 ? valid : bits
        if form != .bigWave, !isExtensible, stated == 24, block / channels == 4 {
            ambiguousBits = at + 14
            return
        }
        guard let container = container(block / channels, of: stated) else { return }
        if isExtensible, form != .bigWave { patch(container, 2, at: at + 18) }
        patch(container, 2, at: at + 14)
    }

    /// Returns whether samples of 24 bits in four bytes cannot be Cool Edit's floats of up to ±2²³: nearly all integers have other bits in the place of
    /// a float's exponent. Samples of 0 show nothing, so those at the start are passed over, up to 4 MiB. After so much silence they count as integers,
    /// because integers that are played as floats are loud noise.
    private static func hasIntegers(_ source: HeadSource, _ data: Range<Int64>) throws(PlaybackError) -> Bool {
        var at = data.lowerBound, examined = 0
        let end = min(data.upperBound, at + (4 << 20))
        while at < end, examined < 10_000 {
            let bytes = try source.bytes(at..<min(end, at + 65_536))
            if bytes.isEmpty { break }
            for sample in stride(from: 0, to: bytes.count & ~3, by: 4) where bytes[sample..<(sample + 4)].contains(where: { $0 != 0 }) {
                guard (0x33...0x4B).contains(bytes[sample + 3] & 0x7F) else { return true }
                examined += 1
            }
            at += Int64(bytes.count)
        }
        return examined == 0
    }

    /// The `desc` chunk of Apple's Core Audio Format.
    private mutating func takeDescription(_ bytes: [UInt8], _ at: Int64) {
        func number(_ offset: Int) -> Int64 { form.number(bytes[offset..<(offset + 4)]) }
        let packet = number(16), channels = number(24)
        // The lowest flag is that of floats.
        guard bytes[8..<12].elementsEqual("lpcm".utf8), number(12) & 1 == 0, number(20) == 1, channels > 0, packet % channels == 0 else { return }
        if let container = container(packet / channels, of: number(28)) { patch(container, 4, at: at + 28) }
    }

    /// The `COMM` chunk of Apple's AIFF and AIFF-C, whose type determines the order and the size of the samples.
    private mutating func takeCommon(_ bytes: [UInt8], _ at: Int64) {
        let channels = form.number(bytes[0..<2]), bits = form.number(bytes[6..<8])
        guard channels > 0, (1...64).contains(bits) else { return }
        let type = bytes.count < 22 ? "NONE" : String(decoding: bytes[18..<22], as: UTF8.self), frames = form.number(bytes[2..<6])
        let size: Int64
        switch type {
        case "NONE", "twos": size = (bits + 7) / 8
        case "sowt":
            size = (bits + 7) / 8
            if size != 2 { reverse(into: "NONE", at + 18) }
        case "in24": size = 3
        case "42ni":
            size = 3
            reverse(into: "in24", at + 18)
        case "in32": size = 4
        case "23ni":
            size = 4
            reverse(into: "in32", at + 18)
        default:
            if let size = PulseCodeHeader.otherTypes[type] { common = (at + 2, frames, channels * size) }
            return
        }
        validBits = Int(min(bits, size * 8))
        common = (at + 2, frames, channels * size)
    }

    /// The types of AIFF-C other than integers, with the bytes of a sample.
    private static let otherTypes: [String: Int64] = [
        "raw ": 1, "alaw": 1, "ALAW": 1, "ulaw": 1, "ULAW": 1, "fl32": 4, "FL32": 4, "fl64": 8, "FL64": 8,
    ]

    private mutating func reverse(into type: String, _ at: Int64) {
        isSwapped = true
        for (index, byte) in type.utf8.enumerated() { patches[at + Int64(index)] = byte }
    }

    /// Makes the number of frames in the common chunk that of the sound data chunk. `bytes` are the offset of the first frame and the size of blocks;
    /// `size` is the size of the chunk within the file, 0 if it is unknown.
    private mutating func countFrames(_ bytes: [UInt8], _ size: Int64) {
        guard let common else { return }
        let frames = (size - 8 - form.number(bytes[0..<4])) / common.frameSize
        if frames > 0, frames != common.frames, frames <= Int64(UInt32.max) { patch(frames, 4, at: common.at) }
    }

    /// Sets `validBits` from a sample of `bits` bits in `bytes` bytes. Returns the bits of the container if FFmpeg would take a smaller one,
    /// otherwise nil.
    private mutating func container(_ bytes: Int64, of bits: Int64) -> Int64? {
        guard [1, 2, 3, 4, 8].contains(bytes), bits > 0, bits <= bytes * 8 else { return nil }
        validBits = Int(bits)
        return (bits + 7) / 8 < bytes ? bytes * 8 : nil
    }

    private mutating func patch(_ value: Int64, _ width: Int, at offset: Int64) {
        for index in 0..<width {
            let shift = 8 * (form.isBigEndian ? width - 1 - index : index)
            patches[offset + Int64(index)] = UInt8(truncatingIfNeeded: value >> Int64(shift))
        }
    }

    /// Gives a stream the codec of its samples. Called before FFmpeg reads packets.
    func correctCodec(_ parameters: UnsafeMutablePointer<AVCodecParameters>) throws(PlaybackError) {
        guard parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { return }
        widen(parameters)
        guard isSwapped else { return }
        let codec = parameters.pointee.codec_id
        if PulseCodeHeader.singleBytes.contains(where: { $0 == codec }) { return }
        guard let pair = PulseCodeHeader.orders.first(where: { $0.little == codec || $0.big == codec }) else {
            throw PlaybackError(.unsupportedFormat, "There is no decoder for the big-endian audio of this medium.")
        }
        parameters.pointee.codec_id = pair.little == codec ? pair.big : pair.little
    }

    /// Chooses the codec by the container of a sample, also in AVI, ASF and Matroska, which contain the format of WAV.
    private func widen(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let sizes = [AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S32LE]
        let channels = Int(parameters.pointee.ch_layout.nb_channels), block = Int(parameters.pointee.block_align)
        guard let present = sizes.firstIndex(where: { $0 == parameters.pointee.codec_id }), channels > 0, block % channels == 0 else { return }
        let container = block / channels
        guard container > present + 1, container <= sizes.count,
            parameters.pointee.bit_rate == Int64(parameters.pointee.sample_rate) * Int64(block) * 8
        else { return }
        parameters.pointee.codec_id = sizes[container - 1]
    }

    /// The codecs whose samples are single bytes.
    private static let singleBytes = [AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_S8, AV_CODEC_ID_PCM_ALAW, AV_CODEC_ID_PCM_MULAW]
    private static let orders: [(little: AVCodecID, big: AVCodecID)] = [
        (AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE), (AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S24BE),
        (AV_CODEC_ID_PCM_S32LE, AV_CODEC_ID_PCM_S32BE), (AV_CODEC_ID_PCM_S64LE, AV_CODEC_ID_PCM_S64BE),
        (AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_F32BE), (AV_CODEC_ID_PCM_F64LE, AV_CODEC_ID_PCM_F64BE),
    ]
}

/// The form of the chunks of which a container of uncompressed audio consists.
private enum ChunkForm {
    /// WAV and RF64; W64, whose names have 16 bytes and whose sizes include the head; RIFX.
    case wave, wave64, bigWave
    case coreAudio, aiff

    /// The form of the container that begins with `head`, 40 bytes; nil if it is another.
    init?(_ head: [UInt8]) {
        func isNamed(_ name: String, _ at: Int) -> Bool { head.count >= at + 4 && head[at..<(at + 4)].elementsEqual(name.utf8) }
        if ["RIFF", "RF64", "BW64"].contains(where: { isNamed($0, 0) }), isNamed("WAVE", 8) {
            self = .wave
        } else if isNamed("RIFX", 0), isNamed("WAVE", 8) {
            self = .bigWave
        } else if isNamed("riff", 0), isNamed("wave", 24) {
            self = .wave64
        } else if isNamed("caff", 0) {
            self = .coreAudio
        } else if isNamed("FORM", 0), isNamed("AIFF", 8) || isNamed("AIFC", 8) {
            self = .aiff
        } else {
            return nil
        }
    }

    var isBigEndian: Bool { self == .bigWave || self == .coreAudio || self == .aiff }
    /// The offset of the first chunk.
    var start: Int64 { self == .wave64 ? 40 : self == .coreAudio ? 8 : 12 }
    /// The size of a chunk's name and size.
    var headSize: Int64 { self == .wave64 ? 24 : self == .coreAudio ? 12 : 8 }

    /// The size of a chunk's content; nil if it is impossible.
    func contentSize(_ head: [UInt8]) -> Int64? {
        let size = number(head[(self == .wave64 ? 16 : 4)...]) &- (self == .wave64 ? headSize : 0)
        return (0..<(1 << 48)).contains(size) ? size : nil
    }

    /// The offset after a chunk, whose padding is not part of its size.
    func end(_ content: Int64, _ size: Int64) -> Int64 {
        switch self {
        case .wave64: content + (size + 7) / 8 * 8
        case .coreAudio: content + size
        case .wave, .bigWave, .aiff: content + size + size % 2
        }
    }

    func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        isBigEndian ? bytes.reduce(0) { $0 << 8 | Int64($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
