/// Makes elements of Matroska files.
enum Elements {
    static func element(_ id: UInt32, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        return name(id) + [0x01] + Boxes.bytes(UInt64(content.count), 7) + content
    }
    static func number(_ id: UInt32, _ value: UInt64) -> [UInt8] { element(id, Boxes.bytes(value, 8)) }
    static func name(_ id: UInt32) -> [UInt8] { Array(Boxes.bytes(UInt64(id), 4).drop { $0 == 0 }) }

    static let head = element(0x1A45_DFA3, element(0x4282, Array("matroska".utf8)))
    static let info = element(0x1549_A966, number(0x2AD7B1, 1_000_000))
    static let cluster = element(0x1F43_B675, number(0xE7, 0))
    static func track(_ more: [UInt8] = []) -> [UInt8] {
        element(0xAE, number(0xD7, 1), number(0x73C5, 1), number(0x83, 2), element(0x86, Array("A_PCM/INT/LIT".utf8)), more)
    }
    static let tracks = element(0x1654_AE6B, track())
    static func encoding(algorithm: UInt64, scope: UInt64) -> [UInt8] {
        element(0x6D80, element(0x6240, number(0x5032, scope), element(0x5034, number(0x4254, algorithm))))
    }
    static func seek(_ id: UInt32, _ position: Int) -> [UInt8] {
        element(0x114D_9B74, element(0x4DBB, element(0x53AB, name(id)), number(0x53AC, UInt64(position))))
    }
    static func file(_ parts: [UInt8]...) -> [UInt8] { head + element(0x1853_8067, parts.flatMap(\.self)) }
    /// The byte offset of the segment's content in a file that `file` makes.
    static let segment = head.count + 12
}
