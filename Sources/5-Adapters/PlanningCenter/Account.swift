public import Model
public import Platform

/// The account whose plans are read, and its service's address.
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
    /// Names the program that asks. The service rejects requests without it.
    public var userAgent: String

    public init(
        apiURL: String = Account.usualURL, annotationsURL: String? = nil, credentials: Secret, personID: String? = nil,
        serviceTypes: [ServiceTypeID] = [], userAgent: String
    ) {
        (self.apiURL, self.annotationsURL, self.credentials) = (apiURL, annotationsURL, credentials)
        (self.personID, self.serviceTypes, self.userAgent) = (personID, serviceTypes, userAgent)
    }

    /// Identifies this sign-in with a browser without being secret; `nil` with a personal token.
    public var signInID: String?
    var isSignedIn: Bool { signInID != nil }

    /// Identifies this account without being secret: by the first half of a personal token; `nil` if the token has no halves.
    var publicID: String? {
        if let signInID { return signInID }
        let text = credentials.revealed
        return text.firstIndex(of: ":").map { String(text[..<$0]) }
    }
}
