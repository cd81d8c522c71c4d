/// The elements of a Matroska header (RFC 9559, section 5) that FFmpeg knows, grouped by the elements that contain them. `MatroskaScreen` needs them,
/// because FFmpeg skips all other elements.
enum MatroskaSchema {
    enum Kind {
        case master, number, real, text, data
        /// An element that FFmpeg knows but skips.
        case ignored

        /// Returns whether the content of an element of this kind can have `size` bytes.
        func fits(_ size: Int64) -> Bool {
            switch self {
            case .master, .ignored: true
            case .number: size <= 8
            case .real: [0, 4, 8].contains(size)
            case .text: size <= 1 << 24
            // FFmpeg allocates memory for the whole content at once (the limit is in `FFmpegLibrary`), and some bytes more.
            case .data: size <= 1 << 26 - 4096
            }
        }
    }

    static let header: UInt32 = 0x1A45_DFA3, segment: UInt32 = 0x1853_8067, cluster: UInt32 = 0x1F43_B675
    static let info: UInt32 = 0x1549_A966, tracks: UInt32 = 0x1654_AE6B, cues: UInt32 = 0x1C53_BB6B, tags: UInt32 = 0x1254_C367
    static let seekHead: UInt32 = 0x114D_9B74, attachments: UInt32 = 0x1941_A469, chapters: UInt32 = 0x1043_A770
    static let track: UInt32 = 0xAE, codecPrivate: UInt32 = 0x63A2, trackUID: UInt32 = 0x73C5
    static let encoding: UInt32 = 0x6240, encodingScope: UInt32 = 0x5032, encodingType: UInt32 = 0x5033, algorithm: UInt32 = 0x4254
    static let file: UInt32 = 0x61A7, fileType: UInt32 = 0x4660, fileData: UInt32 = 0x465C, fileUID: UInt32 = 0x46AE
    static let chapter: UInt32 = 0xB6, chapterUID: UInt32 = 0x73C4
    static let edition: UInt32 = 0x45B9, editionDefault: UInt32 = 0x45DB, editionHidden: UInt32 = 0x45BD
    static let chapterStart: UInt32 = 0x91, chapterEnd: UInt32 = 0x92, chapterHidden: UInt32 = 0x98, chapterEnabled: UInt32 = 0x4598
    static let display: UInt32 = 0x80, displayed: UInt32 = 0x85, title: UInt32 = 0x7BA9
    static let tag: UInt32 = 0x7373, targets: UInt32 = 0x63C0, level: UInt32 = 0x68CA, simpleTag: UInt32 = 0x67C8
    static let tagName: UInt32 = 0x45A3, tagText: UInt32 = 0x4487
    static let tagTrack: UInt32 = 0x63C5, tagEdition: UInt32 = 0x63C9, tagChapter: UInt32 = 0x63C4, tagFile: UInt32 = 0x63C6
    static let seek: UInt32 = 0x4DBB, seekID: UInt32 = 0x53AB, seekPosition: UInt32 = 0x53AC

    /// Returns the kind of the element `id` inside the element `parent`; nil if FFmpeg does not know `id` inside `parent`.
    static func kind(of id: UInt32, in parent: UInt32) -> Kind? { elements[parent]?[id] }

    private static let elements: [UInt32: [UInt32: Kind]] = [
        header: row(numbers: [0x42F7, 0x42F2, 0x42F3, 0x4285], texts: [0x4282], ignored: [0x4286, 0x4287]),
        segment: row(masters: [info, tracks, cues, tags, seekHead, attachments, chapters]),
        info: row(numbers: [0x2AD7B1], reals: [0x4489], texts: [0x7BA9, 0x4D80], data: [0x4461], ignored: [0x5741, 0x73A4]),
        tracks: row(masters: [track]),
        track: row(
            masters: [0xE0, 0xE1, 0xE2, 0x6D80, 0x41E4],
            numbers: [
                0xD7, trackUID, 0x83, 0x56AA, 0x23E383, 0x55AF, 0x88, 0x55AA, 0x55AB, 0x55AC, 0x55AD, 0x55AE, 0x55EE, 0x56BB,
            ], reals: [0x23314F], texts: [0x536E, 0x86, 0x22B59C], data: [codecPrivate],
            ignored: [0xB9, 0x9C, 0x258688, 0xAA, 0x3B4040, 0x26B240, 0x6DE7, 0x6DF8]),
        0x41E4: row(numbers: [0x41F0, 0x41E7], texts: [0x41A4], data: [0x41ED]),
        0xE0: row(
            masters: [0x55B0, 0x7670], numbers: [0x54B0, 0x54BA, 0xB0, 0xBA, 0x54B2, 0x9A, 0x9D, 0x53B8, 0x53C0], reals: [0x2383E3],
            data: [0x2EB524], ignored: [0x54AA, 0x54BB, 0x54CC, 0x54DD, 0x54B3]),
        0x55B0: row(masters: [0x55D0], numbers: Array(0x55B1...0x55BD)),
        0x55D0: row(reals: Array(0x55D1...0x55DA)),
        0x7670: row(numbers: [0x7671], reals: [0x7673, 0x7674, 0x7675], data: [0x7672]),
        0xE1: row(numbers: [0x6264, 0x9F], reals: [0xB5, 0x78B5]),
        0xE2: row(masters: [0xE3]),
        0xE3: row(masters: [0xE4]),
        0xE4: row(numbers: [0xE5, 0xE6]),
        0x6D80: row(masters: [encoding]),
        encoding: row(masters: [0x5034, 0x5035], numbers: [encodingScope, encodingType], ignored: [0x5031]),
        0x5034: row(numbers: [algorithm], data: [0x4255]),
        0x5035: row(numbers: [0x47E1], data: [0x47E2], ignored: [0x47E7, 0x47E3, 0x47E4, 0x47E5, 0x47E6]),
        attachments: row(masters: [file]),
        file: row(numbers: [fileUID], texts: [0x467E, 0x466E, fileType], data: [fileData]),
        chapters: row(masters: [0x45B9]),
        0x45B9: row(masters: [chapter], ignored: [0x45BC, 0x45BD, 0x45DB, 0x45DD]),
        chapter: row(masters: [0x80], numbers: [0x91, 0x92, chapterUID], ignored: [0x98, 0x4598, 0x63C3, chapter]),
        0x80: row(texts: [0x85], ignored: [0x437C, 0x437E]),
        cues: row(masters: [0xBB]),
        0xBB: row(masters: [0xB7], numbers: [0xB3]),
        0xB7: row(numbers: [0xF7, 0xF1], ignored: [0xF0, 0xB2, 0x5378]),
        tags: row(masters: [0x7373]),
        0x7373: row(masters: [simpleTag, 0x63C0]),
        simpleTag: row(masters: [simpleTag], numbers: [0x4484, 0x44B4], texts: [0x45A3, 0x4487, 0x447A]),
        0x63C0: row(numbers: [0x68CA, 0x63C5, 0x63C4, 0x63C6], texts: [0x63CA]),
        seekHead: row(masters: [seek]),
        seek: row(numbers: [seekID, seekPosition]),
    ]

    private static func row(
        masters: [UInt32] = [], numbers: [UInt32] = [], reals: [UInt32] = [], texts: [UInt32] = [], data: [UInt32] = [], ignored: [UInt32] = []
    ) -> [UInt32: Kind] {
        var row: [UInt32: Kind] = [0xEC: .ignored, 0xBF: .ignored]
        for (ids, kind) in [
            (masters, Kind.master), (numbers, .number), (reals, .real), (texts, .text), (data, .data), (ignored, .ignored),
        ] {
            for id in ids { row[id] = kind }
        }
        return row
    }
}
