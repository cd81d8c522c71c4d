/// The withdrawal of rendered audio from the device, and its replacement. `OutputStage` describes the transitions between the old and the new audio.
extension Engine {
    /// Withdraws all frames that can still be replaced. The device continues to play the frames that it keeps, or stops. Returns the number of the
    /// first withdrawn frame, nil if no device is open.
    @discardableResult func withdraw() -> Int64? {
        do throws(PlaybackError) { return try output.withdraw() } catch {
            outputLost(error)
            return nil
        }
    }

    /// Withdraws the frames that can still be replaced, and renders them again with the present settings.
    func renderAgain() {
        if takeBack() { resumeRendering() }
    }

    /// Withdraws the frames that can still be replaced, and rewinds rendering to the first of them. Returns false if no device is open.
    func takeBack() -> Bool {
        guard let taken = withdraw() else { return false }
        output.replace(with: .again(timeline.value))
        rewind(to: taken)
        return true
    }

    /// Renders audio after a withdrawal, releases the device, and publishes the new timeline.
    func resumeRendering() {
        _ = fill()
        settle()
        publishTimeline(changed: true)
        _ = startIfReady()
    }

    /// Releases a held device, which continues with the replacement of the withdrawn frames.
    ///
    /// If the device has played withdrawn frames in the meantime, the replacement is rendered again for the frames after them. If three attempts to
    /// release the device were too late, the device is stopped for the replacement.
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
            track.restore(mark)
            output.expect(jump)
            if let opening { open(opening.item, media: opening.media) }
            _ = fill()
        case .again(let former):
            timeline.restore(former)
            rewind(to: late.start)
            _ = fill()
        }
    }

    /// Rewinds rendering to output frame `taken`. The rendered frames from number `taken` on were withdrawn from the device, and will not be heard.
    func rewind(to taken: Int64) {
        output.rewind(to: taken)
        renderer.reset()
        if let start = awaitedStart { return begin(start) }
        guard let segment = timeline.rewind(to: taken) else { return publishTimeline(changed: true) }
        if let end = segment.end, end <= taken {
            // Audio that was ordered from the feeder and has not arrived is ordered again, in the present direction of playback. If no ordered audio
            // is missing, frame `taken` is between two items: in forward playback, the start of the next item follows. In reverse playback, the item
            // that has ended is read again.
            if let point = reading.resumePoint {
                readAgain(point.item, from: point.position)
            } else if !settings.isReverse {
                track.move(afterEndOf: segment.item)
            } else {
                readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded()))
            }
        } else {
            let media = segment.mediaFrame(at: max(taken, segment.start)).rounded()
            // The track keeps rendered audio only during forward playback.
            if !settings.isReverse, segment.rate > 0, track.rewind(to: segment.item, position: Int64(media)) {
                output.beginAgain()
                beginSegment(of: segment.item, media: media)
            } else {
                timeline.rest(on: segment.item, media: media, rate: settings.effectiveRate, at: taken)
                readAgain(segment.item, from: Int64(media))
            }
        }
        publishTimeline(changed: true)
    }

    /// Discards the decoded audio after the end of an item. If audio after the end of the item was already rendered, the engine withdraws it from the
    /// device.
    func cut(after item: ItemID) {
        track.forgetCrossfadeDecision()
        guard track.truncate(after: item) else { return }
        if heardItem == item || timeline.segments.contains(where: { $0.item == item }) { renderAgain() }
    }
}
