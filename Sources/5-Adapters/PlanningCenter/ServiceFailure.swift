import JSON
import Model
import Platform

/// Why a request to the service failed. Failures with different remedies are different cases.
public enum ServiceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The token is wrong or was withdrawn, or the person must sign in again with a browser. Repeating the request is pointless.
    case notAuthorised(String, isSignIn: Bool = false)
    /// The token is valid, but does not permit this request.
    case forbidden(String)
    /// The service refuses further requests of this account for now, and its pause is too long or has not helped.
    case rateLimited(retryAfter: Duration)
    /// The service cannot be reached, or the connection broke off.
    case offline(String)
    /// The service itself has a fault.
    case serverError(status: Int, String)
    /// There is no Planning Center at the configured address.
    case noService
    /// The requested thing does not exist.
    case missing(String)
    /// The answer is unusable: `what` names the thing that was requested, and `why` gives the reason.
    case notUnderstood(what: String, why: String)
    /// The answer came from, or led to, another address than the service's. The text describes it.
    case ledAway(String)
    /// The client declined for safety, for example to follow an address to another host, or to receive more bytes than allowed.
    case refused(String)
    /// The task was cancelled.
    case cancelled

    /// Why an answer is unusable if the network first requires a log-in on a web page.
    static let webPage = "a web page came instead (is there a log-in page on this Wi-Fi?)"

    public var description: String { advice.map { "\(brief); \($0)" } ?? brief }

    /// What happened, without advice.
    public var brief: String {
        switch self {
        case .notAuthorised(let message, isSignIn: true): "you are no longer signed in at the service\(Self.bracketed(message))"
        case .notAuthorised(let message, isSignIn: false): "the service does not accept your token\(Self.bracketed(message))"
        case .forbidden(let message): "the service denies access (\(message))"
        case .rateLimited: "the service asks us to wait: too many requests for this account"
        case .offline(let message): "the service cannot be reached (\(message))"
        case .serverError(let status, let message):
            "the service has a fault (\(status)\(message.isEmpty || message == "{}" ? "" : ": \(message)"))"
        case .noService: "there is no Planning Center at that address (404): check account.api_url"
        case .missing(let what): "\(what) is no longer at the service"
        case .notUnderstood(_, Self.webPage): "the service did not answer: \(Self.webPage)"
        case .notUnderstood(let what, let why): "\(what) could not be understood: \(why)"
        case .ledAway(let message): "not an answer from the service: \(message)"
        case .refused(let message): "not done for safety: \(message)"
        case .cancelled: "cancelled"
        }
    }

    private var advice: String? {
        switch self {
        case .notAuthorised(_, isSignIn: true): "sign in again with '\(woodshed("sign-in"))'"
        case .notAuthorised(_, isSignIn: false): "make a new one in your account there, then run '\(woodshed("setup"))'"
        case .forbidden: "ask the administrator of your account there for permission"
        case .rateLimited(let wait): "try again in \(wait.components.seconds) s"
        case .serverError: "try again later"
        case .missing: "check that the ids in the configuration are right"
        case .notUnderstood: "nothing was changed"
        case .ledAway:
            """
            it is ignored and nothing was changed. If this network requires a \
            log-in, log in with a web browser; if the service has moved, put its new address in the configuration
            """
        case .refused: "if this continues, tell whoever runs the service"
        case .noService, .offline, .cancelled: nil
        }
    }

    private static func bracketed(_ message: String) -> String { message.isEmpty ? "" : " (\(message))" }
}

extension PlanningCenterClient {
    /// Runs an exchange and converts its failure to a `ServiceFailure`.
    static func understood<Value>(_ exchange: @LoopActor () async throws(HTTPFailure) -> Value) async throws(ServiceFailure) -> Value {
        do {
            return try await exchange()
        } catch {
            switch error.kind {
            case .unreachable, .interrupted: throw .offline(error.message)
            case .refused, .tooLarge: throw .refused(error.message)
            case .ledAway: throw .ledAway(error.message)
            case .cancelled: throw .cancelled
            }
        }
    }

    /// The failure that an answer outside 2xx stands for. A 304 is a failure only if the request named no kept answer.
    func failure(_ response: HTTPResponse, what: String) -> ServiceFailure {
        let message = Self.message(of: response)
        return switch response.status {
        // What the service says then is the same for every token.
        case 401: .notAuthorised("")
        case 403: .forbidden("\(what): \(message)")
        case 404, 410: .missing(what)
        case 304: .notUnderstood(what: what, why: "the service says that it has not changed, but there is nothing here to compare it with")
        case 300..<400: .refused("\(what) has supposedly moved to another address")
        case 500...: .serverError(status: response.status, message)
        default: .notUnderstood(what: what, why: "the service answered \(response.status): \(message)")
        }
    }

    /// Describes what is wrong with the data and, if the data is JSON, where.
    func explain(_ error: any Error) -> String {
        if let fault = error as? JSONFault { return fault.reason == .tooLarge ? fault.sentence : "it is not JSON" }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(Self.path(context.codingPath)) has the wrong form"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(Self.path(context.codingPath)): \(context.debugDescription)"
        default: "it is not JSON"
        }
    }

    /// A path in the data, for example `data[3].id`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    private struct ErrorDocument: Decodable {
        struct Entry: Decodable {
            let title: String?
            let detail: String?
        }
        let errors: [Entry]
    }

    /// The service's own message, or a substitute if it gave none, in one short line. Errors come as JSON, as text and as web pages.
    private static func message(of response: HTTPResponse) -> String {
        if let entry = try? JSONReader.decode(ErrorDocument.self, from: response.body).errors.first,
            let text = entry.detail ?? entry.title
        {
            return oneLine(text)
        }
        let text = String(decoding: response.body.prefix(400), as: UTF8.self)
        if text.contains("<") { return "it sent only a web page" }
        return text.allSatisfy(\.isWhitespace) ? "it gave no reason" : oneLine(text)
    }

    private static func oneLine(_ text: String) -> String {
        String(text.split(whereSeparator: { $0.isWhitespace || $0.isNewline }).joined(separator: " ").prefix(200))
    }
}
