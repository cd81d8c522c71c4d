/// Rendered audio that is taken back from the device, and what is put in its place. `OutputStage` says how it sounds.
extension Engine {
    /// Takes back all that the device has not taken: it plays on with what it has, or stops. Returns the number of the first frame that was taken back, nil
    /// if no device is open.
    @discardableResult func withdraw() -> Int64? {
        do throws(PlaybackError) { return try output.withdraw() } catch {
            outputLost(error)
            return nil
        }
    }

    /// Takes back what the device has not taken and renders it again, with the present settings.
    func renderAgain() {
        guard let taken = withdraw() else { return }
        output.replace(with: .again(timeline))
        rewind(to: taken)
        _ = fill()
        settle()
        publishTimeline(changed: true)
        _ = startIfReady()
    }

    /// Gives a held device what was put in place. If the device was quicker, everything is put in place again after the frames that it took; a device
    /// that is quicker three times is stopped for it.
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
            timeline.segments.removeAll { $0.start >= late.formerStart }
            renderer.reset()
            track.restore(mark)
            output.expect(jump)
            if let opening { open(opening.item, media: opening.media) }
            _ = fill()
        case .again(let timeline):
            self.timeline = timeline
            rewind(to: late.start)
            _ = fill()
        }
    }

    /// Puts rendering back to output frame `taken`: nothing behind it has been or will be heard as it was rendered.
    func rewind(to taken: Int64) {
        output.rewind(to: taken)
        renderer.reset()
        // A place before all of them is one before a jump has been heard: the sound begins with the first.
        guard let segment = stretch(soundingFrom: taken) else { return publishTimeline(changed: true) }
        timeline.segments.removeAll { $0.start >= taken && $0 != segment }
        let index = timeline.segments.count - 1
        if let end = segment.end, end <= taken {
            // Sound that has been asked for and has not come is asked for in the present direction. Between items the next start follows; backwards,
            // the item that has ended comes again.
            if let point = reading.resumePoint {
                readAgain(point.item, from: point.position)
            } else if !settings.isReverse {
                track.move(behindEndOf: segment.item)
            } else {
                readAgain(segment.item, from: Int64(segment.mediaFrame(at: end).rounded()))
            }
        } else {
            let media = segment.mediaFrame(at: max(taken, segment.start)).rounded()
            if segment.start >= taken {
                timeline.segments.removeLast()
            } else {
                timeline.segments[index].end = taken
                timeline.segments[index].reachesEndOfItem = false
            }
            // Sound is kept forwards only.
            if !settings.isReverse, segment.rate > 0, track.rewind(to: segment.item, position: Int64(media)) {
                output.beginAgain()
                appendSegment(item: segment.item, media: media)
            } else {
                // The position stays known while the feeder reads.
                if timeline.segments.isEmpty {
                    timeline.segments = [
                        Timeline.Segment(start: taken, item: segment.item, mediaStart: media, rate: settings.effectiveRate, end: taken)
                    ]
                }
                readAgain(segment.item, from: Int64(media))
            }
        }
        publishTimeline(changed: true)
    }

    /// The stretch whose sound is due at output frame `taken`.
    ///
    /// That is the one the frame lies in; but in the lead-in of a jump it is the one that the jump begins, also where one that was cut short for it, of
    /// the same item, is still remembered.
    private func stretch(soundingFrom taken: Int64) -> Timeline.Segment? {
        guard let before = timeline.segment(at: taken) else { return timeline.segments.first }
        guard let end = before.end, end <= taken, let next = timeline.segments.first(where: { $0.start > taken }), next.item == before.item else {
            return before
        }
        return next
    }
}
