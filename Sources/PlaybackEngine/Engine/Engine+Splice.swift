/// Where sound does not go on as it was going: what was to follow fades out over 5 ms, what comes fades in, and no frame that was asked for is touched.
///
/// A **jump** (a seek, another item, another direction) has a lead-in: the first 5 ms of the new sound, mirrored about its first frame, fade in under
/// the old sound that fades out. Then the frame that was asked for follows at full level. Mirrored, because the sound from before that frame must not
/// be heard; so no step is larger than those of the sound itself, and the blend is never louder than the louder of the two. The timeline begins with
/// the frame asked for; until it is heard, the position rests there. An item that begins at its start has no lead-in.
///
/// Where the **same** sound goes on (another rate, other items to follow), the old rendering is cross-faded into the new one.
///
/// A **pause** lets the next 5 ms fade out, and stops the device when they have been heard; what follows them fades in when it goes on. Each frame is
/// heard once.
extension Engine {
    /// The frames of a ramp: 5 ms; none where sound is not for ears.
    var rampFrames: Int { fadesIn ? format.sampleRate / 200 : 0 }

    /// The weight of what comes, at frame `index` of `count`; what goes has the rest. Never 0 or 1: no frame of a pause is lost.
    static func fadeIn(_ index: Int, of count: Int) -> Float { (Float(index) + 0.5) / Float(count) }

    /// Frames that were taken back from the device, and what is to be in their place.
    struct Splice {
        enum Kind {
            /// Nothing, for now.
            case away
            /// The same, faded out.
            case pause
            /// Sound from elsewhere; `opening`, where it is known already with which position it begins.
            case jump(Jump, opening: (item: ItemID, media: Double)?, mark: Track.Mark)
            /// The same sound, rendered again. The timeline as it was before.
            case again(Timeline)
        }
        var start: Int64
        var old: OldSound
        var kind: Kind
    }

    /// What would have been heard from a frame on: a short piece of it.
    struct OldSound {
        var start: Int64 = 0
        var samples: [Float] = []
        var channelCount = 1

        /// How much of it is known from `frame` on.
        func count(from frame: Int64) -> Int { max(0, samples.count / channelCount - Int(frame - start)) }
        func sample(_ frame: Int64, _ channel: Int) -> Float {
            let index = Int(frame - start) * channelCount + channel
            return samples.indices.contains(index) ? samples[index] : 0
        }
    }

    /// Where new sound is to begin.
    enum Jump {
        /// At the start of an item: untouched, from its first frame.
        case atStart
        /// Elsewhere.
        case inside
    }

    /// Sound that has been written but is not complete before its first 5 ms are there.
    struct Joint {
        /// The first frame of the new sound.
        var sound: Int64
        /// The frames before it await a lead-in; otherwise the new sound itself is blended with the old.
        var hasLeadIn: Bool
        var old: OldSound
    }

    // MARK: Taking back

    /// Takes back all that the device has not taken: it plays on what it has, or stops. Returns the first frame's number, nil where no device is open.
    @discardableResult func withdraw() -> Int64? {
        guard let sink, let ring else { return nil }
        joint = nil
        if isHeld, let splice {
            fadingUntil = nil
            ring.reset(to: splice.start)
            return splice.start
        }
        if let fadingUntil {
            // What fades out is left to the device.
            ring.truncate(to: fadingUntil)
            return fadingUntil
        }
        let wasRunning = isStarted
        do throws(PlaybackError) {
            let start: Int64
            if wasRunning, fadesIn, let held = try sink.hold() {
                isHeld = true
                start = held
            } else {
                isStarted = false
                start = try sink.flush()
            }
            let kept = wasRunning && fadesIn ? min(ring.keptFrames, 5 * rampFrames) : 0
            let old = OldSound(start: start, samples: ring.copy(from: start, count: kept), channelCount: ring.channelCount)
            splice = Splice(start: start, old: old, kind: .away)
            return start
        } catch {
            outputLost(error)
            return nil
        }
    }

    /// Stops the device and takes back all that it has not taken.
    func withdrawStopping() -> Int64? {
        guard let sink else { return nil }
        forgetSplice()
        isStarted = false
        do throws(PlaybackError) { return try sink.flush() } catch {
            outputLost(error)
            return nil
        }
    }

    /// The device that all this was about is gone, or begins anew.
    func forgetSplice() {
        (isHeld, splice, joint, fadingUntil) = (false, nil, nil, nil)
        ring?.isHeldBack = false
    }

    // MARK: Putting in place

    /// Lets what was taken back fade out, and the device stop when that has been heard.
    func fadeAway() {
        guard isHeld, let ring, let splice, fadingUntil == nil else { return }
        layTail(min(rampFrames, splice.old.count(from: splice.start)))
        fadingUntil = ring.endFrame
    }

    /// New sound begins: the old one fades out before it, and room is left for its lead-in.
    func beginJump(_ jump: Jump) {
        guard let ring else { return }
        let old = splice?.old ?? OldSound()
        let tail = fadingUntil == nil ? min(rampFrames, old.count(from: ring.endFrame)) : 0
        switch jump {
        case .atStart: layTail(tail)
        case .inside:
            guard rampFrames > 0 else { return }
            layTail(tail)
            ring.reserve(rampFrames - tail)
            joint = Joint(sound: ring.endFrame, hasLeadIn: true, old: OldSound())
            ring.isHeldBack = true
        }
    }

    /// The same sound goes on in another rendering.
    func beginAgain() {
        guard let ring, rampFrames > 0 else { return }
        let old = splice?.old ?? OldSound()
        guard beginsFaded || old.count(from: ring.endFrame) > 0 else { return }
        joint = Joint(sound: ring.endFrame, hasLeadIn: false, old: beginsFaded ? OldSound() : old)
        ring.isHeldBack = true
    }

    /// Writes old sound that fades out.
    private func layTail(_ count: Int) {
        guard let ring, count > 0, let old = splice?.old else { return }
        let start = ring.endFrame
        ring.isHeldBack = true
        ring.reserve(count)
        for offset in 0..<count {
            let samples = ring.pointer(to: start + Int64(offset))
            for channel in 0..<ring.channelCount {
                samples[channel] = old.sample(start + Int64(offset), channel) * (1 - Self.fadeIn(offset, of: rampFrames))
            }
        }
    }

    /// Completes the beginning of new sound as soon as enough of it is there, or with what there is.
    func finishJoint(isAllThereIs: Bool = false) {
        guard let open = joint, let ring else { return }
        let ready = Int(ring.endFrame - open.sound)
        let count = rampFrames
        guard ready > count || isAllThereIs else { return }
        joint = nil
        guard ready > 0 else { return }
        for offset in 0..<count {
            if open.hasLeadIn {
                let samples = ring.pointer(to: open.sound - Int64(count - offset))
                let mirrored = ring.pointer(to: open.sound + Int64(min(count - offset, ready - 1)))
                for channel in 0..<ring.channelCount { samples[channel] += mirrored[channel] * Self.fadeIn(offset, of: count) }
            } else if offset < ready {
                let frame = open.sound + Int64(offset)
                let samples = ring.pointer(to: frame)
                for channel in 0..<ring.channelCount {
                    // In this form, so that equal samples stay what they are to the bit.
                    let old = open.old.sample(frame, channel)
                    samples[channel] = old + (samples[channel] - old) * Self.fadeIn(offset, of: count)
                }
            }
        }
    }

    /// Shows the device what is complete, unless it is to stop before that.
    func publishFrames() {
        guard let ring else { return }
        if let fadingUntil {
            ring.isHeldBack = true
            ring.publish(upTo: fadingUntil)
        } else {
            ring.isHeldBack = joint != nil || isHeld
            if !ring.isHeldBack { ring.publish() }
        }
    }

    /// Gives a device that was held what has been put in place. Where it was quicker than we were, everything is put in place again behind what it took;
    /// one that is quicker again and again is stopped for it.
    func settle() {
        var attempts = 0
        while isHeld, let held = splice, let sink {
            finishJoint(isAllThereIs: true)
            isHeld = false
            publishFrames()
            do throws(PlaybackError) {
                let taken = try sink.replace(from: held.start)
                guard taken > held.start else { break }
                attempts += 1
                isHeld = attempts < 3
                if !isHeld { isStarted = false }
                putAgain(held, at: isHeld ? taken : try sink.flush())
            } catch {
                return outputLost(error)
            }
        }
        if joint == nil, !isHeld { splice = nil }
    }

    private func putAgain(_ former: Splice, at start: Int64) {
        guard let ring else { return }
        joint = nil
        fadingUntil = nil
        ring.isHeldBack = true
        splice = Splice(start: start, old: former.old, kind: former.kind)
        switch former.kind {
        case .away: fadeAway()
        case .pause:
            // The first 5 ms of what is kept have been faded out where they lay.
            beginsFaded = isHeld
            for frame in start..<(start + Int64(former.old.count(from: start))) {
                for channel in 0..<ring.channelCount { ring.pointer(to: frame)[channel] = former.old.sample(frame, channel) }
            }
            layPause()
        case .jump(let kind, let opening, let mark):
            timeline.segments.removeAll { $0.start >= former.start }
            renderer.reset()
            track.restore(mark)
            jump = kind
            if let opening { open(opening.item, media: opening.media) }
            _ = fill()
        case .again(let timeline):
            self.timeline = timeline
            rewind(to: start)
            _ = fill()
        }
    }

    /// Begins a stretch of an item, after a jump or joined to what there is.
    func open(_ item: ItemID, media: Double) {
        if let jump {
            self.jump = nil
            beginsFaded = false
            beginJump(jump)
        }
        appendSegment(item: item, media: media)
    }

    // MARK: Pausing

    /// Lets the sound fade out, or stops it at once where the device holds too much to be told in time. What follows is kept.
    func pause() {
        guard isStarted, fadingUntil == nil, let sink, let ring else { return }
        finishJoint(isAllThereIs: true)
        publishFrames()
        do throws(PlaybackError) {
            guard fadesIn, let start = try sink.hold() else { return stopDevice() }
            let count = min(ring.keptFrames, 5 * rampFrames)
            splice = Splice(
                start: start, old: OldSound(start: start, samples: ring.copy(from: start, count: count), channelCount: ring.channelCount),
                kind: .pause)
        } catch {
            return outputLost(error)
        }
        isHeld = true
        beginsFaded = true
        layPause()
        settle()
        // Where it comes to rest is told when it does.
        publishTimeline(changed: fadingUntil == nil)
    }

    private func layPause() {
        guard let ring else { return }
        let start = ring.endFrame
        let count = min(rampFrames, ring.keptFrames)
        ring.takeUp(.max)
        guard isHeld else { return publishFrames() }
        ring.isHeldBack = true
        ring.scale(from: start, count: count) { 1 - Self.fadeIn($0, of: rampFrames) }
        fadingUntil = start + Int64(count)
    }

    /// The device ran dry: what faded out has been heard, where that was the reason.
    func deviceRanDry() {
        guard let end = fadingUntil, playbackClock.now().frame >= end else { return }
        stopDevice()
        endFade()
    }

    /// What follows what has faded out may be taken by the device.
    func endFade() {
        guard let end = fadingUntil else { return }
        fadingUntil = nil
        if beginsFaded, joint == nil {
            joint = Joint(sound: end, hasLeadIn: false, old: OldSound())
            finishJoint()
        }
        publishFrames()
        sink?.sourceDidFill()
        publishTimeline(changed: true)
    }
}
