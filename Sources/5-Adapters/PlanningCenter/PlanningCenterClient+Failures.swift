import Model
import Platform

extension PlanningCenterClient {
    /// Turns a failed exchange into a failure of the service.
    static func understood<Value>(
        _ exchange: @LoopActor () async throws(HTTPFailure) -> Value
    ) async throws(ServiceFailure) -> Value {
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

    /// What an answer other than 2xx means.
    func failure(_ response: HTTPResponse, what: String) -> ServiceFailure {
        let message = Self.message(of: response)
        return switch response.status {
        case 401: .notAuthorised(message)
        case 403: .forbidden("\(what): \(message)")
        case 404, 410: .missing(what)
        case 304: .notUnderstood(what: what, why: "the service says that it has not changed, but there is nothing here to compare it with")
        case 300..<400: .refused("\(what) has supposedly moved to another address")
        case 500...: .serverError(status: response.status, message)
        default: .notUnderstood(what: what, why: "the service answered \(response.status): \(message)")
        }
    }

    /// Where in the data the fault is.
    func explain(_ error: any Error) -> String {
        if let fault = error as? JSONFault {
            return fault.reason == .tooLarge ? fault.sentence : "it is not JSON"
        }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(Self.path(context.codingPath)) has the wrong form"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(Self.path(context.codingPath)): \(context.debugDescription)"
        default: "it is not JSON"
        }
    }

    /// For example `data[3].id`.
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

    /// The service's own message, in one short line. Errors come as JSON, as text and as web pages.
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
