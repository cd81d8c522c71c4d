import AVFAudio

/// Configures the audio session of a program that plays media. On Apple's systems the app delegate does this.
func configureAudioSession() {
    let audioSession = AVAudioSession.sharedInstance()
    do {
        try audioSession.setCategory(.playback, mode: .moviePlayback, options: [])
        try audioSession.setActive(true)
    } catch {
        print("Setting the category failed: \(error)")
    }
}

/// Asks a server for the addresses of stations, one a line. The module exports what that needs.
func fetchStations(from url: URL, completion: @escaping ([URL]) -> Void) {
    URLSession.shared.dataTask(with: url) { data, _, _ in
        let lines = data.map { String(decoding: $0, as: UTF8.self) }?.components(separatedBy: .newlines) ?? []
        DispatchQueue.main.async { completion(lines.compactMap(URL.init(string:))) }
    }.resume()
}

/// Controls a player, and resumes playback after an interruption of the audio session if the session recommends it.
class Transport {
    let player = AVQueuePlayer()
    private var observers: [NSObjectProtocol] = []

    init() {
        let center = NotificationCenter.default
        observers = [
            center.addObserver(forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: .main) { note in
                self.handleInterruption(note)
            },
            center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: nil) { [weak self] _ in
                self?.player.seek(to: .zero)
            },
        ]
    }

    deinit { observers.forEach(NotificationCenter.default.removeObserver) }

    func handleInterruption(_ notification: Notification) {
        guard let info = notification.userInfo, let value = info[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: value)
        else { return }
        if type == .ended, let value = info[AVAudioSessionInterruptionOptionKey] as? UInt,
            AVAudioSession.InterruptionOptions(rawValue: value).contains(.shouldResume)
        {
            player.play()
        }
    }

    func toggle() {
        switch player.timeControlStatus {
        case .playing: player.pause()
        case .paused: player.play()
        case .waitingToPlayAtSpecifiedRate: print(player.reasonForWaitingToPlay?.rawValue ?? "waiting")
        @unknown default: break
        }
    }

    func faster() {
        if player.currentItem?.canPlayFastForward == true { player.rate = 2.0 }
        player.currentItem?.audioTimePitchAlgorithm = .spectral
    }

    /// Returns the end of the first loaded time range of the current item, in seconds, for display in a view; 0 if nothing is loaded.
    func bufferedSeconds() -> Double {
        guard let range = player.currentItem?.loadedTimeRanges.first?.timeRangeValue else { return 0 }
        return CMTimeGetSeconds(CMTimeRangeGetEnd(range))
    }

    func skip(by seconds: Double) {
        let target = CMTimeAdd(player.currentTime(), CMTimeMakeWithSeconds(seconds, preferredTimescale: CMTimeScale(NSEC_PER_SEC)))
        player.seek(to: target, toleranceBefore: CMTime.zero, toleranceAfter: CMTime.zero) { finished in
            if finished { print("there") }
        }
    }

    func load(_ url: URL, completion: @escaping (Error?) -> Void) {
        let asset = AVURLAsset(url: url, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
        asset.loadValuesAsynchronously(forKeys: ["playable", "duration"]) { [weak self] in
            var error: NSError?
            switch asset.statusOfValue(forKey: "playable", error: &error) {
            case .loaded:
                DispatchQueue.main.async {
                    self?.player.insert(AVPlayerItem(asset: asset), after: nil)
                    completion(nil)
                }
            case .failed: completion(error)
            case .cancelled, .loading, .unknown: break
            @unknown default: break
            }
        }
    }
}
