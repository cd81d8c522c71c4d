public import CoreMedia
public import Foundation

/// One item of metadata. A metadata item is immutable: all its properties are known when the item is made.
public final class AVMetadataItem: Sendable {
    /// The metadata item's key in the common key space (`title`, `artist`, …); nil if the common key space has no key for the item (R-ASSET-14).
    public let commonKey: AVMetadataKey?
    public let keySpace: AVMetadataKeySpace
    /// The metadata item's key in the key space `keySpace`.
    public let key: String
    /// The text of the metadata item; nil if the item's value is not text.
    public let stringValue: String?
    /// The bytes of the metadata item; nil if the item's value is text. Each access to `dataValue` copies the bytes. The bytes are not copied
    /// earlier, because a picture may have 16 MiB, and most callers read only the key of a picture.
    public var dataValue: Data? { bytes.map { Data($0) } }
    /// The bytes of the metadata item; nil if the item's value is text. The array shares its memory with the `MediaInfo` of the opened medium.
    package let bytes: [UInt8]?
    /// The MIME type of `dataValue`; nil if the MIME type is unknown, or if the item's value is text.
    public let dataType: String?

    init(
        commonKey: AVMetadataKey?, keySpace: AVMetadataKeySpace, key: String, string: String? = nil, bytes: [UInt8]? = nil, dataType: String? = nil
    ) {
        self.commonKey = commonKey
        self.keySpace = keySpace
        self.key = key
        stringValue = string
        self.bytes = bytes
        self.dataType = dataType
    }

    /// The identifier of the metadata item, which combines the item's key space and key.
    public var identifier: AVMetadataIdentifier? { Self.identifier(forKey: key, keySpace: keySpace) }
    /// The value of the metadata item: its text, or its bytes if the item has no text.
    public var value: (any Sendable)? { stringValue ?? dataValue }
    /// The text of the metadata item as a number; nil if any part of the text is not numeric, as in "3/12".
    public var numberValue: NSNumber? {
        guard let text = shortText?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let whole = Int(text) { return NSNumber(value: whole) }
        return Double(text).flatMap { $0.isFinite ? NSNumber(value: $0) : nil }
    }
    /// The text of the metadata item, read as a date in ISO 8601. The text may have only the year, or the year and the month. A date without a time
    /// zone is UTC. The property is nil if the text is no ISO 8601 date.
    public var dateValue: Date? { shortText.flatMap(MetadataDate.parse) }
    /// The text of the metadata item if the text has at most 64 bytes; otherwise nil. A longer text is no number or date, and parsing its characters
    /// may be slow.
    private var shortText: String? { stringValue.flatMap { $0.utf8.count <= 64 ? $0 : nil } }

    /// Returns the identifier of a metadata key in a key space; nil if the key is empty.
    public static func identifier(forKey key: String, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
        guard !key.isEmpty else { return nil }
        let space = keySpace == .id3 ? "id3" : keySpace.rawValue
        return AVMetadataIdentifier(rawValue: space + "/" + (key.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? key))
    }

    /// Returns the metadata items with a common key.
    public static func metadataItems(from items: [AVMetadataItem], withCommonKey key: AVMetadataKey) -> [AVMetadataItem] {
        items.filter { $0.commonKey == key }
    }

    /// Returns the metadata items with an identifier. An identifier of the common key space also matches items of other key spaces that have the same
    /// common key.
    public static func metadataItems(
        from items: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        items.filter { item in
            item.identifier == identifier
                || item.commonKey.flatMap { Self.identifier(forKey: $0.rawValue, keySpace: .common) } == identifier
        }
    }

    /// Returns the metadata items with a key in a key space. A nil `key` matches every key, and a nil `keySpace` every key space.
    public static func metadataItems(from items: [AVMetadataItem], withKey key: String?, keySpace: AVMetadataKeySpace?) -> [AVMetadataItem] {
        items.filter { (key == nil || $0.key == key) && (keySpace == nil || $0.keySpace == keySpace) }
    }
}

extension AVPartialAsyncProperty where Root: AVMetadataItem {
    public static var stringValue: AVAsyncProperty<Root, String?> { AVAsyncProperty("stringValue") { $0.stringValue } }
    public static var numberValue: AVAsyncProperty<Root, NSNumber?> { AVAsyncProperty("numberValue") { $0.numberValue } }
    public static var dateValue: AVAsyncProperty<Root, Date?> { AVAsyncProperty("dateValue") { $0.dateValue } }
    public static var dataValue: AVAsyncProperty<Root, Data?> { AVAsyncProperty("dataValue") { $0.dataValue } }
    public static var value: AVAsyncProperty<Root, (any Sendable)?> { AVAsyncProperty("value") { $0.value } }
}

/// The metadata of a part of an asset, such as a chapter.
public final class AVTimedMetadataGroup: Sendable {
    /// The time range of the chapter.
    public let timeRange: CMTimeRange
    /// The metadata of the chapter.
    public let items: [AVMetadataItem]

    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        self.items = items
        self.timeRange = timeRange
    }
}

/// Parses dates of tags: `2024`, `2024-05`, `2024-05-17`, `2024-05-17T20:15`, `2024-05-17 20:15:30Z`, `…+02:00`.
enum MetadataDate {
    static func parse(_ text: String) -> Date? {
        let pattern =
            /(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?/
        guard let match = text.trimmingCharacters(in: .whitespaces).wholeMatch(of: pattern) else { return nil }
        func number(_ part: Substring?, _ range: ClosedRange<Int>, absent: Int) -> Int? {
            guard let part else { return absent }
            return Int(part).flatMap { range.contains($0) ? $0 : nil }
        }
        guard let year = number(match.1, 1...9999, absent: 1), let month = number(match.2, 1...12, absent: 1),
            let day = number(match.3, 1...31, absent: 1), let hour = number(match.4, 0...23, absent: 0),
            let minute = number(match.5, 0...59, absent: 0), let second = number(match.6, 0...60, absent: 0)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard components.isValidDate(in: calendar) || second == 60, let date = calendar.date(from: components) else { return nil }
        return date.addingTimeInterval(-offset(match.7))
    }

    /// Returns the offset of a time zone (`Z`, `+02:00`, `-0530`), in seconds east of Greenwich; 0 if the date has no time zone.
    private static func offset(_ zone: Substring?) -> Double {
        guard let zone, zone != "Z" else { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        let minutes = (Double(digits.prefix(2)) ?? 0) * 60 + (Double(digits.suffix(2)) ?? 0)
        return (zone.first == "-" ? -60 : 60) * minutes
    }
}
