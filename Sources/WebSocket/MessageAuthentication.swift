import CNettle

/// Codes that show that whoever made a text knows a secret (HMAC, RFC 2104).
///
/// It stands here because Nettle has one adapter, of which the handshake needs most.
public enum MessageAuthentication {
    /// The 32 bytes of HMAC-SHA256.
    public static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
        nettle_hmac_sha256_update(&context, message.count, message)
        return [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_SIZE)) { room, count in
            nettle_hmac_sha256_digest(&context, Int(SHA256_DIGEST_SIZE), room.baseAddress)
            count = Int(SHA256_DIGEST_SIZE)
        }
    }

    /// Whether two codes are the same. Takes the same time wherever they differ.
    public static func matches(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        var difference = one.count ^ other.count
        for index in one.indices { difference |= Int(one[index] ^ (index < other.count ? other[index] : 0)) }
        return difference == 0
    }
}
