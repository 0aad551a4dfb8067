/// Why a server's certificate does not prove that it is the server that was asked for.
enum CertificateFault: Hashable, Sendable, CaseIterable {
    case expired
    case notYetValid
    case unknownIssuer
    case otherHost
    case other

    /// `verdict` is OpenSSL's; it has none, or an unspecified one, on names, which libcurl compares by itself.
    init(verdict: Int) {
        self =
            switch verdict {
            case 0, 1: .otherHost
            case 9: .notYetValid
            case 10: .expired
            case 2, 18...21: .unknownIssuer
            default: .other
            }
    }

    /// What is wrong and what to do, to be put behind the host's name.
    var sentence: String {
        switch self {
        case .expired:
            "has a certificate that has expired: see with 'timedatectl' whether this machine's clock is right; if it is, only whoever runs the service can renew the certificate"
        case .notYetValid: "has a certificate that is not valid yet: set this machine's clock, with 'sudo timedatectl set-ntp true'"
        case .unknownIssuer:
            "has a certificate from an issuer that this machine does not know: something on this network may pose as the service; open a web page to see whether the network wants you to log in, or try another network; if it is the same everywhere, run 'sudo apt install --reinstall ca-certificates'"
        case .otherHost:
            "has a certificate for another host: something on this network may answer in its place; open a web page to see whether the network wants you to log in, or try another network; if it is the same everywhere, check account.api_url"
        case .other: "has a certificate that cannot be accepted: check this machine's clock with 'timedatectl', and try another network"
        }
    }
}
