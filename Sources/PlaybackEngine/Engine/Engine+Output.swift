/// The engine's control of the output device: the handling of its events, the choice of a device, and starting and pausing it.
extension Engine {
    func handle(_ event: AudioSinkEvent) {
        switch event {
        case .consumed: break
        case .underflow:
            // After the end of the last rendered item, and after a fade-out, no frames are due, so an empty ring is no underrun.
            if wantsRunning, !output.isHeld, output.fadeEnd == nil, let last = timeline.segments.last, last.end == nil { emit(.underran) }
            stopAfterFade()
            changeRateAtJoint()
        case .lost(let error): outputLost(error)
        case .corrected: emit(.timelineChanged)
        case .changed(let description, let wasRemoved): deviceChanged(to: description, by: wasRemoved ? .removed : .moved)
        case .signal(let signal): emit(.streamSignal(signal))
        }
    }

    var plan: BufferPlan { BufferPlan(format: output.format, settings: settings) }

    func setQueueLimits() { reading.setLimits(plan.queueLimits) }

    // MARK: Opening

    /// Opens the device in the format in which an item of the format `wanted` is played (`playable`), unless it is already open in this format. The
    /// caller ensures that the ring contains no audio of another format.
    func adopt(_ wanted: AudioFormat) {
        noteRefusal(of: output.format.sampleRate)
        var chosen = playable(wanted)
        let base = output.ring?.writtenFrames ?? 0
        if chosen != output.format || !output.isOpen {
            output.prepare(chosen)
            setQueueLimits()
            if output.isOpen { reopen(at: base) } else { selectOutput(amongFirst: outputs.count, by: .opened) }
            noteRefusal(of: chosen.sampleRate)
        }
        // The device's speakers, and its rate after it was asked for another one, are known only after the device is open, so the output format is
        // chosen again.
        chosen = wanted.playable(on: output.speakers, at: outputRate.fixed ?? output.deviceRate)
        guard output.isOpen, chosen != output.format else { return }
        output.prepare(chosen)
        setQueueLimits()
        reopen(at: base)
    }

    /// Moves playback to the first output that opens, and keeps the position. If no output is open, `limit` has to be the number of all outputs in
    /// the list.
    ///
    /// - Parameter limit: the number of outputs that are tried, from the first of the list.
    func selectOutput(amongFirst limit: Int, by cause: OutputChangeCause) {
        var lastError: PlaybackError?
        for index in 0..<min(limit, outputs.count) {
            let candidate = outputs.makeSink(index, settings)
            // The former device returns the frames that it has not played, and the new device continues from the first returned frame.
            let isMove = output.isOpen
            let start = isMove ? withdrawStopping() ?? timeline.heardFrame : output.ring?.writtenFrames ?? 0
            do throws(PlaybackError) { try output.open(candidate, at: start, plan) } catch {
                lastError = error
                continue
            }
            outputs.noteOpened(index)
            // If audio was ordered and the new device has another rate, the audio is ordered again at that rate. Before the first order, `adopt`
            // chooses the format.
            let hasAudio = isMove || !timeline.segments.isEmpty || reading.generation != 0 || reading.seek != nil
            if hasAudio, let format = formatOfDevice { return change(to: format, at: start, by: cause) }
            outputDidOpen(by: cause)
            if isMove || !timeline.segments.isEmpty { rewind(to: start) }
            return
        }
        if !output.isOpen, limit > 0 {
            emit(.outputFailed(lastError ?? PlaybackError(.outputUnavailable, "No output is available.")))
        } else if output.isOpen, lastError != nil, let ring = output.ring {
            // No preferred output has opened, so the present device continues.
            rewind(to: ring.writtenFrames)
        }
    }

    /// The present format with the sample rate of the open device; nil if the present format has this rate already, if the device has no rate of its
    /// own, or if the user has chosen a fixed rate.
    var formatOfDevice: AudioFormat? {
        guard outputRate.fixed == nil, let rate = output.deviceRate, rate != output.format.sampleRate else { return nil }
        return AudioFormat(sampleRate: rate, channelLayout: output.format.channelLayout)
    }

    /// Handles a change of the open output's device: the stream was moved, or the device was given another format. If the sample rate has changed, the
    /// output is opened again at that rate, and playback continues with the first frame that the device has not played.
    private func deviceChanged(to description: OutputDescription, by cause: OutputChangeCause) {
        guard output.isOpen, let format = formatOfDevice, outputs.rateChanges.allow(at: timeline.clock.now().hostTime) else {
            return emitOutput(description, by: cause)
        }
        // If the withdrawal fails, the output is lost, and the events of the next output have been sent.
        guard let start = withdrawStopping() else { return }
        change(to: format, at: start, by: cause)
    }

    /// Opens the device again in a format of another sample rate, and orders all audio from output frame `start` on in this format.
    ///
    /// - Parameter cause: why the output has changed, for the event.
    func change(to format: AudioFormat, at start: Int64, by cause: OutputChangeCause) {
        let ratio = Double(format.sampleRate) / Double(output.format.sampleRate)
        timeline.changeRate(by: ratio, at: start)
        facts.changeRate(by: ratio)
        reading.changeRate(by: ratio)
        track.removeAll()
        forgetLevel()
        output.prepare(format)
        setQueueLimits()
        do throws(PlaybackError) { try output.reopen(at: start, plan) } catch { return outputLost(error) }
        outputDidOpen(by: cause)
        readAll(from: start)
    }

    /// Orders the audio of output frame `start` and all audio after it from the feeder, because no decoded audio has the present format.
    private func readAll(from start: Int64) {
        setAwaitedStart(nil)
        renderer.reset()
        defer { publishTimeline(changed: true) }
        guard let segment = timeline.rewind(to: start) else { return orderAgain() }
        guard let end = segment.end, end <= start else {
            let media = segment.mediaFrame(at: max(start, segment.start)).rounded()
            timeline.rest(on: segment.item, media: media, rate: settings.effectiveRate, at: start)
            return readAgain(segment.item, from: Int64(media))
        }
        if let point = reading.resumePoint {
            readAgain(point.item, from: point.position)
        } else if !segment.reachesEndOfItem || settings.isReverse {
            readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded()))
        } else if let next = lineup.follower(of: segment.item), facts.isOpen(next.item) {
            readAgain(next.item, from: FrameCount.frames(of: next.startTime, sampleRate: output.format.sampleRate) ?? 0)
        }
    }

    private func reopen(at base: Int64) {
        do throws(PlaybackError) { try output.reopen(at: base, plan) } catch { return outputLost(error) }
        outputDidOpen(by: .opened)
    }

    private func outputDidOpen(by cause: OutputChangeCause) {
        renderer.prepare(channelCount: output.format.channelCount)
        publishTimeline(changed: false)
        if let description = output.description { emitOutput(description, by: cause) }
    }

    private func emitOutput(_ description: OutputDescription, by cause: OutputChangeCause) {
        emit(.outputChanged(description, format: output.format, isAudible: output.isAudible, by: cause))
    }

    /// Continues playback after the loss of the device, from the frame that was heard last. The engine tries all outputs, from the first of the list.
    func outputLost(_ error: PlaybackError) {
        output.lose()
        emit(.outputLost(error))
        selectOutput(amongFirst: outputs.count, by: .lost)
    }

    func withdrawStopping() -> Int64? {
        do throws(PlaybackError) { return try output.withdrawStopping() } catch {
            outputLost(error)
            return nil
        }
    }

    // MARK: Running

    /// Starts the device if playback is wanted and enough audio is rendered. Returns whether the device was started.
    func startIfReady() -> Bool {
        guard wantsRunning, output.canStart, let ring = output.ring, let last = timeline.segments.last else { return false }
        let ready = Int(ring.endFrame - (output.fadeEnd ?? timeline.heardFrame))
        guard ready > 0, ready >= min(plan.primeFrames, ring.capacity / 2, plan.leadFrames / 2) || last.end != nil else { return false }
        do throws(PlaybackError) { try output.start() } catch { outputLost(error) }
        publishTimeline(changed: true)
        return true
    }

    /// Fades out the audio and then stops the device, or stops the device at once if it cannot fade. The rendered frames after the fade-out are kept
    /// for the resume.
    func pause() {
        do throws(PlaybackError) {
            guard try output.pause() else { return }
        } catch {
            return outputLost(error)
        }
        settle()
        // A pause is reported as a change of the timeline when the device stops, so it is not reported at the start of the fade-out.
        publishTimeline(changed: output.fadeEnd == nil)
    }

    /// Stops the device if the fade-out that it plays has been heard. Called at each underrun, because the device reports the end of a fade-out as an
    /// underrun.
    private func stopAfterFade() {
        do throws(PlaybackError) {
            if try output.stopAfterFade() { publishTimeline(changed: true) }
        } catch {
            outputLost(error)
        }
    }
}
