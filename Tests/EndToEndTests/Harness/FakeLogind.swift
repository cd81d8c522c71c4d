import CSystemd
import Foundation
import Glibc
import PlaybackTesting

/// A system's bus with a logind that announces what a test wants. It answers the program only inside `waitForDelay`, on the test's thread.
final class FakeLogind {
    private static let path = "/org/freedesktop/login1"

    private let folder: MediaFolder
    private var process: pid_t?
    private var bus: OpaquePointer?
    /// The reading end of the pipe whose other end the program holds to delay the sleep; nil before it has asked for that.
    private var delay: Int32?

    init() throws {
        folder = try MediaFolder()
        try start()
    }

    deinit { stop() }

    var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }
    private var address: String { "unix:path=" + folder.file("bus") }

    /// Ends the bus, and starts another one at its address.
    func restartBus() throws {
        stop()
        try start()
    }

    private func start() throws {
        process = try ChildProcess.spawn(["dbus-daemon", "--session", "--nofork", "--address=\(address)"], environment: [])
        try eventually("the bus has started", within: 30) { connect() ? true : nil }
        try check(sd_bus_add_object(bus, nil, Self.path, logindWasCalled, Unmanaged.passUnretained(self).toOpaque()))
        try check(sd_bus_request_name(bus, "org.freedesktop.login1", 0))
    }

    private func connect() -> Bool {
        var made: OpaquePointer?
        guard sd_bus_new(&made) >= 0, sd_bus_set_address(made, address) >= 0, sd_bus_set_bus_client(made, 1) >= 0, sd_bus_start(made) >= 0 else {
            sd_bus_unref(made)
            return false
        }
        bus = made
        return true
    }

    private func stop() {
        sd_bus_close_unref(bus)
        bus = nil
        if let process { ChildProcess.end(process, with: SIGKILL) }
        process = nil
        closeDelay()
    }

    // MARK: The program's requests

    /// Waits until the program delays the sleep.
    func waitForDelay() throws {
        try eventually("the program delays the sleep") {
            while sd_bus_process(bus, nil) > 0 {}
            return isDelayed ? true : nil
        }
    }

    /// Waits until the program allows the sleep.
    func waitForSleep() throws { try eventually("the program allows the sleep") { isDelayed ? nil : true } }

    /// Whether the program holds its end of the pipe.
    private var isDelayed: Bool {
        guard let delay else { return false }
        var end = pollfd(fd: delay, events: 0, revents: 0)
        return poll(&end, 1, 0) == 0
    }

    /// Gives the program a pipe, which delays the sleep until it is closed.
    fileprivate func answer(_ call: OpaquePointer?) {
        closeDelay()
        var ends: [Int32] = [-1, -1]
        var reply: OpaquePointer?
        guard pipe(&ends) == 0, sd_bus_message_new_method_return(call, &reply) >= 0 else { return }
        defer { sd_bus_message_unref(reply) }
        // The message has a copy of the descriptor.
        if sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "h")), &ends[1]) >= 0 { sd_bus_send(bus, reply, nil) }
        close(ends[1])
        delay = ends[0]
    }

    private func closeDelay() {
        if let delay { close(delay) }
        delay = nil
    }

    // MARK: Announcements

    func announceSleep(_ isAsleep: Bool) throws {
        try send("org.freedesktop.login1.Manager", "PrepareForSleep", from: Self.path) { message in
            var value: Int32 = isAsleep ? 1 : 0
            return sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &value)
        }
    }

    /// Asks the session of a user to lock its screen.
    func lock() throws { try send("org.freedesktop.login1.Session", "Lock", from: Self.path + "/session/_31") { _ in 0 } }

    private func send(_ interface: String, _ name: String, from path: String, _ content: (OpaquePointer?) -> Int32) throws {
        var message: OpaquePointer?
        try check(sd_bus_message_new_signal(bus, &message, path, interface, name))
        defer { sd_bus_message_unref(message) }
        try check(content(message))
        try check(sd_bus_send(bus, message, nil))
        try check(sd_bus_flush(bus))
    }

    private func check(_ code: Int32) throws {
        guard code >= 0 else { throw Daemon.Failure(description: "the bus: \(String(cString: strerror(-code)))") }
    }
}

/// sd-bus calls this function inside `waitForDelay`, with each call of a method.
private func logindWasCalled(_ message: OpaquePointer?, _ logind: UnsafeMutableRawPointer?, _ error: UnsafeMutablePointer<sd_bus_error>?) -> Int32 {
    guard let logind, sd_bus_message_is_method_call(message, "org.freedesktop.login1.Manager", "Inhibit") > 0 else { return 0 }
    Unmanaged<FakeLogind>.fromOpaque(logind).takeUnretainedValue().answer(message)
    return 1
}
