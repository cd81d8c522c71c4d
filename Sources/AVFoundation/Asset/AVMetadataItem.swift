public import CoreMedia
public import Foundation

/// One item of metadata. Its values are constants, and known when the item is made.
public final class AVMetadataItem: Sendable {
    /// The key in the common key space; nil if the common key space has none for the item (R-ASSET-14).
    public let commonKey: AVMetadataKey?
    public let keySpace: AVMetadataKeySpace
    public let key: String
    /// The text; nil if the value is not text.
    public let stringValue: String?
    /// The bytes; nil if the value is text. They are copied only when this property is read, because a picture may have 16 MiB, and most callers read
    /// only its key.
    public var dataValue: Data? { bytes.map { Data($0) } }
    /// The bytes, which share their memory with the `MediaInfo` of the medium.
    package let bytes: [UInt8]?
    /// The MIME type of `dataValue`, if known.
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

    /// The key space and the key.
    public var identifier: AVMetadataIdentifier? { Self.identifier(forKey: key, keySpace: keySpace) }
    /// The text of the item; its bytes if it has no text.
    public var value: (any Sendable)? { stringValue ?? dataValue }
    /// The text as a number; nil if any part of it is not numeric, as in "3/12".
    public var numberValue: NSNumber? {
        guard let text = shortText?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let whole = Int(text) { return NSNumber(value: whole) }
        return Double(text).flatMap { $0.isFinite ? NSNumber(value: $0) : nil }
    }
    /// The text as a date in ISO 8601, which may be only a year, or a year and a month. A date without a time zone is UTC.
    public var dateValue: Date? { shortText.flatMap(MetadataDate.parse) }
    /// The text up to 64 bytes. A longer text is no number or date, and parsing it may be slow.
    private var shortText: String? { stringValue.flatMap { $0.utf8.count <= 64 ? $0 : nil } }

    /// Makes an identifier from a key and its key space; nil if the key is empty.
    public static func identifier(forKey key: String, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
        guard !key.isEmpty else { return nil }
        let space = keySpace == .id3 ? "id3" : keySpace.rawValue
        return AVMetadataIdentifier(rawValue: space + "/" + (key.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? key))
    }

    public static func metadataItems(from items: [AVMetadataItem], withCommonKey key: AVMetadataKey) -> [AVMetadataItem] {
        items.filter { $0.commonKey == key }
    }

    /// An identifier of the common key space also matches items of other key spaces with that common key.
    public static func metadataItems(
        from items: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        items.filter { item in
            item.identifier == identifier
                || item.commonKey.flatMap { Self.identifier(forKey: $0.rawValue, keySpace: .common) } == identifier
        }
    }

    /// Nil matches every key, or every key space.
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
    public let timeRange: CMTimeRange
    public let items: [AVMetadataItem]

    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        self.items = items
        self.timeRange = timeRange
    }
}

/// Parses dates such as `2024`, `2024-05`, `2024-05-17`, `2024-05-17T20:15`, `2024-05-17 20:15:30Z`, `…+02:00`.
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

    /// The offset from UTC in seconds, positive in the east, of `Z`, `+02:00` or `-0530`; 0 without a time zone.
    private static func offset(_ zone: Substring?) -> Double {
        guard let zone, zone != "Z" else { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        let minutes = (Double(digits.prefix(2)) ?? 0) * 60 + (Double(digits.suffix(2)) ?? 0)
        return (zone.first == "-" ? -60 : 60) * minutes
    }
}
