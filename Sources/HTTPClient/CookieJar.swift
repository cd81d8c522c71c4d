import Platform

/// The cookies that servers set while one medium is requested (RFC 6265, section 5). They exist as long as the medium is open, and are sent to the
/// host that has set them, never to another one: the attribute `Domain` is not used, which is stricter than the RFC. A `Max-Age` of 0 or less, or
/// without `Max-Age` an `Expires` in the past, removes the cookie at once. Later expiry times are ignored, because no medium is open for so long.
struct CookieJar {
    private struct Cookie {
        var name: [UInt8]
        var value: [UInt8]
        var host: [UInt8]
        var path: [UInt8]
        var isSecure: Bool
    }
    private var cookies: [Cookie] = []

    /// The maximum number of cookies. The oldest one is removed first.
    static let countLimit = 20
    /// The longest cookie with its attributes, in bytes. A longer one is ignored.
    static let sizeLimit = 4096

    /// Keeps the cookies in the head of a response from `url`.
    mutating func keep(_ reply: HTTPReply, from url: RemoteURL) {
        for field in reply.fields where field.name == "set-cookie" {
            // The value was read as Latin-1, so each character is a byte.
            let bytes = field.value.unicodeScalars.prefix(CookieJar.sizeLimit + 1).map { UInt8(truncatingIfNeeded: $0.value) }
            if bytes.count <= CookieJar.sizeLimit { keep(bytes, from: url) }
        }
    }

    private mutating func keep(_ bytes: [UInt8], from url: RemoteURL) {
        let parts = bytes.split(separator: 0x3B, omittingEmptySubsequences: false)
        guard let pair = parts.first, let (name, value) = CookieJar.pair(pair), !name.isEmpty else { return }
        // A byte that could end the header field, or the cookie in it, is never sent.
        guard (name + value).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return }
        var cookie = Cookie(name: name, value: value, host: Array(url.host.utf8), path: CookieJar.defaultPath(url), isSecure: false)
        var endsByAge: Bool?, endsByDate = false
        for part in parts.dropFirst() {
            let (key, value) = CookieJar.pair(part) ?? (Array(part.withoutOuterBlanks), [])
            let attribute = key.map(\.asciiLowercased)
            if attribute.elementsEqual("path".utf8) {
                cookie.path = value.first == 0x2F ? value : CookieJar.defaultPath(url)
            } else if attribute.elementsEqual("secure".utf8) {
                cookie.isSecure = true
            } else if attribute.elementsEqual("max-age".utf8) {
                guard let first = value.first, first == 0x2D || first.isASCIIDigit, value.dropFirst().allSatisfy(\.isASCIIDigit) else { continue }
                endsByAge = first == 0x2D || value.allSatisfy { $0 == 0x30 }
            } else if attribute.elementsEqual("expires".utf8), let date = CookieJar.date(value) {
                endsByDate = date <= SystemWallClock().secondsSince1970
            }
        }
        // A server cannot set or replace a secure cookie over a connection that is not secure.
        if !url.isSecure, cookie.isSecure || cookies.contains(where: { $0.isSecure && CookieJar.isSame($0, cookie) }) { return }
        cookies.removeAll { CookieJar.isSame($0, cookie) }
        if endsByAge ?? endsByDate { return }
        if cookies.count >= CookieJar.countLimit { cookies.removeFirst() }
        cookies.append(cookie)
    }

    /// Returns the value of the header field `Cookie` for a request to `url`; nil if no cookie is sent. Cookies with longer paths precede those with
    /// shorter ones.
    func field(for url: RemoteURL) -> [UInt8]? {
        let path = Array(url.target.utf8.prefix { $0 != 0x3F })
        let sent = cookies.filter { cookie in
            cookie.host.elementsEqual(url.host.utf8) && (url.isSecure || !cookie.isSecure) && CookieJar.matches(path, cookie.path)
        }
        guard !sent.isEmpty else { return nil }
        let sorted = sent.enumerated().sorted { ($1.element.path.count, $0.offset) < ($0.element.path.count, $1.offset) }.map(\.element)
        return Array(sorted.map { $0.name + [0x3D] + $0.value }.joined(separator: [0x3B, 0x20]))
    }

    private static func isSame(_ one: Cookie, _ other: Cookie) -> Bool {
        one.name == other.name && one.host == other.host && one.path == other.path
    }

    /// Splits bytes at their first "=". Returns nil if they have none.
    private static func pair(_ bytes: ArraySlice<UInt8>) -> (name: [UInt8], value: [UInt8])? {
        guard let equals = bytes.firstIndex(of: 0x3D) else { return nil }
        return (Array(bytes[..<equals].withoutOuterBlanks), Array(bytes[(equals + 1)...].withoutOuterBlanks))
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Returns the date that the value of `Expires` states, in seconds since 1970; nil if it states none (RFC 6265, section 5.1.1). Servers write the
    /// date in several forms, so its parts are recognised in any order.
    static func date(_ text: [UInt8]) -> Double? {
        var clock: [Int]?, day: Int?, month: Int?, year: Int?
        for word in text.split(whereSeparator: { $0 == 0x09 || 0x20...0x2F ~= $0 || 0x3B...0x40 ~= $0 || 0x5B...0x60 ~= $0 || 0x7B...0x7E ~= $0 }) {
            if clock == nil, let found = CookieJar.clock(word) {
                clock = found
            } else if day == nil, let found = number(word, digits: 1...2) {
                day = found
            } else if month == nil, let found = months.firstIndex(where: { $0.utf8.elementsEqual(word.prefix(3).map(\.asciiLowercased)) }) {
                month = found
            } else if year == nil, let found = number(word, digits: 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let clock, let day, let month, let year, year >= 1601, clock[2] < 60 else { return nil }
        let time = clock.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return RFC5322.seconds("\(day) \(months[month]) \(year) \(time)".utf8)
    }

    /// Returns the hour, the minute and the second of a word "hh:mm:ss".
    private static func clock(_ word: ArraySlice<UInt8>) -> [Int]? {
        let fields = word.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].count <= 2, fields[0].allSatisfy(\.isASCIIDigit), fields[1].count <= 2,
            fields[1].allSatisfy(\.isASCIIDigit)
        else { return nil }
        let numbers = fields.compactMap { number($0, digits: 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    /// Returns the number with which a word begins; nil if its number of digits is not in `digits`. Other bytes may follow the digits.
    private static func number(_ word: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let found = word.prefix { $0.isASCIIDigit }
        return digits.contains(found.count) ? found.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
    }

    /// The path of a cookie without the attribute `Path`: the folder of the URL (RFC 6265, section 5.1.4).
    private static func defaultPath(_ url: RemoteURL) -> [UInt8] {
        let path = Array(url.target.utf8.prefix { $0 != 0x3F })
        return path.lastIndex(of: 0x2F).flatMap { $0 > 0 ? Array(path[..<$0]) : nil } ?? [0x2F]
    }

    /// Whether a request for `path` gets the cookies of the path `folder` (RFC 6265, section 5.1.4).
    private static func matches(_ path: [UInt8], _ folder: [UInt8]) -> Bool {
        path.starts(with: folder) && (path.count == folder.count || folder.last == 0x2F || path[folder.count] == 0x2F)
    }
}
