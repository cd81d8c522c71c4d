extension RemoteAPI {
    /// The routes, one for each operation in openapi.yaml, except the WebSocket. HEAD uses the route of GET; OPTIONS is answered from the methods
    /// of the path.
    static func routes(
        access: AccessController, player: PlayerController, item: ItemController, queue: QueueController, library: LibraryController,
        media: MediaController, lyrics: LyricsController, sound: SoundController, events: EventController, service: ServiceController,
        metrics: MetricsController, web: WebController
    ) -> [Route] {
        [
            Route("GET", "/api/v1/player", "getPlayer", parameters: ["wait"], player.state),
            Route("PATCH", "/api/v1/player", "updatePlayer", body: .required, player.update),
            Route("GET", "/api/v1/player/time", "getPlayerTime", player.time),
            Route("GET", "/api/v1/clock", "getClock", service.clock),

            Route("GET", "/api/v1/player/item", "getItem", item.current),
            Route("PUT", "/api/v1/player/item", "putItem", body: .required, parameters: ["wait"], item.put),

            Route("POST", "/api/v1/player/play", "play", body: .optional, player.play),
            Route("POST", "/api/v1/player/pause", "pause", body: .optional, player.pause),
            Route("POST", "/api/v1/player/toggle", "toggle", body: .optional, player.toggle),
            Route("POST", "/api/v1/player/seek", "seek", body: .required, player.seek),
            Route("POST", "/api/v1/player/skip", "skip", body: .required, player.skip),
            Route("PUT", "/api/v1/player/loop", "setLoop", body: .required, player.setLoop),
            Route("DELETE", "/api/v1/player/loop", "clearLoop", player.clearLoop),
            Route("POST", "/api/v1/player/volume", "changeVolume", body: .required, player.changeVolume),

            Route("GET", "/api/v1/queue", "getQueue", parameters: ["offset", "limit", "around", "order"], hasLargeAnswer: true, queue.list),
            Route("PUT", "/api/v1/queue", "putQueue", body: .required, hasLargeAnswer: true, queue.replace),
            Route("POST", "/api/v1/queue", "addToQueue", body: .required, hasLargeAnswer: true, queue.add),
            Route("DELETE", "/api/v1/queue", "clearQueue", queue.clear),
            Route("POST", "/api/v1/queue/next", "nextEntry", body: .optional, queue.next),
            Route("POST", "/api/v1/queue/previous", "previousEntry", body: .optional, queue.previous),
            Route("POST", "/api/v1/queue/remove", "removeEntries", body: .required, queue.removeEntries),
            Route("POST", "/api/v1/queue/move", "moveEntries", body: .required, queue.moveEntries),
            Route("POST", "/api/v1/queue/clear-upcoming", "clearUpcoming", body: .optional, queue.clearUpcoming),
            Route("POST", "/api/v1/queue/undo", "undoEdit", body: .optional, queue.undo),
            Route("POST", "/api/v1/queue/redo", "redoEdit", body: .optional, queue.redo),
            Route("DELETE", "/api/v1/queue/{id}", "removeEntry", queue.remove),
            Route("POST", "/api/v1/queue/{id}/move", "moveEntry", body: .required, queue.move),
            Route("POST", "/api/v1/queue/{id}/play", "playEntry", body: .optional, queue.play),

            Route("GET", "/api/v1/items/{id}", "getItemDetails", hasLargeAnswer: true, media.details),
            Route("GET", "/api/v1/items/{id}/artwork", "getArtwork", parameters: ["size", "epoch"], hasLargeAnswer: true, item.artwork),
            Route("GET", "/api/v1/items/{id}/chapters", "getChapters", hasLargeAnswer: true, media.chapters),
            Route("GET", "/api/v1/items/{id}/lyrics", "getLyrics", hasLargeAnswer: true, lyrics.lyrics),
            Route("GET", "/api/v1/items/{id}/waveform", "getWaveform", parameters: ["from", "to", "points", "wait"], media.waveform),
            Route("GET", "/api/v1/assets", "getAsset", parameters: ["url", "keys"], media.asset),
            Route(
                "GET", "/api/v1/library", "listLibrary", parameters: ["path", "after", "offset", "limit", "wait"], hasLargeAnswer: true, library.list),
            Route("GET", "/api/v1/library/artwork", "getLibraryArtwork", parameters: ["path", "size"], hasLargeAnswer: true, library.artwork),

            Route("GET", "/api/v1/outputs", "listOutputs", sound.outputs),
            Route("PATCH", "/api/v1/outputs/{output}", "updateOutput", body: .required, sound.updateOutput),
            Route("PUT", "/api/v1/output", "setOutput", body: .required, sound.setOutput),
            Route("GET", "/api/v1/sleep-timer", "getSleepTimer", sound.sleepTimer),
            Route("PUT", "/api/v1/sleep-timer", "setSleepTimer", body: .required, sound.setSleepTimer),
            Route("DELETE", "/api/v1/sleep-timer", "cancelSleepTimer", sound.cancelSleepTimer),

            Route("POST", "/api/v1/login", "logIn", body: .required, isOpen: true, maximumBodyLength: 1024, access.open),
            Route("DELETE", "/api/v1/login", "logOut", isOpen: true, access.close),
            Route("GET", "/api/v1/events", "getEvents", parameters: ["tick", "types", "state", "lastEventId"], events.events),

            Route("GET", "/api/v1", "getServer", isOpen: true, service.server),
            Route("GET", "/healthz", "getHealth", isOpen: true, service.health),
            Route("GET", "/readyz", "getReadiness", isOpen: true, service.ready),
            Route("GET", "/metrics", "getMetrics", metrics.text),
            Route("GET", "/openapi.yaml", "getContract", isOpen: true, service.contract),
            Route("GET", "/openapi.json", "getContractAsJSON", isOpen: true, service.contractAsJSON),
            Route("GET", "/", "getWebRemote", isOpen: true, web.page),
        ]
    }

    /// The route of the WebSocket, whose commands are the operations of the other routes.
    static func socketRoute(_ socket: SocketController) -> Route {
        Route("GET", "/api/v1/socket", "getSocket", parameters: ["tick", "types", "state", "lastEventId"], socket.open)
    }
}
