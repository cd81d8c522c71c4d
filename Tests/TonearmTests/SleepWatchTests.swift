import Synchronization
import Testing

@testable import tonearm

@Suite("The watch of the machine's sleep") struct SleepWatchTests {
    @Test("each change is reported once, and none after the stop; without a bus there is nothing else")
    func reports() {
        let reports = Mutex<[Bool]>([])
        let watch = SleepWatch(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]) { isAsleep, done in
            reports.withLock { $0.append(isAsleep) }
            done()
        }
        for isAsleep in [false, true, true, false] { watch.report(isAsleep: isAsleep) }
        #expect(reports.withLock { $0 } == [true, false])
        watch.stop()
        watch.report(isAsleep: true)
        #expect(reports.withLock { $0.count } == 2)
    }

    @Test(
        "the bus is that of the system, or the one that the environment names",
        arguments: [
            (nil, "/run/dbus/system_bus_socket"), ("unix:path=/tmp/bus,guid=1", "/tmp/bus"), ("unix:path=/a;unix:path=/b", "/a"),
            ("tcp:host=localhost,port=1", nil), ("unix:abstract=x", nil), ("unix:path=relative", nil),
        ] as [(String?, String?)])
    func socket(address: String?, expected: String?) { #expect(SleepWatch.socket(address) == expected) }
}
