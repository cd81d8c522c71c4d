import Testing

@testable import Platform

/// The dates of mail and of RSS.
@Suite struct RFC5322Tests {
    @Test(
        "a date of RFC 5322 is read, also in the obsolete forms of RFC 822",
        arguments: [
            ("Wed, 02 Oct 2002 13:00:00 GMT", "2002-10-02T13:00:00Z"), ("Wed, 02 Oct 2002 15:00:00 +0200", "2002-10-02T13:00:00Z"),
            ("02 Oct 2002 13:00 UT", "2002-10-02T13:00:00Z"), ("2 oct 2002 08:00:00 EST", "2002-10-02T13:00:00Z"),
            ("Wed, 02 Oct 02 09:00:00 EDT", "2002-10-02T13:00:00Z"), ("02 Oct 2002 07:00 CST", "2002-10-02T13:00:00Z"),
            ("02 Oct 2002 08:00 CDT", "2002-10-02T13:00:00Z"), ("02 Oct 2002 06:00 MST", "2002-10-02T13:00:00Z"),
            ("02 Oct 2002 07:00 MDT", "2002-10-02T13:00:00Z"), ("02 Oct 2002 05:00 PST", "2002-10-02T13:00:00Z"),
            ("02 Oct 2002 06:00 pdt", "2002-10-02T13:00:00Z"), ("02 Oct 2002 13:00 A", "2002-10-02T13:00:00Z"),
            ("02 Oct 2002 13:00 CEST", "2002-10-02T13:00:00Z"), ("Wednesday, 2 October 2002 13:00:00 Z", "2002-10-02T13:00:00Z"),
            ("Wed 02 Oct 2002 13:00:00", "2002-10-02T13:00:00Z"),
            ("  Wed ,\n 02\tOct  2002 13:00:00 -0000 (comment (nested))", "2002-10-02T13:00:00Z"),
            ("02 Oct 2002 18:30 +05:30", "2002-10-02T13:00:00Z"), ("21 Nov 97 09:55:06 -0600", "1997-11-21T15:55:06Z"),
            ("1 Jan 49 00:00 GMT", "2049-01-01T00:00:00Z"), ("1 Jan 50 00:00 GMT", "1950-01-01T00:00:00Z"),
            ("1 Jan 103 00:00 GMT", "2003-01-01T00:00:00Z"), ("29 Feb 2020 23:59:60 GMT", "2020-03-01T00:00:00Z"),
        ])
    func dates(_ text: String, _ date: String) { #expect(RFC5322.seconds(text.utf8) == RFC3339.seconds(date)) }

    @Test(
        "a text that is no date is refused",
        arguments: [
            "", "Wed,", "02 Oct 2002", "32 Oct 2002 13:00 GMT", "0 Oct 2002 13:00 GMT", "29 Feb 2021 13:00 GMT", "02 Okt 2002 13:00 GMT",
            "02 Oct 2002 24:00 GMT", "02 Oct 2002 13:60 GMT", "02 Oct 2002 13:00:61 GMT", "02 Oct 2002 13 GMT", "02 Oct 20021 13:00 GMT",
            "02 Oct 2 13:00 GMT", "02 Oct 2002 13:00 +2", "02 Oct 2002 13:00 +9900", "2002-10-02T13:00:00Z", "02 Oct 2002 -1:00 GMT",
            "99999999999999999999 Oct 2002 13:00 GMT", "((((", "02 Oct 2002 13:00 GMT" + String(repeating: " ", count: 128),
        ])
    func refused(_ text: String) { #expect(RFC5322.seconds(text.utf8) == nil) }
}
