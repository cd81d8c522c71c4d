import Platform

extension ListText {
    private static let entities: [(name: String, byte: UInt8)] = [
        ("amp", 0x26), ("lt", 0x3C), ("gt", 0x3E), ("quot", 0x22), ("apos", 0x27),
    ]
    /// Between `&` and `;`, in bytes.
    private static let maximumReferenceLength = 8

    /// The five entities of XML and character references, to UTF-8. Other ampersands stay.
    package static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "&"), let end = bytes[index...].prefix(maximumReferenceLength + 1).firstIndex(of: UInt8(ascii: ";")),
                let meaning = meaning(bytes[index..<end])
            else {
                result.append(byte)
                continue
            }
            result += meaning
            index = end + 1
        }
        return result
    }

    private static func meaning(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        if name.first == UInt8(ascii: "#") {
            let isHexadecimal = name.dropFirst().first?.asciiLowercased == UInt8(ascii: "x")
            let digits = String(decoding: name.dropFirst(isHexadecimal ? 2 : 1), as: UTF8.self)
            guard let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number) else { return nil }
            return Array(String(Character(scalar)).utf8)
        }
        return entities.first { $0.name.utf8.elementsEqual(name) }.map { [$0.byte] }
    }
}
