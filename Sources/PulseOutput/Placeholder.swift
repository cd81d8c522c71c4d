enum PulseOutputPlaceholder {}
