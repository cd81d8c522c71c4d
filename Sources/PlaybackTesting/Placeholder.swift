enum PlaybackTestingPlaceholder {}
