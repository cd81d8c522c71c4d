enum AVFoundationPlaceholder {}
