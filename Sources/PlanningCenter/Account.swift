public import Model
public import Platform

/// Whose plans are read, and where.
public struct Account: Sendable {
    /// The documented address of the service.
    public static let usualURL = "https://api.planningcenteronline.com/services/v2"

    /// Where the service is.
    public var apiURL: String
    /// Where layers of marks are asked for; `nil` where nothing offers them.
    public var annotationsURL: String?
    /// A personal access token as `app_id:secret`. It goes to the host of `apiURL` and to no other.
    public var credentials: Secret
    /// Where they are kept; `nil` for those that never change.
    public var credentialSource: CredentialSource?
    /// Who the musician is; asked for when it is not given.
    public var personID: String?
    /// The service types whose plans are read; when empty, those plans in which the musician is scheduled.
    public var serviceTypes: [ServiceTypeID]
    /// Says what program asks. The service turns away requests without one.
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

    /// Tells this account from others, and is no secret: the token's first half; `nil` where it has no halves.
    var publicID: String? {
        let text = credentials.revealed
        return text.firstIndex(of: ":").map { String(text[..<$0]) }
    }
}
