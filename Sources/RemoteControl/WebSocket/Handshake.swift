import CNettle

/// The values of the header fields with which a connection switches from HTTP to WebSocket (RFC 6455, section 4).
public enum Handshake {
    /// The only version of the WebSocket protocol that exists.
    public static let version = "13"

    /// Returns the value of `Sec-WebSocket-Accept` for the value of `Sec-WebSocket-Key`; nil if the key is not the base64 form of 16 bytes.
    public static func accept(key: String) -> String? {
        let bytes = Array(key.utf8)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        // 16 bytes in base64 are 22 characters and two padding characters. The last of the 22 carries only two bits, so it has one of four values.
        guard bytes.count == 24, bytes[22...].elementsEqual("==".utf8), bytes[..<22].allSatisfy(alphabet.contains),
            "AQgw".utf8.contains(bytes[21])
        else { return nil }
        return base64(sha1(bytes + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    /// Returns bytes as base64 text (RFC 4648, section 4).
    public static func base64(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "" }
        let text = [CChar](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { buffer, count in
            nettle_base64_encode_raw(buffer.baseAddress, bytes.count, bytes)
            count = buffer.count
        }
        return String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var context = sha1_ctx()
        nettle_sha1_init(&context)
        nettle_sha1_update(&context, bytes.count, bytes)
        return [UInt8](unsafeUninitializedCapacity: Int(SHA1_DIGEST_SIZE)) { buffer, count in
            nettle_sha1_digest(&context, Int(SHA1_DIGEST_SIZE), buffer.baseAddress)
            count = Int(SHA1_DIGEST_SIZE)
        }
    }
}
