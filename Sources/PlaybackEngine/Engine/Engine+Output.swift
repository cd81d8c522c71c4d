/// The device: its events, its choice, its start and its pauses.
extension Engine {
    func handle(_ event: AudioSinkEvent) {
        switch event {
        case .consumed: break
        case .underflow:
            // At the end of everything, and after a fade-out, silence is due.
            if wantsRunning, !output.isHeld, output.fadeEnd == nil, let last = timeline.segments.last, last.end == nil { emit(.underran) }
            stopAfterFade()
        case .lost(let error): outputLost(error)
        case .corrected: emit(.timelineChanged)
        case .changed(let description, let wasRemoved):
            emit(.outputChanged(description, isAudible: output.isAudible, by: wasRemoved ? .removed : .moved))
        case .signal(let signal): emit(.streamSignal(signal))
        }
    }

    var plan: BufferPlan { BufferPlan(format: output.format, settings: settings) }

    func setQueueLimits() { reading.setLimits(plan.queueLimits) }

    // MARK: Opening

    /// Prepares the device for an item's own format. Nothing of another format is in flight.
    func adopt(_ wanted: AudioFormat) {
        var chosen = wanted.playable(on: output.speakers)
        guard chosen != output.format || !output.isOpen else { return }
        let base = output.ring?.writtenFrames ?? 0
        output.prepare(chosen)
        setQueueLimits()
        if output.isOpen { reopen(at: base) } else { selectOutput(amongFirst: outputs.count, by: .opened) }
        // Only the speakers of an open device are known.
        chosen = wanted.playable(on: output.speakers)
        guard output.isOpen, chosen != output.format else { return }
        output.prepare(chosen)
        setQueueLimits()
        reopen(at: base)
    }

    /// Moves to the best output that opens among the first `limit` (all, if none is open), keeping the position.
    func selectOutput(amongFirst limit: Int, by cause: OutputChangeCause) {
        var lastError: PlaybackError?
        for index in 0..<min(limit, outputs.count) {
            let candidate = outputs.makeSink(index, settings)
            // A live move: the former device gives back what it has not taken, and the new one continues from there.
            let isMove = output.isOpen
            let start = isMove ? withdrawStopping() ?? timeline.heardFrame : output.ring?.writtenFrames ?? 0
            do throws(PlaybackError) { try output.open(candidate, at: start, plan) } catch {
                lastError = error
                continue
            }
            outputs.noteOpened(index)
            outputDidOpen(by: cause)
            if isMove || !timeline.segments.isEmpty { rewind(to: start) }
            return
        }
        if !output.isOpen, limit > 0 {
            emit(.outputFailed(lastError ?? PlaybackError(.outputUnavailable, "No output is available.")))
        } else if output.isOpen, lastError != nil, let ring = output.ring {
            // The better output did not open: the present one continues.
            rewind(to: ring.writtenFrames)
        }
    }

    private func reopen(at base: Int64) {
        do throws(PlaybackError) { try output.reopen(at: base, plan) } catch { return outputLost(error) }
        outputDidOpen(by: .opened)
    }

    private func outputDidOpen(by cause: OutputChangeCause) {
        renderer.prepare(channelCount: output.format.channelCount)
        publishTimeline(changed: false)
        if let description = output.description { emit(.outputChanged(description, isAudible: output.isAudible, by: cause)) }
    }

    /// The device failed: playback continues with the next best from the frame that was heard last.
    func outputLost(_ error: PlaybackError) {
        output.lose()
        selectOutput(amongFirst: outputs.count, by: .lost)
    }

    private func withdrawStopping() -> Int64? {
        do throws(PlaybackError) { return try output.withdrawStopping() } catch {
            outputLost(error)
            return nil
        }
    }

    // MARK: Running

    /// Starts the device if that is wanted and audio is ready.
    func startIfReady() -> Bool {
        guard wantsRunning, output.canStart, let ring = output.ring, let last = timeline.segments.last else { return false }
        let ready = Int(ring.endFrame - (output.fadeEnd ?? timeline.heardFrame))
        guard ready > 0, ready >= min(plan.primeFrames, ring.capacity / 2, plan.leadFrames / 2) || last.end != nil else { return false }
        do throws(PlaybackError) { try output.start() } catch { outputLost(error) }
        publishTimeline(changed: true)
        return true
    }

    /// Lets the audio fade out and the device stop after it, or stops the device at once. What follows is kept.
    func pause() {
        do throws(PlaybackError) {
            guard try output.pause() else { return }
        } catch {
            return outputLost(error)
        }
        settle()
        // A position that comes to rest later is reported then.
        publishTimeline(changed: output.fadeEnd == nil)
    }

    /// The device ran dry: if that was the end of a fade-out, it is stopped.
    private func stopAfterFade() {
        do throws(PlaybackError) {
            if try output.stopAfterFade() { publishTimeline(changed: true) }
        } catch {
            outputLost(error)
        }
    }
}
