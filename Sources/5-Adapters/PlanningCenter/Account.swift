public import Model
public import Platform

/// The account whose plans are read, and the address of its service.
public struct Account: Sendable {
    /// The documented address of the service.
    public static let usualURL = "https://api.planningcenteronline.com/services/v2"

    public var apiURL: String
    /// The address of the service for layers of marks; `nil` if there is none.
    public var annotationsURL: String?
    /// A personal access token as `app_id:secret`, or the token of a sign-in with a browser. It is sent only to the host of
    /// `apiURL`.
    public var credentials: Secret
    /// Reads the token again when necessary; `nil` if the token never changes.
    public var credentialSource: (any CredentialSource)?
    /// The musician's id; if it is `nil`, it is requested from the service.
    public var personID: String?
    /// The service types whose plans are read. If it is empty, the plans in which the musician is scheduled are read.
    public var serviceTypes: [ServiceTypeID]
    /// The name of the program that sends the requests. The service rejects requests without a name.
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

    /// Identifies this account without being secret: the sign-in's id, or the app id of a personal token; `nil` without either.
    var publicID: String? {
        if let signInID { return signInID }
        let text = credentials.revealed
        return text.firstIndex(of: ":").map { String(text[..<$0]) }
    }
}
