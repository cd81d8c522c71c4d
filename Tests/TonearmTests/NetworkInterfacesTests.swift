import MicroHTTP
import Testing

@testable import tonearm

/// The links that a program prints which listens on every address.
@Suite struct NetworkInterfacesTests {
    private let interfaces = [
        InterfaceAddress(host: "127.0.0.1", isLoopback: true), InterfaceAddress(host: "::1", isLoopback: true),
        InterfaceAddress(host: "fe80::5054:ff:fe12:3456%eth0"), InterfaceAddress(host: "2001:db8::5"), InterfaceAddress(host: "192.168.1.5"),
        InterfaceAddress(host: "169.254.7.7"), InterfaceAddress(host: "172.17.0.1", isUp: false), InterfaceAddress(host: "10.0.0.9"),
        InterfaceAddress(host: "192.168.1.5"),
    ]

    @Test("on all addresses of IPv4: those of interfaces that are up, each once, without loopback and link-local ones")
    func version4() throws {
        let address = try ListenAddress("0.0.0.0:7711")
        #expect(address.pages(on: interfaces, token: nil) == ["http://192.168.1.5:7711/", "http://10.0.0.9:7711/"])
        #expect(address.page(token: nil) == "http://127.0.0.1:7711/")
    }

    @Test("on all addresses of IPv6: those of IPv4 too, which come first; each with the token where there is one")
    func version6() throws {
        let address = try ListenAddress("[::]:80")
        #expect(
            address.pages(on: interfaces, token: "abc") == [
                "http://192.168.1.5:80/#token=abc", "http://10.0.0.9:80/#token=abc", "http://[2001:db8::5]:80/#token=abc",
            ])
        #expect(address.page(token: "abc") == "http://[::1]:80/#token=abc")
    }

    @Test("on one address there is one link", arguments: ["192.168.1.5:7711", "127.0.0.1:7711", "[::1]:7711"])
    func one(_ text: String) throws { #expect(try ListenAddress(text).pages(on: interfaces, token: nil) == []) }

    @Test("this machine's own addresses have the loopback one among them, and no text that is none")
    func machine() throws {
        let all = InterfaceAddress.all()
        #expect(all.contains { $0.host == "127.0.0.1" && $0.isLoopback && $0.isUp })
        for address in all { #expect(address.host.contains(":") || address.host.split(separator: ".").count == 4, "\(address)") }
    }
}
