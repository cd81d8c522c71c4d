extension AudioSessionState {
    /// The reason of an interruption (R-INT-04).
    public enum InterruptionReason: String, Sendable, Hashable, CaseIterable {
        case `default`, appWasSuspended, builtInMicMuted, routeDisconnected
    }

    /// The reason of a change of the audio route (R-ROUTE-01).
    public enum RouteChangeReason: String, Sendable, Hashable, CaseIterable {
        case unknown, newDeviceAvailable, oldDeviceUnavailable, categoryChange, override, wakeFromSleep, noSuitableRouteForCategory
        case routeConfigurationChange
    }
}
