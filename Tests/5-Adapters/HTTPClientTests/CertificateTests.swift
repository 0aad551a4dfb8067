import Glibc
import Platform
import TestSupport
import Testing

@testable import HTTPClient

/// Invalid certificates, presented by OpenSSL's own server.
@Suite(.onLoop, .needs(.otherPrograms), .enabled(if: access("/usr/bin/openssl", X_OK) == 0, "openssl is not installed"))
struct CertificateTests {
    @Test(arguments: CertificateFault.allCases.filter { $0 != .other })
    @LoopActor func aCertificateThatProvesNothingIsCalledWhatItIs(fault: CertificateFault) async throws {
        let (certificate, isTrusted) =
            switch fault {
            case .expired: (Self.expired, true)
            case .notYetValid: (Self.early, true)
            case .otherHost: (Self.other, true)
            default: (Self.other, false)
            }
        let folder = TemporaryFolder()
        let file = folder.path("server.pem")
        try AtomicFile.write(certificate + Self.key, to: file)
        let output = folder.path("output")
        let port = RawServer.closedPort()
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let written = try Descriptor.open(output, O_WRONLY | O_CREAT)
        let server = try Child.startTied(
            "/usr/bin/openssl", arguments: ["s_server", "-www", "-accept", "127.0.0.1:\(port)", "-cert", file, "-key", file],
            environment: [],
            descriptors: [null.number, written.number, null.number])
        defer { server.kill(SIGKILL) }
        try await waitUntil { String(decoding: try AtomicFile.read(output, limit: 10_000), as: UTF8.self).contains("ACCEPT") }
        let transport = CurlTransport(userAgent: "woodshed-tests/1", certificateAuthority: isTrusted ? file : nil)
        defer { transport.close() }
        let failure = await #expect(throws: HTTPFailure.self) {
            try await transport.send(HTTPRequest(.get, "https://localhost:\(port)/"))
        }
        #expect(failure?.kind == .refused)
        #expect(failure?.message.hasPrefix("localhost \(fault.sentence) (") == true, "\(failure?.message ?? "")")
    }

    @Test func proxyIsNamedByItsVariableAndWithoutItsPassword() {
        let variables = ["https_proxy": "http://ann:geheim@proxy.example:3128/", "ALL_PROXY": "socks5h://other"]
        let words = Proxy(for: "https") { variables[$0] }?.words
        #expect(words == "the proxy proxy.example:3128 that the environment variable https_proxy names")
        #expect(Proxy(for: "http") { variables[$0] }?.words == "the proxy other that the environment variable ALL_PROXY names")
    }

    private static let key = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIAluUJnzXPPVD7O+yIK3ZQ0AcaO/GWavkTDULmuJ14ijoAoGCCqGSM49
        AwEHoUQDQgAESvx+KCXdZhJFtzliQiUUTv5H0dWPepgyJaYKk0jLSYUb3XGgfA4W
        EQufvVJHsZjbe6AXdEQ96ZARMgCqRvS/Rg==
        -----END EC PRIVATE KEY-----

        """
    private static let expired = """
        -----BEGIN CERTIFICATE-----
        MIIBXDCCAQKgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAUMRIwEAYDVQQDDAls
        b2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARK/H4oJd1mEkW3OWJC
        JRRO/kfR1Y96mDIlpgqTSMtJhRvdcaB8DhYRC5+9UkexmNt7oBd0RD3pkBEyAKpG
        9L9Go0UwQzAUBgNVHREEDTALgglsb2NhbGhvc3QwDAYDVR0TBAUwAwEB/zAdBgNV
        HQ4EFgQUL+TcYRAz1PtfkCOo0LXWehijlLwwCgYIKoZIzj0EAwIDSAAwRQIgAM7s
        HKu7IOr+JS8/+EzNXCNZ2aGgwQ849bIg2Vp6PYsCIQDASkVb8lFwUomFp002oLe2
        RDLw/aryNTm9Iiu7L/8IGA==
        -----END CERTIFICATE-----

        """
    private static let early = """
        -----BEGIN CERTIFICATE-----
        MIIBYDCCAQagAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
        c3QwIhgPMjEyMDAxMDEwMDAwMDBaGA8yMTIxMDIwMTAwMDAwMFowFDESMBAGA1UE
        AwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESvx+KCXdZhJF
        tzliQiUUTv5H0dWPepgyJaYKk0jLSYUb3XGgfA4WEQufvVJHsZjbe6AXdEQ96ZAR
        MgCqRvS/RqNFMEMwFAYDVR0RBA0wC4IJbG9jYWxob3N0MAwGA1UdEwQFMAMBAf8w
        HQYDVR0OBBYEFC/k3GEQM9T7X5AjqNC11noYo5S8MAoGCCqGSM49BAMCA0gAMEUC
        IQCknNFWbXs8cbniTnttdESeZ8mAi119a9ah+7WeQ5wTfgIgZ7VXj1kPygIqGRs/
        qc/g8BukEPLoqX/Z2Ys4wtKwPO0=
        -----END CERTIFICATE-----

        """
    private static let other = """
        -----BEGIN CERTIFICATE-----
        MIIBaTCCARCgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1vdGhlci5l
        eGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
        VQQDDA1vdGhlci5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESvx+
        KCXdZhJFtzliQiUUTv5H0dWPepgyJaYKk0jLSYUb3XGgfA4WEQufvVJHsZjbe6AX
        dEQ96ZARMgCqRvS/RqNJMEcwGAYDVR0RBBEwD4INb3RoZXIuZXhhbXBsZTAMBgNV
        HRMEBTADAQH/MB0GA1UdDgQWBBQv5NxhEDPU+1+QI6jQtdZ6GKOUvDAKBggqhkjO
        PQQDAgNHADBEAiAzJHpPNtUAZdA0pet1telXe1RHthvKMG+x+t/sns50mQIgWteF
        csMRZ9HRPxhedf0aKrG3rd4A+jF68GcoMCHmMlQ=
        -----END CERTIFICATE-----

        """
}
