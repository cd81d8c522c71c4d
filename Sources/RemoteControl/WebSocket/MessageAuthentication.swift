import CNettle

/// Computes message authentication codes, which prove that the author of a message knows a secret (HMAC, RFC 2104).
public enum MessageAuthentication {
    /// Returns the HMAC-SHA256 of a message, which has 32 bytes.
    public static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
        nettle_hmac_sha256_update(&context, message.count, message)
        return [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_SIZE)) { buffer, count in
            nettle_hmac_sha256_digest(&context, Int(SHA256_DIGEST_SIZE), buffer.baseAddress)
            count = Int(SHA256_DIGEST_SIZE)
        }
    }

    /// Whether two message authentication codes are equal. The duration of the comparison does not reveal the position of the first difference.
    public static func matches(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        var difference = one.count ^ other.count
        for index in one.indices { difference |= Int(one[index] ^ (index < other.count ? other[index] : 0)) }
        return difference == 0
    }
}
