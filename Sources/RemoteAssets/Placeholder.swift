enum RemoteAssetsPlaceholder {}
