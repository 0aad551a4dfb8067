import BandLayout
import Model
import Platform

/// Explains a server's answers about a band's place, for people.
struct StorageAnswer {
    let place: String
    let host: String
    let isSigned: Bool

    /// The trouble when no answer arrives.
    func trouble(_ failure: HTTPFailure) -> Trouble {
        switch failure.kind {
        case .ledAway:
            Trouble(
                .away,
                "not an answer of the band's place: \(failure.message), where nothing is sent. If this network requires a log-in, log in with a "
                    + "web browser; if the place has moved, join it at its new address")
        case .cancelled: Trouble(.away, "cancelled")
        case .tooLarge: Trouble("\(host) sends more than the band's files can have")
        case .unreachable, .interrupted, .refused: Trouble(.away, "\(failure.message)")
        }
    }

    /// The trouble that an answer reports. The answer arrived at the time `now`, in reply to a request to do `what`, which was sent
    /// with a key if this device has one.
    func trouble(_ response: HTTPResponse, at now: Timestamp, hasKey: Bool, doing what: String) -> Trouble {
        let code = Self.code(in: response)
        switch (response.status, code) {
        case (_, "RequestTimeTooSkewed"), (_, "RequestExpired"):
            return offClock
        case (_, "NoSuchBucket"): return away("\(host) has no such bucket: check the name in \(place)")
        case (_, "PermanentRedirect"), (_, "AuthorizationHeaderMalformed"), (_, "IllegalLocationConstraintException"):
            return away("\(host) has the bucket in another region: set band.region\(Self.region(in: response).map { " to \($0)" } ?? "")")
        case (400...403, _) where isSigned && !hasKey:
            return refused(
                "no key is set for this bucket (\(place)): write ID:SECRET to a file that only you can read, and set band.key_file to it")
        case (401, _) where !hasKey:
            return refused(
                "\(host) wants a user and a password: write user:password to a file that only you can read, and set band.key_file to it")
        case _ where refusesKey(response):
            return refused(
                "\(host) does not accept the \(isSigned ? "key" : "user and password") (\(code ?? "\(response.status)")): check band.key_file"
                    + (isSigned ? "" : ", or log in again: \(woodshed("band join \(place.shellQuoted)"))"))
        case (400, _) where isOff(now, for: response), (403, _) where isOff(now, for: response):
            return offClock
        case (403, _):
            return notAllowed(to: what)
        case (404, _), (410, _), (409, _): return away("\(host) has no folder to \(what) in: check \(place)")
        case (405, _), (501, _):
            return away("\(host) cannot \(what) (\(response.status)): there is no \(isSigned ? "S3" : "WebDAV") at \(place)")
        case (413, _): return Trouble("\(host) takes no file of that length")
        case (423, _): return Trouble("somebody has locked a file at \(host); try again later")
        case (507, _), (_, "QuotaExceeded"): return Trouble("\(host) is full: cannot \(what)")
        case (300..<400, _): return away("\(host) says that \(place) has moved; check its address")
        case (500..., _): return away("\(host) has a fault of its own (\(response.status)) and could not \(what)")
        default: return away("\(host) answers \(response.status)\(code.map { " (\($0))" } ?? "") and did not \(what)")
        }
    }

    func notAllowed(to what: String) -> Trouble {
        Trouble("\(host) does not allow this user to \(what): ask whoever runs it, or play along with what you may read")
    }

    /// Whether the key itself is refused, and not just this request.
    func refusesKey(_ response: HTTPResponse) -> Bool {
        let codes = ["SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidToken", "ExpiredToken"]
        return response.status == 401 || response.status >= 400 && codes.contains(Self.code(in: response) ?? "")
    }

    /// The message about a server that asked to be left alone.
    func rests(_ rest: Duration) -> String {
        let minutes = max(1, (rest.components.seconds + 59) / 60)
        return "\(host) asks to be left alone, and is asked again after \(minutes == 1 ? "a minute" : "\(minutes) minutes")"
    }

    /// The message about a server that was silent for too long.
    func silent() -> String {
        "\(host) does not answer, or so slowly that nothing comes of it: it may be overloaded, or this network lets little through; try again "
            + "later, or on another network"
    }

    /// The trouble when a web page arrives instead of a file, such as the log-in page with which a network answers every request.
    func webPage() -> Trouble {
        away("\(host) sends a web page in place of the band's files (is there a log-in page on this Wi-Fi, or no WebDAV at \(place)?)")
    }

    /// The trouble when another band has taken the place in the meantime.
    func taken() -> Trouble { Trouble("\(place) is a band's place by now; join it, or choose another one") }

    func notRemoved(_ path: String) -> Trouble {
        Trouble("\(host) says that \(path) is removed, and still has it; try again later, or ask whoever runs it")
    }

    func spoilt() -> Trouble {
        Trouble(
            "\(place) has a \(BandPath.marker) that cannot be read, and is not written over: remove it there if no band plays in it")
    }

    private var offClock: Trouble {
        away("this machine's clock is off, so \(host) takes no request of it: set it, with 'sudo timedatectl set-ntp true'")
    }

    /// Whether this machine's clock differs from the server's by nearly as much as makes S3 servers refuse a signature. Some
    /// servers refuse the signature without giving this reason.
    private func isOff(_ now: Timestamp, for response: HTTPResponse) -> Bool {
        guard isSigned, let date = response.headers["date"].flatMap(HTTPDate.parse) else { return false }
        return max(now - date, date - now) > .seconds(14 * 60)
    }

    private func refused(_ words: String) -> Trouble { Trouble(.refused, words) }

    private func away(_ words: String) -> Trouble { Trouble(.away, words) }

    static func isWebPage(_ bytes: [UInt8]) -> Bool { bytes.prefix(64).first { !" \t\r\n\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "<") }

    /// S3's code for the error that an answer reports; `nil` if there is none.
    static func code(in response: HTTPResponse) -> String? { element("Code", in: response) }

    private static func region(in response: HTTPResponse) -> String? {
        response.headers["x-amz-bucket-region"] ?? element("Region", in: response)
    }

    /// The text of one short element; `nil` if it is missing, long, or not only letters, digits and hyphens.
    private static func element(_ name: String, in response: HTTPResponse) -> String? {
        let text = String(decoding: response.body.prefix(4096), as: UTF8.self)
        guard let start = text.firstRange(of: "<\(name)>") else { return nil }
        let value = text[start.upperBound...].prefix { $0 != "<" }
        let isName =
            !value.isEmpty && value.utf8.count <= 64 && value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return isName ? String(value) : nil
    }
}
