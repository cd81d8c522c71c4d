/// The withdrawal of rendered audio, and its replacement; `OutputStage` fades between the old and the new audio.
extension Engine {
    /// Takes the rendered frames back; the device plays the frames that it keeps, or stops. Returns the number of the first withdrawn frame; nil if
    /// no device is open.
    @discardableResult func withdraw() -> Int64? {
        do throws(PlaybackError) { return try output.withdraw() } catch {
            outputLost(error)
            return nil
        }
    }

    /// Renders the audio after the playhead again, with the present settings.
    func renderAgain() {
        if takeBack() { resumeRendering() }
    }

    /// Withdraws rendered audio in order to render it again. Returns false if no device is open.
    func takeBack() -> Bool {
        guard let taken = withdraw() else { return false }
        output.replace(with: .again(timeline.value))
        rewind(to: taken)
        return true
    }

    /// Renders after a withdrawal, and lets the held device continue.
    func resumeRendering() {
        _ = fill()
        settle()
        publishTimeline(changed: true)
        _ = startIfReady()
    }

    /// Lets the device continue with the replacement. If the device has played withdrawn frames meanwhile, the frames after them are rendered again.
    /// If the third attempt is too late as well, the device is stopped first.
    func settle() {
        var attempts = 1
        do throws(PlaybackError) {
            while let late = try output.release(isLastAttempt: attempts == 3) {
                attempts += 1
                putAgain(late)
            }
        } catch {
            return outputLost(error)
        }
        output.discardOld()
    }

    private func putAgain(_ late: LateSplice) {
        switch late.replacement {
        case .nothing: output.fadeAway()
        case .pause: output.pauseAgain(at: late.start)
        case .jump(let jump, let opening, let mark):
            timeline.removeAll(from: late.formerStart)
            renderer.reset()
            tape.restore(mark)
            output.expect(jump)
            if let opening { open(opening.item, media: opening.media) }
            _ = fill()
        case .again(let former):
            timeline.restore(former)
            rewind(to: late.start)
            _ = fill()
        }
    }

    /// Continues rendering at frame `taken`: the frames from there on were withdrawn, and will not be heard.
    func rewind(to taken: Int64) {
        output.rewind(to: taken)
        renderer.reset()
        if let start = awaitedStart { return begin(start) }
        guard let segment = timeline.rewind(to: taken) else { return publishTimeline(changed: true) }
        if let end = segment.end, end <= taken {
            // An order whose audio has not arrived is repeated in the present direction. Otherwise `taken` is between two items: the next one
            // follows, or in reverse playback the one that has ended is read again.
            if let point = orders.resumePoint {
                readAgain(point.item, from: point.position)
            } else if !settings.isReverse {
                tape.move(afterEndOf: segment.item)
            } else {
                readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded()))
            }
        } else {
            let media = segment.mediaFrame(at: max(taken, segment.start)).rounded()
            // Decoded audio is kept only in forward playback.
            if !settings.isReverse, segment.rate > 0, tape.rewind(to: segment.item, position: Int64(media)) {
                output.beginAgain()
                beginSegment(of: segment.item, media: media)
            } else {
                timeline.rest(on: segment.item, media: media, rate: settings.effectiveRate, at: taken)
                readAgain(segment.item, from: Int64(media))
            }
        }
        publishTimeline(changed: true)
    }

    /// Discards the audio after the end of an item, and withdraws it if it was rendered.
    func cut(after item: ItemID) {
        guard tape.truncate(after: item) else { return }
        if heardItem == item || timeline.segments.contains(where: { $0.item == item }) { renderAgain() }
    }
}
