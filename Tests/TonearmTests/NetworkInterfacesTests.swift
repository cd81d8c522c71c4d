import HTTPServer
import Testing

@testable import tonearm

/// Tests the addresses of the page that the program prints if it listens on all addresses of the machine.
@Suite struct NetworkInterfacesTests {
    private let interfaces = [
        InterfaceAddress(host: "127.0.0.1", isLoopback: true), InterfaceAddress(host: "::1", isLoopback: true),
        InterfaceAddress(host: "fe80::5054:ff:fe12:3456%eth0"), InterfaceAddress(host: "2001:db8::5"), InterfaceAddress(host: "192.168.1.5"),
        InterfaceAddress(host: "169.254.7.7"), InterfaceAddress(host: "172.17.0.1", isUp: false), InterfaceAddress(host: "10.0.0.9"),
        InterfaceAddress(host: "192.168.1.5"),
    ]

    @Test("on all IPv4 addresses: those of interfaces that are up, each once, without loopback and link-local ones")
    func version4() throws {
        let address = try ListenAddress("0.0.0.0:7711")
        #expect(address.pages(on: interfaces, token: nil) == ["http://192.168.1.5:7711/", "http://10.0.0.9:7711/"])
        #expect(address.page(token: nil) == "http://127.0.0.1:7711/")
    }

    @Test("on all IPv6 addresses: also the IPv4 ones, which come first; each with the token, if any")
    func version6() throws {
        let address = try ListenAddress("[::]:80")
        #expect(
            address.pages(on: interfaces, token: "abc") == [
                "http://192.168.1.5:80/#token=abc", "http://10.0.0.9:80/#token=abc", "http://[2001:db8::5]:80/#token=abc",
            ])
        #expect(address.page(token: "abc") == "http://[::1]:80/#token=abc")
    }

    @Test("a single address has no further links", arguments: ["192.168.1.5:7711", "127.0.0.1:7711", "[::1]:7711"])
    func one(_ text: String) throws { #expect(try ListenAddress(text).pages(on: interfaces, token: nil) == []) }

    @Test("the addresses of this machine include loopback, and all are valid")
    func machine() throws {
        let all = InterfaceAddress.all()
        #expect(all.contains { $0.host == "127.0.0.1" && $0.isLoopback && $0.isUp })
        for address in all { #expect(address.host.contains(":") || address.host.split(separator: ".").count == 4, "\(address)") }
    }
}
