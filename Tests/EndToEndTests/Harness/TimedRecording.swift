import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting

/// A recording of a sink, which knows the host time at which each sample was heard. The times follow from the sound server's timing of the recording
/// stream, as in `script/bench`.
final class TimedRecording {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    private static let program = """
        import collections, os, sys, time
        sys.path.insert(0, sys.argv[1])
        import pulse_recorder
        Server = collections.namedtuple("Server", "address")
        recorder = pulse_recorder.Recorder(Server(sys.argv[2]), sys.argv[3])
        # The sink's first block is long, because no client has requested a lower latency: timing starts after it.
        while len(recorder.samples) < pulse_recorder.RATE: time.sleep(0.01)
        del recorder.origins[:]
        os.write(1, b"ready")
        sys.stdin.read()
        recorder.close()
        print(recorder.heard_at(0), flush=True)
        recorder.samples.tofile(sys.stdout.buffer)
        """

    /// The samples of one channel of the recording. Sample n was heard at the host time `start + n / rate`.
    struct Result {
        let start: HostTime
        let samples: [Float]

        func hostTime(of sample: Int) -> HostTime { start + Double(sample) / Double(Noise.rate) }
        func sample(at time: HostTime) -> Int { Int(((time - start) * Double(Noise.rate)).rounded()) }
    }

    /// Starts the recording.
    init(_ server: PrivatePulseServer) throws {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-B", "-c", Self.program, checkout.appending(path: "script/lib").path, server.address, PrivatePulseServer.sinkName,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: try process.nextOutput(of: output), as: UTF8.self)
        guard line == "ready" else { throw Daemon.Failure(description: "the recorder does not start") }
    }

    deinit { process.end() }

    /// Ends the recording, and returns its samples with their host times.
    func finish() throws -> Result {
        try input.fileHandleForWriting.close()
        let data = try process.remainingOutput(of: output)
        guard let end = data.firstIndex(of: UInt8(ascii: "\n")), let start = Double(String(decoding: data[..<end], as: UTF8.self)) else {
            throw Daemon.Failure(description: "the recorder has recorded nothing")
        }
        let bytes = [UInt8](data[(end + 1)...])
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        return Result(start: HostTime(seconds: start), samples: samples)
    }
}
