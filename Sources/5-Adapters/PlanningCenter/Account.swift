public import Model
public import Platform

/// Whose plans are read, and from where.
public struct Account: Sendable {
    /// The documented address of the service.
    public static let usualURL = "https://api.planningcenteronline.com/services/v2"

    public var apiURL: String
    /// The address to ask for layers of marks; `nil` if nothing offers them.
    public var annotationsURL: String?
    /// A personal access token as `app_id:secret`, or the token of a sign-in with a browser. It is sent to the host of
    /// `apiURL` and to no other.
    public var credentials: Secret
    /// Where the token is kept; `nil` if it never changes.
    public var credentialSource: (any CredentialSource)?
    /// The musician's id; if it is `nil`, the service is asked.
    public var personID: String?
    /// The service types whose plans are read; if empty, the plans in which the musician is scheduled are read.
    public var serviceTypes: [ServiceTypeID]
    /// Says which program is asking. The service rejects requests without it.
    public var userAgent: String

    public init(
        apiURL: String = Account.usualURL, annotationsURL: String? = nil, credentials: Secret, personID: String? = nil,
        serviceTypes: [ServiceTypeID] = [], userAgent: String
    ) {
        (self.apiURL, self.annotationsURL, self.credentials) = (apiURL, annotationsURL, credentials)
        (self.personID, self.serviceTypes, self.userAgent) = (personID, serviceTypes, userAgent)
    }

    /// Tells this sign-in with a browser from others without being secret; `nil` with a personal token.
    public var signInID: String?
    var isSignedIn: Bool { signInID != nil }

    /// Tells this account from others without being secret: with a personal token its first half; `nil` if it has no halves.
    var publicID: String? {
        if let signInID { return signInID }
        let text = credentials.revealed
        return text.firstIndex(of: ":").map { String(text[..<$0]) }
    }
}

/// An address at the service, split after its origin.
struct ServiceAddress: Hashable, Sendable {
    /// Scheme, host and port in lower case, without the scheme's usual port.
    let origin: String
    /// The path and query, beginning with a slash.
    let rest: String

    var text: String { origin + rest }

    /// Reads an http or https address; `nil` for anything unusual, such as a user name in it.
    init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 && $0 != "\\" && $0 != "#" }),
            let colon = text.firstRange(of: "://")
        else { return nil }
        let scheme = text[..<colon.lowerBound].lowercased()
        let tail = text[colon.upperBound...]
        let end = tail.firstIndex { $0 == "/" || $0 == "?" } ?? tail.endIndex
        var authority = tail[..<end].lowercased()
        let usualPort: String
        switch scheme {
        case "https": usualPort = ":443"
        case "http": usualPort = ":80"
        default: return nil
        }
        if authority.hasSuffix(usualPort) { authority.removeLast(usualPort.count) }
        guard !authority.isEmpty, !authority.contains("@"), !authority.contains("%") else { return nil }
        origin = "\(scheme)://\(authority)"
        rest = tail[end...].hasPrefix("/") ? String(tail[end...]) : "/" + tail[end...]
    }

    /// Reads an address that the service gave, complete or beginning with a slash.
    init?(_ text: String, at base: ServiceAddress) {
        self.init(text.hasPrefix("/") && !text.hasPrefix("//") ? base.origin + text : text)
    }

    /// A part of a path or query, encoded so that nothing in it can end it or lead out of it; `nil` if that is impossible.
    static func encoded(_ text: String) -> String? {
        // Dots keep their meaning even when they are encoded.
        guard !text.isEmpty, text != ".", text != ".." else { return nil }
        return text.percentEncoded
    }
}
