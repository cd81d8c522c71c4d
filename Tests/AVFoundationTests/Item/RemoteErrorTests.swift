import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Errors of remote media") @MainActor struct RemoteErrorTests {
    let rig = ScriptedRig()

    @Test(
        "each reason of a failure is Apple's URLError, with the sentence, the advice and the cause (R-KEY-12)",
        arguments: [
            (PlaybackError.Reason.hostNotFound, URLError.Code.cannotFindHost), (.cannotConnect, .cannotConnectToHost),
            (.connectionLost, .networkConnectionLost), (.noAnswer, .timedOut), (.badResponse, .badServerResponse),
            (.unavailable, .resourceUnavailable), (.changed, .resourceUnavailable), (.tooManyRedirects, .httpTooManyRedirects),
            (.secureConnectionFailed, .secureConnectionFailed), (.certificateInvalid, .serverCertificateUntrusted),
            (.certificateExpired, .serverCertificateHasBadDate), (.certificateNotYetValid, .serverCertificateNotYetValid),
            (.certificateUnknownIssuer, .serverCertificateHasUnknownRoot),
        ])
    func reasons(_ reason: PlaybackError.Reason, _ code: URLError.Code) {
        let cause = PlaybackError(.network, "It failed.", reason: reason)
        rig.add("remote", ScriptedMedium(seconds: 5, failure: cause))
        let item = rig.item(of: "remote"), player = rig.player(item)
        rig.run()
        let error = item.error as? URLError
        #expect(error?.code == code && item.error?.localizedDescription == "It failed.")
        #expect(error?.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String == reason.advice)
        #expect(error?.userInfo[NSUnderlyingErrorKey] as? PlaybackError == cause)
        #expect((item.error as NSError?)?.domain == NSURLErrorDomain)
        _ = player
    }

    @Test(
        "errors of the location are Apple's URLError too (R-KEY-12)",
        arguments: [
            (PlaybackError(.fileNotFound, "a"), URLError.Code.fileDoesNotExist), (PlaybackError(.notAFile, "a"), .fileIsDirectory),
            (PlaybackError(.permissionDenied, "a"), .noPermissionsToReadFile), (PlaybackError(.emptyFile, "a"), .zeroByteResource),
            (PlaybackError(.permissionDenied, "a", reason: .authenticationRequired), .userAuthenticationRequired),
            (PlaybackError(.unsupportedScheme, "a"), .unsupportedURL), (PlaybackError(.network, "a"), .cannotConnectToHost),
        ])
    func locations(_ cause: PlaybackError, _ code: URLError.Code) async {
        rig.add("remote", ScriptedMedium(seconds: 5, failure: cause))
        let asset = rig.asset(of: "remote")
        await #expect { try await asset.load(.duration) } throws: { ($0 as? URLError)?.code == code }
    }

    @Test("a connection lost while playing is the URLError of the notification and of the item (R-KEY-12, R-NOTE-03)")
    func lost() {
        let item = rig.item("a"), player = rig.player(item)
        player.play()
        rig.advance(1)
        let heard = Recorder()
        let token = NotificationCenter.default.addObserver(forName: AVPlayerItem.failedToPlayToEndTimeNotification, object: item, queue: nil) {
            heard.add("\(($0.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? URLError)?.code.rawValue ?? 0)")
        }
        let engine = rig.engine
        engine.cutTimeline(after: 500, isFinal: true)
        let cause = PlaybackError(.network, "The connection to the server was lost.", reason: .connectionLost)
        engine.emit(.failed(engine.currentItem ?? ItemID(rawValue: 0), cause))
        rig.advance(1)
        #expect(heard.log == ["-1005"])
        #expect((item.error as? URLError)?.code == .networkConnectionLost)
        NotificationCenter.default.removeObserver(token)
    }
}
