import Testing

@testable import HTTPClient

@Suite("Network addresses")
struct NetworkAddressTests {
    @Test("public addresses are distinguished from all others")
    func addresses() {
        let closed: [[UInt8]] = [
            [0, 0, 0, 0], [10, 1, 2, 3], [127, 0, 0, 1], [100, 64, 0, 1], [169, 254, 169, 254], [172, 16, 0, 1], [172, 31, 255, 1], [192, 168, 1, 1],
            [192, 0, 0, 1], [192, 0, 2, 1], [198, 18, 0, 1], [198, 51, 100, 1], [203, 0, 113, 1], [224, 0, 0, 1], [255, 255, 255, 255],
        ]
        let free: [[UInt8]] = [[1, 1, 1, 1], [8, 8, 8, 8], [100, 128, 0, 1], [172, 32, 0, 1], [192, 0, 3, 1], [198, 20, 0, 1], [223, 1, 1, 1]]
        for bytes in closed { #expect(!NetworkAddress(bytes: bytes).isPublic, "\(bytes)") }
        for bytes in free { #expect(NetworkAddress(bytes: bytes).isPublic, "\(bytes)") }
        // The IPv4 addresses are also tested inside IPv6 addresses of three kinds: mapped, NAT64 and 6to4.
        for (list, isPublic) in [(closed, false), (free, true)] {
            for bytes in list {
                #expect(NetworkAddress(bytes: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes).isPublic == isPublic)
                #expect(NetworkAddress(bytes: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + bytes).isPublic == isPublic)
                #expect(NetworkAddress(bytes: [0x20, 0x02] + bytes + [UInt8](repeating: 0, count: 10)).isPublic == isPublic)
            }
        }
        for head in [[0xFC], [0xFD], [0xFE, 0x80], [0xFF, 0x02], [0x20, 0x01, 0x0D, 0xB8], [0x20, 0x01, 0, 0], [0, 0]] as [[UInt8]] {
            #expect(!NetworkAddress(bytes: head + [UInt8](repeating: 0, count: 15 - head.count) + [1]).isPublic)
        }
        #expect(NetworkAddress(bytes: [0x26, 0x06, 0x47, 0] + [UInt8](repeating: 0, count: 12)).isPublic)
        #expect(NetworkAddress(bytes: [127, 0, 0, 1]).text == "127.0.0.1")
    }
}
