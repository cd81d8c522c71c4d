enum FFmpegMediaPlaceholder {}
