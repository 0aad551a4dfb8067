public import Model
public import Platform

/// Whose plans are read, and from where.
public struct Account: Sendable {
    /// The documented address of the service.
    public static let usualURL = "https://api.planningcenteronline.com/services/v2"

    /// The address of the service.
    public var apiURL: String
    /// The address to ask for layers of marks; `nil` if nothing offers them.
    public var annotationsURL: String?
    /// A personal access token as `app_id:secret`, or what somebody who signed in with a browser was given. It is sent to the host of `apiURL` and to no other.
    public var credentials: Secret
    /// Where the token is kept; `nil` if it never changes.
    public var credentialSource: (any CredentialSource)?
    /// Who the musician is; if it is `nil`, the service is asked.
    public var personID: String?
    /// The service types whose plans are read; if empty, the plans in which the musician is scheduled are read.
    public var serviceTypes: [ServiceTypeID]
    /// Says which program is asking. The service rejects requests without it.
    public var userAgent: String

    /// Describes an account.
    public init(
        apiURL: String = Account.usualURL, annotationsURL: String? = nil, credentials: Secret, personID: String? = nil,
        serviceTypes: [ServiceTypeID] = [], userAgent: String
    ) {
        self.apiURL = apiURL
        self.annotationsURL = annotationsURL
        self.credentials = credentials
        self.personID = personID
        self.serviceTypes = serviceTypes
        self.userAgent = userAgent
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
