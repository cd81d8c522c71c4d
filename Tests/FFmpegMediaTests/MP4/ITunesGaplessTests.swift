import Testing

@testable import FFmpegMedia

@Suite("iTunes' record of encoder delay")
struct ITunesGaplessTests {
    @Test("iTunSMPB is parsed if its values are plausible")
    func gapless() {
        let note = ITunesGapless(" 00000000 00000840 000001CA 00000000003F31F6 00000000 00000000")
        #expect(note == ITunesGapless("0 840 1ca 3f31f6"))
        #expect(note?.priming == 2112 && note?.padding == 458 && note?.samples == 4_141_558)
        for bad in ["", "0 840 1ca", "0 x 1ca 3f31f6", "0 840 1ca 0", "0 FFFFFFFF 0 1", "0 840 1ca 7FFFFFFFFFFFFFFF"] {
            #expect(ITunesGapless(bad) == nil)
        }
    }
}
