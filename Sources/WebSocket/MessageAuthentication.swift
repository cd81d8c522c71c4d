import CNettle

/// Message authentication codes, which prove that the author of a text knows a secret (HMAC, RFC 2104).
///
/// They are in this module because Nettle has only one adapter, and the handshake needs most of it.
public enum MessageAuthentication {
    /// Returns the 32 bytes of HMAC-SHA256.
    public static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
        nettle_hmac_sha256_update(&context, message.count, message)
        return [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_SIZE)) { room, count in
            nettle_hmac_sha256_digest(&context, Int(SHA256_DIGEST_SIZE), room.baseAddress)
            count = Int(SHA256_DIGEST_SIZE)
        }
    }

    /// Whether two codes are equal. The duration does not depend on the position of the first difference.
    public static func matches(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        var difference = one.count ^ other.count
        for index in one.indices { difference |= Int(one[index] ^ (index < other.count ? other[index] : 0)) }
        return difference == 0
    }
}
