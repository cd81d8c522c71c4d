import AVFoundation
import CoreMedia
import Platform
import PlaybackEngine

/// The files of opened entries that are not there (`AbsentEntries`).
@MainActor final class AbsentMedia {
    /// Nil if files that cannot be opened fail at once.
    let presence: (any MediaPresence)?
    private var entries = AbsentEntries()
    /// The ends of the time in which a look is expected to be answered.
    private var patience: [String: any ScheduledAction] = [:]

    init(_ presence: (any MediaPresence)?) { self.presence = presence }

    func isAway(_ id: String) -> Bool { entries.isAway(id) }

    func decide(_ body: (inout AbsentEntries) -> [AbsentEntries.Effect]) -> [AbsentEntries.Effect] { body(&entries) }

    func forget(_ id: String) {
        didAnswer(id)
        entries.forget(id)
    }

    /// - Parameter end: Calls `lookIsSlow`, unless the look is answered before.
    func expectAnswer(_ id: String, before end: any ScheduledAction) {
        didAnswer(id)
        patience[id] = end
    }

    func didAnswer(_ id: String) { patience.removeValue(forKey: id)?.cancel() }

    func lookIsSlow(_ id: String) {
        didAnswer(id)
        entries.lookIsSlow(id)
    }
}

extension PlaylistPlayer {
    /// The time in which a look is answered by a disk or share that is there, in seconds.
    private static let lookPatience = 1.0

    /// Holds an item whose file may be away. Returns whether it is held.
    func holdFailed(_ item: AVPlayerItem, _ error: PlaybackError) -> Bool {
        guard absentMedia.presence != nil, error.mayBeAbsence, let queued = loader.queued.first(where: { $0.item === item }),
            let entry = playlist.entry(queued.id), case .file = entry.spec.source.location
        else { return false }
        carryOut(absentMedia.decide { $0.failed(queued.id, with: error, at: item.currentTime().seconds) })
        return true
    }

    /// Looks for the files that are away.
    func lookForAbsent() { carryOut(absentMedia.decide { $0.lookAgain() }) }

    /// Looks for the files that were not found when their entries were added. If a file is away, its entry is not skipped.
    func lookForNotFound(_ entries: [PlaylistEntry]) {
        guard let presence = absentMedia.presence else { return }
        // One file stands for all of its folder.
        var idsByFolder: [FilePath: (file: FilePath, ids: [String])] = [:]
        for entry in entries where entry.spec.failure?.code == .fileNotFound {
            guard case .file(let path) = entry.spec.source.location else { continue }
            let folder = FilePath(bytes: path.bytes.prefix(1 + (path.bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0)))
            idsByFolder[folder, default: (path, [])].ids.append(entry.id)
        }
        let scheduler = environment.scheduler
        for (file, ids) in idsByFolder.values {
            presence.look(for: file) { [weak self] found in
                guard case .away = found else { return }
                scheduler.async { [weak self] in self?.forgetFailures(of: ids) }
            }
        }
    }

    private func forgetFailures(of ids: [String]) {
        guard !isShutDown else { return }
        for id in ids where playlist.index(of: id) != nil { model.forgetFailure(of: id) }
        loader.fill()
    }

    private func carryOut(_ effects: [AbsentEntries.Effect]) {
        guard let presence = absentMedia.presence else { return }
        let scheduler = environment.scheduler
        for effect in effects {
            switch effect {
            case .look(let id):
                guard let entry = playlist.entry(id), case .file(let path) = entry.spec.source.location else { continue }
                let end = scheduler.schedule(at: environment.clock.now + Self.lookPatience) { [weak self] in self?.lookIsSlow(id) }
                absentMedia.expectAnswer(id, before: end)
                presence.look(for: path) { [weak self] found in scheduler.async { [weak self] in self?.found(found, of: id) } }
            case .wait(let folder):
                presence.wait(forChangeIn: folder) { [weak self] in scheduler.async { [weak self] in self?.didChange(folder) } }
            case .retry(let id): if let item = loader.item(of: id) { player.retry(item) }
            case .fail(let id, let error): if let item = loader.item(of: id) { player.giveUp(item, error) }
            }
        }
    }

    private func found(_ presence: Presence, of id: String) {
        guard !isShutDown else { return }
        absentMedia.didAnswer(id)
        guard let item = loader.item(of: id), item.isHeld else { return absentMedia.forget(id) }
        let isCurrent = id == loader.current?.id
        carryOut(absentMedia.decide { $0.found(presence, of: id, isCurrent: isCurrent) })
        publishAbsence(of: id)
    }

    private func lookIsSlow(_ id: String) {
        guard !isShutDown, let item = loader.item(of: id), item.isHeld else { return absentMedia.forget(id) }
        absentMedia.lookIsSlow(id)
        publishAbsence(of: id)
    }

    private func publishAbsence(of id: String) {
        let isAway = id == loader.current?.id && absentMedia.isAway(id)
        let isNews = isAway && publisher.published.reasonForWaitingToPlay != .mediaUnavailable
        if isNews { publisher.note(.mediaUnavailable) } else { publisher.scheduleUpdate() }
    }

    private func didChange(_ folder: FilePath) {
        guard !isShutDown else { return }
        carryOut(absentMedia.decide { $0.changed(folder) })
    }
}
