@testable import RemoteControl

extension ProblemCode {
    /// All codes of problems, which the tests compare with openapi.yaml.
    static let all: [ProblemCode] = [
        lengthRequired, targetTooLong, expectationFailed, headTooLarge,
        malformedRequest, malformedJSON, unknownMember, missingMember, wrongType, outOfRange, invalidValue, unknownParameter, invalidParameter,
        unexpectedBody, unauthorized, tooManyFailures, requestInProgress, idempotencyKeyReused, outputUnavailable,
        waveformNotReady, outputNotFound, noWaveform, outputWithoutVolume, forbiddenHost, forbiddenOrigin,
        crossSite,
        outsideMediaRoots, notFound, itemNotFound, entryNotFound, artworkNotFound, artworkNotScalable, lyricsNotFound,
        fileNotFound,
        methodNotAllowed, noCurrentItem, itemNotReady, notSeekable, itemReplaced, noNextEntry, noPreviousEntry, nothingToUndo, nothingToRedo,
        preconditionFailed, commandExpired, currentEntryChanged, bodyTooLarge,
        unsupportedMediaType,
        unsupportedScheme, unplayableFile, textTooLong, seekOutOfRange, startOutOfRange, alreadyPlaying, loopTooShort, rateNotPlayable,
        tooManyEntries, queueTooLarge, itemFailed, upgradeRequired,
        tooManyIntervals,
        tooManyRequests, serverBusy, notReady,
    ]
}
