import AVFoundation
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import PulseOutput
import Testing

extension EndToEndTests {
    /// Tests the start of a player at a given time of the host clock, through a real PulseAudio server.
    @Suite("Start at a host time", .serialized) @MainActor
    struct SyncedStartTests {
        // Both channels are equal, so that the recording, which has one channel, contains them unchanged.
        private static let noise = Noise(seconds: 20, seed: 41).mono
        private let folder: MediaFolder
        private let server: PrivatePulseServer
        private let player: AVPlayer

        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", Self.noise.frames)
            server = try PrivatePulseServer(.null(rate: Noise.rate, channels: 2))
            var environment = PlaybackEnvironment.default
            let address = server.address
            environment.outputs = [
                OutputDriver(
                    id: "pulse", name: "Test", isAutomatic: true, watch: { PulsePresence(server: address, report: $0) },
                    provider: { _ in PulseOutputProvider(server: address, sinkName: PrivatePulseServer.sinkName) })
            ]
            let asset = AVAsset(source: MediaSource(.file(path: folder.file("noise.wav"))), environment: environment)
            player = AVPlayer(playerItem: AVPlayerItem(asset: asset), environment: environment)
        }

        /// Waits for some seconds of real time, without blocking the main actor.
        private func pass(_ seconds: Double) async {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { continuation.resume() }
            }
        }

        /// Returns the index of the noise's frame that was recorded at the sample with the index `sample`; nil if the recording does not contain the
        /// noise there.
        private func frame(_ recording: TimedRecording.Result, _ sample: Int) -> Int? {
            guard recording.samples.indices.contains(sample + 64) else { return nil }
            let heard = recording.samples[sample..<(sample + 64)].map { sample in
                let value = Int16((sample * 32_768).rounded())
                return Noise.Frame(left: value, right: value)
            }
            return Self.noise.position(of: heard[...])
        }

        @Test(
            "audio scheduled for a host time is heard at that time, and in step from then on (R-SYNC-02)",
            arguments: [1.5, -1])
        func start(offset: Double) async throws {
            let recorder = try TimedRecording(server)
            player.automaticallyWaitsToMinimizeStalling = false
            let item = try #require(player.currentItem)
            for await status in item.values(for: \.status) where status == .readyToPlay { break }
            let position = CMTime(value: 5 * 44_100, timescale: 44_100)
            let startTime = CMClock.hostTimeClock.time + CMTime(seconds: offset, preferredTimescale: 1_000_000_000)
            player.setRate(1, time: position, atHostTime: startTime)
            await pass(max(0, offset) + 3)
            player.pause()
            await pass(0.5)
            let recording = try recorder.finish()
            let host = HostTime(nanoseconds: startTime.value)
            // If a start is wrong by more than 5 ms, the player corrects it within a few tenths of a second. So the first check is after 0.5 s.
            for seconds in [0.5, 1, 1.5, 2, 2.5] {
                let due = recording.sample(at: host + max(0, -offset) + seconds)
                let heard = try #require(frame(recording, due), "silence \(seconds) s after the start")
                let error = Double(heard) / Double(Noise.rate) - position.seconds - (recording.hostTime(of: due) - host)
                #expect(abs(error) < 0.010)
            }
            let first = try #require(recording.samples.firstIndex { $0 != 0 })
            #expect(recording.hostTime(of: first) > host + -0.010, "nothing is heard before the start")
        }
    }
}
