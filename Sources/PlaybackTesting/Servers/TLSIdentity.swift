package import CGnuTLS
import Glibc
import Platform

/// A self-signed certificate for one host name, and its key.
///
/// `@unchecked Sendable`: GnuTLS copies both values when it uses them, and nothing changes them.
package final class TLSIdentity: @unchecked Sendable {
    package let name: String
    package let certificate: gnutls_x509_crt_t?
    package let key: gnutls_x509_privkey_t?

    /// - Parameters:
    ///   - validity: The times from which and until which the certificate is valid, in seconds from now.
    ///   - others: The entries of the certificate's list of names that follow `name`, each with its kind.
    package init(_ name: String, validity: ClosedRange<Int> = -60...3600, others: [(gnutls_x509_subject_alt_name_t, [UInt8])] = []) {
        var key: gnutls_x509_privkey_t?, certificate: gnutls_x509_crt_t?
        gnutls_x509_privkey_init(&key)
        gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, 256, 0)
        gnutls_x509_crt_init(&certificate)
        gnutls_x509_crt_set_version(certificate, 3)
        gnutls_x509_crt_set_serial(certificate, [1], 1)
        gnutls_x509_crt_set_key(certificate, key)
        gnutls_x509_crt_set_activation_time(certificate, time_t(SystemWallClock().secondsSince1970) + validity.lowerBound)
        gnutls_x509_crt_set_expiration_time(certificate, time_t(SystemWallClock().secondsSince1970) + validity.upperBound)
        gnutls_x509_crt_set_dn_by_oid(certificate, "2.5.4.3", 0, name, UInt32(name.utf8.count))
        gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name, UInt32(name.utf8.count), UInt32(GNUTLS_FSAN_SET))
        for (kind, bytes) in others {
            gnutls_x509_crt_set_subject_alt_name(certificate, kind, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND))
        }
        gnutls_x509_crt_set_basic_constraints(certificate, 1, -1)
        gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0)
        self.name = name
        self.key = key
        self.certificate = certificate
    }

    deinit {
        gnutls_x509_crt_deinit(certificate)
        gnutls_x509_privkey_deinit(key)
    }

    /// The certificate as text (PEM).
    package var text: String {
        var bytes = [UInt8](repeating: 0, count: 8192), size = bytes.count
        gnutls_x509_crt_export(certificate, GNUTLS_X509_FMT_PEM, &bytes, &size)
        return String(decoding: bytes.prefix(size), as: UTF8.self)
    }
}
