import FoundationEssentials
import LocalHTTP
import Synchronization

extension DemoBackend {
    /// `GET control/state` and `POST control/edit`: for whoever plays the rest of the band.
    func control(_ request: WebRequest, _ path: [String]) -> WebReply {
        switch (request.method, path) {
        case ("GET", ["state"]):
            let listing = inner.withLock { $0.state.listing }
            return WebReply(headers: [("Content-Type", "application/json")], body: Array((listing.text + "\n").utf8))
        case ("POST", ["edit"]):
            do throws(DemoServiceError) {
                return .text(try apply(try edit(in: request)) + "\n")
            } catch {
                if case .unknown = error { return .text(status: 404, "\(error)\n") }
                return .text(status: 400, "\(error)\n")
            }
        default:
            return .text(status: 404, "There are GET /control/state and POST /control/edit.\n")
        }
    }

    /// Makes an edit and tells of it.
    func apply(_ edit: DemoEdit) throws(DemoServiceError) -> String {
        let now = now
        let result = inner.withLock { inner in
            // An edit that fails half way leaves the state as it was.
            var edited = inner.state
            return Result { () throws(DemoServiceError) in
                let change = try edited.apply(edit, now: now)
                inner.state = edited
                return change
            }
        }
        let change = try result.get()
        onEdit(change)
        return change
    }

    private func edit(in request: WebRequest) throws(DemoServiceError) -> DemoEdit {
        do {
            return try JSONDecoder().decode(DemoEdit.self, from: Data(request.body))
        } catch {
            let word = JSON(bytes: request.body)?["edit"]?.string
            if let word, DemoEdit.names.contains(word) {
                throw DemoServiceError.badEdit("\(word): \(Self.fault(error))")
            }
            throw DemoServiceError.badEdit("not an edit; `edit` is one of: \(DemoEdit.names.joined(separator: " "))")
        }
    }

    private static func fault(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "`\(key.stringValue)` is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "`\(context.codingPath.last?.stringValue ?? "body")`: \(context.debugDescription)"
        default: "cannot be read"
        }
    }
}
