extension Engine {
    func handle(_ event: AudioSinkEvent) {
        switch event {
        case .consumed: break
        case .underflow:
            // After the end of the last item, and after a fade-out, no frames are due.
            if wantsRunning, !output.isHeld, output.fadeEnd == nil, let last = timeline.segments.last, last.end == nil { emit(.underran) }
            stopAfterFade()
            changeRateAtJoint()
        case .lost(let error): outputLost(error)
        case .corrected: emit(.timelineChanged)
        case .changed(let description, let wasRemoved): deviceChanged(to: description, by: wasRemoved ? .removed : .moved)
        case .signal(let signal): emit(.streamSignal(signal))
        case .volumeChanged(let volume, let isMuted):
            noteVolume(volume)
            emit(.volumeChanged(volume, isMuted: isMuted))
        case .deviceVolumeChanged: emit(.deviceVolumeChanged)
        }
    }

    var plan: BufferPlan { BufferPlan(format: output.format, settings: settings) }

    func setQueueLimits() { orders.setLimits(plan.queueLimits) }

    // MARK: Opening

    /// Opens the device in the `playable` format of an item, unless it is open in this format. Each opening makes a new ring without older audio.
    func adopt(_ wanted: AudioFormat) {
        noteRefusal(of: output.format.sampleRate)
        var chosen = playable(wanted)
        let base = output.ring?.writtenFrames ?? 0
        if chosen != output.format || !output.isOpen {
            output.prepare(chosen)
            setQueueLimits()
            if output.isOpen { reopen(at: base) } else { openOutput(wantedOutput.provider, by: .opened) }
            noteRefusal(of: chosen.sampleRate)
        }
        // The speakers, and the rate after the device was asked for another one, are known only after the opening.
        chosen = wanted.playable(on: output.speakers, at: outputRate.fixed ?? output.deviceRate)
        guard output.isOpen, chosen != output.format else { return }
        output.prepare(chosen)
        setQueueLimits()
        reopen(at: base)
    }

    /// Opens an output, and keeps the position. If this fails, the open output continues, and stays the wanted one.
    func openOutput(_ provider: (any OutputProvider)?, by cause: OutputChangeCause) {
        guard let provider else { return emit(.outputFailed(PlaybackError(.outputUnavailable, "No output is available."))) }
        let candidate = wantedOutput.makeSink(provider, settings)
        // The new device continues from the first frame that the former one has not played.
        let isMove = output.isOpen
        let start = isMove ? withdrawStopping() ?? timeline.heardFrame : output.ring?.writtenFrames ?? 0
        do throws(PlaybackError) { try output.open(candidate, at: start, plan) } catch {
            guard output.isOpen, let ring = output.ring else {
                wantedOutput.replace(with: provider)
                return emit(.outputFailed(error))
            }
            rewind(to: ring.writtenFrames)
            return emit(.outputRefused(error))
        }
        wantedOutput.replace(with: provider)
        // If the device has another sample rate, the audio that was ordered is ordered again. Before the first order, `adopt` chooses the format.
        let hasAudio = isMove || !timeline.segments.isEmpty || tape.writeEnd != nil || orders.seek != nil
        // Until something was heard, the item's own format counts, and not that of the output that could not be opened.
        let own = timeline.segments.isEmpty ? lineup.current.flatMap(facts.format).map(playable) : nil
        if hasAudio, let format = own ?? formatOfDevice, format != output.format {
            change(to: format, at: start, by: cause)
            if !output.isOpen { emit(.outputFailed(PlaybackError(.outputUnavailable, "The output could not be opened at its rate."))) }
            return
        }
        outputDidOpen(by: cause)
        if isMove || !timeline.segments.isEmpty { rewind(to: start) }
    }

    /// The present format with the device's rate; nil if that is its rate already, if the device has no rate of its own, or if the user has fixed
    /// one.
    var formatOfDevice: AudioFormat? {
        guard outputRate.fixed == nil, let rate = output.deviceRate, rate != output.format.sampleRate else { return nil }
        return AudioFormat(sampleRate: rate, channelLayout: output.format.channelLayout)
    }

    /// Reacts to a move of the stream, or another format of the device. At another rate, the output is opened again, and playback continues with the
    /// first frame that was not played.
    private func deviceChanged(to description: OutputDescription, by cause: OutputChangeCause) {
        guard output.isOpen, let format = formatOfDevice, wantedOutput.rateChanges.allow(at: timeline.clock.now().hostTime) else {
            return emitOutput(description, by: cause)
        }
        // Nil means that the output is lost.
        guard let start = withdrawStopping() else { return }
        change(to: format, at: start, by: cause)
    }

    /// Orders all audio from output frame `start` on in the new format.
    func change(to format: AudioFormat, at start: Int64, by cause: OutputChangeCause) {
        let ratio = Double(format.sampleRate) / Double(output.format.sampleRate)
        timeline.changeRate(by: ratio, at: start)
        facts.changeRate(by: ratio)
        orders.changeRate(by: ratio)
        tape.removeAll()
        forgetLevel()
        output.prepare(format)
        setQueueLimits()
        do throws(PlaybackError) { try output.reopen(at: start, plan) } catch { return outputLost(error) }
        outputDidOpen(by: cause)
        readAll(from: start)
    }

    /// Orders the audio from output frame `start` on again, because no decoded audio has the present format.
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
        if let point = orders.resumePoint {
            readAgain(point.item, from: point.position)
        } else if !segment.reachesEndOfItem || settings.isReverse {
            readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded()))
        } else if let next = lineup.follower(of: segment.item), facts.isOpen(next.item) {
            readAgain(next.item, from: FrameCount.frames(of: next.startTime, sampleRate: output.format.sampleRate) ?? 0)
        } else {
            orders.orderSeek(delivery)
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

    /// Closes the lost output. The next one that is opened continues from the frame that was heard last.
    func outputLost(_ error: PlaybackError) {
        output.lose()
        emit(.outputLost(error))
    }

    func withdrawStopping() -> Int64? {
        do throws(PlaybackError) { return try output.withdrawStopping() } catch {
            outputLost(error)
            return nil
        }
    }

    // MARK: Running

    /// Starts the device if it should run and enough audio is rendered. Returns whether it was told to start.
    func startIfReady() -> Bool {
        guard wantsRunning, output.canStart, let ring = output.ring, let last = timeline.segments.last else { return false }
        let ready = Int(ring.endFrame - (output.fadeEnd ?? timeline.heardFrame))
        guard ready > 0, ready >= min(plan.primeFrames, ring.capacity / 2, plan.leadFrames / 2) || last.end != nil else { return false }
        do throws(PlaybackError) { try output.start() } catch { outputLost(error) }
        publishTimeline(changed: true)
        return true
    }

    /// Fades out the audio and then stops the device, or stops it at once if it cannot fade. The rendered frames after the fade-out are kept.
    func pause() {
        do throws(PlaybackError) {
            guard try output.pause() else { return }
        } catch {
            return outputLost(error)
        }
        settle()
        // A change is reported when the device stops, not at the start of the fade-out.
        publishTimeline(changed: output.fadeEnd == nil)
    }

    /// Stops the device after a fade-out. Called at each underrun, because the device reports the end of a fade-out as one.
    private func stopAfterFade() {
        do throws(PlaybackError) {
            if try output.stopAfterFade() { publishTimeline(changed: true) }
        } catch {
            outputLost(error)
        }
    }
}
