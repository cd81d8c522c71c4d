import Platform

/// RFC 9110, 5.6.2; RFC 9112, 3.2; RFC 3986, 2.1.
enum RequestGrammar {
    private static let isTokenByte: [Bool] = (0..<256).map { value in
        let byte = UInt8(value)
        return byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// A method or the name of a field.
    static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && isTokenByte.withUnsafeBufferPointer { table in bytes.allSatisfy { table[Int($0)] } }
    }

    /// No control character except the tab.
    static func isFieldValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// libmicrohttpd removes leading white space, and from 1.0 on trailing too.
    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = bytes.count
        while count > 0, bytes[count - 1] == 0x20 || bytes[count - 1] == 0x09 { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// It must be a path with an optional query (origin form).
    static func fault(inTarget bytes: UnsafeRawBufferPointer) -> HTTPRefusalReason? {
        guard bytes.first == UInt8(ascii: "/") else { return .targetForm }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { return .targetCharacter }
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
                else { return .targetEscape }
                guard high != 0 || low != 0 else { return .targetNUL }
                index += 2
            }
            index += 1
        }
        return nil
    }

    /// Without sign.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
        var value = 0
        for byte in bytes {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
