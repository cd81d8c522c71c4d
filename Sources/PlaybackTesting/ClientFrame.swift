/// From a client (RFC 6455, section 5.2), perhaps malformed.
public struct ClientFrame: Sendable {
    public var opcode: UInt8
    public var payload: [UInt8]
    public var isFinal = true
    /// RSV1 is 4, RSV2 is 2, RSV3 is 1.
    public var reservedBits: UInt8 = 0
    /// 4 bytes; nil does not mask, which the RFC forbids.
    public var mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]

    public init(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reservedBits = reservedBits
    }

    public static func text(_ text: String, isFinal: Bool = true) -> ClientFrame { ClientFrame(0x1, Array(text.utf8), isFinal: isFinal) }
    public static func binary(_ payload: [UInt8], isFinal: Bool = true) -> ClientFrame { ClientFrame(0x2, payload, isFinal: isFinal) }
    public static func continuation(_ payload: [UInt8], isFinal: Bool = true) -> ClientFrame { ClientFrame(0x0, payload, isFinal: isFinal) }
    public static func ping(_ payload: [UInt8] = []) -> ClientFrame { ClientFrame(0x9, payload) }
    public static func pong(_ payload: [UInt8] = []) -> ClientFrame { ClientFrame(0xA, payload) }
    public static func close(_ code: UInt16? = nil, _ reason: [UInt8] = []) -> ClientFrame {
        ClientFrame(0x8, (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason)
    }

    public var bytes: [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reservedBits << 4 | opcode]
        let flag: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case 0..<126: bytes.append(flag | UInt8(payload.count))
        case 126..<65536: bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [flag | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }
}
