import CPulse
import Platform
import PlaybackEngine

/// The replacement of audio that the device has received and not played yet: the PulseAudio server rewinds the device, and mixes new audio.
extension PulseStream {
    /// Whether audio that the device has received can be replaced: the driver of the device is known to rewind, and the last attempts have not
    /// failed.
    var canRewind: Bool { device.found.rewinds && !rewinder.knowledge.isHopeless }

    /// The time that a command needs to reach the server (2 ms), as a number of frames.
    private var commandFrames: Int64 { Int64(format.sampleRate / 500) }

    /// Begins the replacement of audio by rewinding the device: suspends the writing of frames, and resets the source to the first frame to replace.
    /// Returns the number of the first frame to replace. Returns nil if the device cannot be rewound, if the stream is in an underrun, or if the
    /// server has mixed too few frames after the first frame that can be replaced (`Rewinding.start`). The caller holds libpulse's lock.
    /// - Parameter read: the number of the next frame that the server takes. The server has already mixed all frames before `read`.
    func beginRewinding(read: Int64) -> Int64? {
        guard canRewind, !playhead.isInUnderrun else { return nil }
        guard let start = rewinder.begin(heard: playhead.heardFrame, read: read) else { return nil }
        content.suspend()
        source.reset(to: start)
        return start
    }

    /// Replaces the frames from `start` on by new frames of the source, by rewinding the device. The server has already read and mixed all frames
    /// before `read`.
    ///
    /// - Returns: `start` if the replacement is complete. Otherwise the number of a later frame: the replacement has to be repeated from this frame,
    ///   and the writing of frames is suspended.
    func replaceRewinding(from start: Int64, read: Int64) throws(PlaybackError) -> Int64 {
        var isTrial = false
        // Other work may have taken so long that a replacement that is sent now would be late.
        let later = connection.withLock { () -> Int64? in
            guard playhead.heardFrame + commandFrames >= start else { return nil }
            return suspend(at: rewinder.retreat(heard: playhead.heardFrame))
        }
        if let later { return later }
        try perform { () throws(PlaybackError) in
            isTrial = rewinder.needsTrial && source.writtenFrames - source.renderedFrames > 1
            if isTrial { rewinder.beginTrial(at: start) }
            content.setEnd(start)
            replies.expectProbe()
            try connection.send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            if isTrial {
                content.wrote(writeOnce(atLeast: 1, atMost: 1) ?? 0)
            } else {
                putInPlace(from: start, read: read)
            }
            try requestTiming(.probe)
            return true
        }
        return connection.withLock {
            let (probe, heard) = (replies.probe, playhead.heardFrame)
            let outcome =
                isTrial
                ? rewinder.judgeTrial(rests: probe?.frame ?? read, start: start, read: read, heard: heard)
                : rewinder.judge(rests: probe?.frame, start: start, heard: playhead.frame(at: probe?.time ?? clock.now), now: heard)
            switch outcome {
            case .inPlace:
                rewinder.end()
                if isTrial { putInPlace(from: start, read: read) }
                return start
            case .begins(let frame), .stays(let frame):
                if case .stays = outcome { rewinder.end() }
                return suspend(at: frame)
            }
        }
    }

    /// Sends new frames of the source to the server, from frame `start` on. If the new frames are too few, silence follows them (`pad`). `read` is
    /// the number of the next frame that the server takes. The caller holds libpulse's lock.
    private func putInPlace(from start: Int64, read: Int64) {
        content.resume()
        content.discardPadding()
        playhead.endUnderrun()
        pull(atLeast: format.sampleRate / 4)
        pad(from: start, to: read)
    }

    /// Suspends the writing of frames, and resets the source to `frame`: the new audio will start at `frame`, later than requested. Returns `frame`.
    /// The caller holds libpulse's lock.
    private func suspend(at frame: Int64) -> Int64 {
        playhead.endUnderrun()
        // If the new audio arrived too late, the playhead has already stopped at the end of the written frames.
        if !playhead.isRunning { endUnderrun() }
        content.suspend()
        content.setEnd(frame)
        source.reset(to: frame)
        return frame
    }

    // MARK: Silence

    /// Writes silence after the new frames, so that the server neither plays old audio nor runs empty. Does nothing if the new frames reach both
    /// `read` and one device latency (at most 2 s) after `start`. The silence ends one device latency after the later of these two frames. Shorter
    /// silence would lead to an underrun. After an underrun, the null sink of PulseAudio 16 rewinds by all missing frames for each block that
    /// arrives, and loses audio. The caller holds libpulse's lock.
    ///
    /// - Parameters:
    ///   - start: the first replaced frame.
    ///   - read: the next frame that the server takes.
    private func pad(from start: Int64, to read: Int64) {
        guard failure == nil, let timing = pa_stream_get_timing_info(stream)?.pointee else { return }
        let ahead = Int64(min(timing.configured_sink_usec, 2_000_000)) * Int64(format.sampleRate) / 1_000_000
        guard content.writtenFrames < max(read, start + ahead) else { return }
        let count = Int(max(read, start + ahead) + ahead - content.writtenFrames)
        let silence = [UInt8](repeating: 0, count: count * content.bytesPerFrame)
        guard pa_stream_write(stream, silence, silence.count, nil, content.writeOffset, PA_SEEK_ABSOLUTE) == 0 else { return }
        content.pad(byteCount: silence.count)
        // Because of the silence, the server will not report that the last written frame was read. The underrun is recorded here instead.
        beginUnderrun(at: content.writtenFrames)
    }

    /// Ensures that the next written frame replaces the silence after the written frames, and ends the underrun. The next frame follows that part of
    /// the silence which has been heard, or can no longer be replaced. The caller holds libpulse's lock.
    func skipHeardPadding() {
        let end = playhead.hostTime(of: content.writtenFrames)
        let next = clock.now + rewinder.knowledge.lead
        if next > end {
            content.skipPadding(Int64((next - end) * Double(format.sampleRate)))
            replies.framesWereRenumbered()
        }
        endUnderrun()
    }
}
