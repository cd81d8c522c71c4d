import CPulse
import Platform
import PlaybackEngine

/// Replacing audio that the device has received: the server rewinds it, and mixes new audio.
extension PulseStream {
    /// Whether the driver is known to rewind, and the last attempts have not failed.
    var canRewind: Bool { device.found.rewinds && !rewinder.knowledge.isHopeless }

    /// The frames of 2 ms, the time that a command needs to reach the server.
    private var commandFrames: Int64 { Int64(format.sampleRate / 500) }

    /// Suspends writing, and resets the source to the first frame to replace, which it returns. Nil if the device cannot be rewound, in an underrun,
    /// or if too few frames were mixed (`Rewinding.start`). The caller holds the lock.
    /// - Parameter read: The next frame that the server takes; those before are mixed.
    func beginRewinding(read: Int64) -> Int64? {
        guard canRewind, !playhead.isInUnderrun else { return nil }
        guard let start = rewinder.begin(heard: playhead.heardFrame, read: read) else { return nil }
        content.suspend()
        source.reset(to: start)
        return start
    }

    /// Replaces the audio from `start` on, although the server has mixed all frames before `read`. Returns `start` if the replacement is complete,
    /// otherwise a later frame from which it has to be repeated, and writing stays suspended.
    func replaceRewinding(from start: Int64, read: Int64) throws(PlaybackError) -> Int64 {
        var isTrial = false
        // Other work may have made the replacement late.
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

    /// Writes the frames from `start` on, with silence if they are too few (`pad`). The caller holds the lock.
    private func putInPlace(from start: Int64, read: Int64) {
        content.resume()
        content.discardPadding()
        playhead.endUnderrun()
        pull(atLeast: format.sampleRate / 4)
        pad(from: start, to: read)
    }

    /// Suspends writing; the new audio will start at `frame`, later than requested. The caller holds the lock.
    private func suspend(at frame: Int64) -> Int64 {
        playhead.endUnderrun()
        // The new audio arrived too late, so the playhead has stopped.
        if !playhead.isRunning { endUnderrun() }
        content.suspend()
        content.setEnd(frame)
        source.reset(to: frame)
        return frame
    }

    // MARK: Silence

    /// Writes silence after the new frames, so that the server neither plays old audio nor runs empty; none if the frames reach both `read` and one
    /// device latency (at most 2 s) after `start`. The silence ends one latency after the later of these two frames: shorter silence leads to an
    /// underrun, after which the null sink of PulseAudio 16 rewinds by all missing frames for each block, and loses audio. The caller holds the lock.
    private func pad(from start: Int64, to read: Int64) {
        guard failure == nil, let timing = pa_stream_get_timing_info(stream)?.pointee else { return }
        let ahead = Int64(min(timing.configured_sink_usec, 2_000_000)) * Int64(format.sampleRate) / 1_000_000
        guard content.writtenFrames < max(read, start + ahead) else { return }
        let count = Int(max(read, start + ahead) + ahead - content.writtenFrames)
        let silence = [UInt8](repeating: 0, count: count * content.bytesPerFrame)
        guard pa_stream_write(stream, silence, silence.count, nil, content.writeOffset, PA_SEEK_ABSOLUTE) == 0 else { return }
        content.pad(byteCount: silence.count)
        // Because of the silence, the server will not report that the last frame was read.
        beginUnderrun(at: content.writtenFrames)
    }

    /// Puts the next frame after the silence that was heard or can no longer be replaced, and ends the underrun. The caller holds the lock.
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
