import CGnuTLS
import PlaybackTesting

@testable import HTTPClient

extension ScriptedRemote: RetriedSource {}

extension TLSIdentity {
    /// The credentials of a client that trusts this certificate.
    var trust: TLSSession.Credentials {
        TLSSession.Credentials { credentials in
            var list = certificate
            return gnutls_certificate_set_x509_trust(credentials, &list, 1)
        }
    }
}
