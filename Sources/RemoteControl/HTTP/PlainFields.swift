import Platform
import Synchronization

/// The header fields of an ordinary request, for which only the host and the token need a check. They are read from the received bytes, without
/// creating strings.
struct PlainFields {
    let host: UnsafeRawBufferPointer
    private(set) var ifNoneMatch: UnsafeRawBufferPointer?
    private(set) var authorization: UnsafeRawBufferPointer?

    /// Reads the header fields of a request's head. Nil if the head has a field that `RequestGuard` or a controller must examine (such as `Origin`),
    /// or has a field twice that may occur only once.
    init?(_ head: HTTPRequestHead) {
        var host: UnsafeRawBufferPointer?
        var fetchSites = 0
        var fetchModes = 0
        for field in head.fields {
            switch field.name.count {
            case 4 where field.name.equalsIgnoringCase("host"):
                guard host == nil else { return nil }
                host = field.value
            case 6 where field.name.equalsIgnoringCase("origin"), 12 where field.name.equalsIgnoringCase("content-type"),
                14 where field.name.equalsIgnoringCase("content-length"), 17 where field.name.equalsIgnoringCase("transfer-encoding"):
                return nil
            // The fields `Via`, `Forwarded`, `X-Real-IP` and `X-Forwarded-…` show that a proxy forwards the request (`RequestFields.isForwarded`).
            case 3 where field.name.equalsIgnoringCase("via"), 9 where field.name.equalsIgnoringCase("forwarded"),
                9 where field.name.equalsIgnoringCase("x-real-ip"), 15 where field.name.equalsIgnoringCase("x-forwarded-for"),
                16 where field.name.equalsIgnoringCase("x-forwarded-host"):
                return nil
            case 13 where field.name.equalsIgnoringCase("authorization"):
                guard authorization == nil else { return nil }
                authorization = field.value
            case 13 where field.name.equalsIgnoringCase("if-none-match"):
                guard ifNoneMatch == nil else { return nil }
                ifNoneMatch = field.value
            case 14 where field.name.equalsIgnoringCase("sec-fetch-site"):
                fetchSites += 1
                guard field.value.equals("same-origin") || field.value.equals("none") else { return nil }
            case 14 where field.name.equalsIgnoringCase("sec-fetch-mode"): fetchModes += 1
            default: continue
            }
        }
        guard fetchSites <= 1, fetchModes <= 1, let host else { return nil }
        self.host = host
    }
}

/// The values of `Host` that were accepted recently. The `Host` of a request is compared with them byte by byte, so that it need not be parsed again.
final class KnownHosts: Sendable {
    private static let capacity = 4
    private let known = Mutex<[[UInt8]]>([])

    func contains(_ host: UnsafeRawBufferPointer) -> Bool { known.withLock { $0.contains { $0.count == host.count && $0.elementsEqual(host) } } }

    /// Adds an accepted value of `Host`, and removes the oldest value if the list is full.
    func insert(_ host: String) {
        known.withLock { known in
            guard !known.contains(where: { $0.elementsEqual(host.utf8) }) else { return }
            if known.count == Self.capacity { known.removeFirst() }
            known.append(Array(host.utf8))
        }
    }
}
