// Only ASCII characters count as digits or letters and have a case here, so that text from outside is compared without Unicode normalisation.

extension UInt8 {
    /// The lower-case letter of an ASCII capital; any other byte unchanged.
    @inlinable package var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
    @inlinable package var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }
    @inlinable package var isASCIILetter: Bool { asciiLowercased >= 0x61 && asciiLowercased <= 0x7A }

    /// Space or tab.
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// The value of a hexadecimal digit in upper or lower case; nil for other bytes.
    @inlinable package var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self - 0x30 }
        let letter = asciiLowercased
        return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : nil
    }
}

extension BidirectionalCollection<UInt8> {
    /// The collection without spaces and tabs at both ends.
    package var withoutOuterBlanks: SubSequence {
        var rest = drop(while: \.isBlank)
        while rest.last?.isBlank == true { rest = rest.dropLast() }
        return rest
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the texts are equal if the case of ASCII letters is ignored.
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].asciiLowercased != text.utf8Start[index].asciiLowercased { return false }
        return true
    }
}

extension String.UTF8View {
    /// Whether the texts are equal if the case of ASCII letters is ignored.
    package func equalsIgnoringCase(_ other: String.UTF8View) -> Bool {
        count == other.count && elementsEqual(other) { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the texts are equal if the case of ASCII letters is ignored.
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { buffer in elementsEqual(buffer) { $0.asciiLowercased == $1.asciiLowercased } }
    }
}
