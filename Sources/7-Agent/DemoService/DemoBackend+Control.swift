import FoundationEssentials
import LocalHTTP
import Synchronization

extension DemoBackend {
    /// `GET state`, `POST edit` and `POST fault` behind the key, with which a person plays the rest of the band.
    func control(_ request: WebRequest, _ path: [String]) -> WebReply {
        switch (request.method, path) {
        case ("GET", ["state"]):
            let now = now
            let listing = inner.withLock { $0.state.listing(now: now) }
            return WebReply(headers: [("Content-Type", "application/json")], body: Array((listing.text + "\n").utf8))
        case ("POST", ["edit"]):
            do throws(DemoServiceError) {
                return .text(try apply(try edit(in: request)) + "\n")
            } catch {
                if case .unknown = error { return .text(status: 404, "\(error)\n") }
                return .text(status: 400, "\(error)\n")
            }
        case ("POST", ["fault"]):
            do {
                let order = try JSONDecoder().decode(FaultOrder.self, from: Data(request.body))
                setFault(order.fault, on: order.route, times: order.times)
                return .text("\(order.fault?.name ?? "no fault") on \(order.route.rawValue)\n")
            } catch {
                let routes = DemoRoute.allCases.map(\.rawValue).joined(separator: " ")
                return .text(
                    status: 400,
                    "not a fault: \(Self.fault(error)); `route` is one of: \(routes); `fault` is null or one of: "
                        + "\(DemoFault.names.joined(separator: " "))\n")
            }
        default:
            return .text(status: 404, "Use GET state, POST edit or POST fault.\n")
        }
    }

    func setFault(_ fault: DemoFault?, on route: DemoRoute, times: Int?) {
        inner.withLock { inner in
            inner.faults.set(fault, on: route, times: times)
            inner.torn = []
        }
    }

    private struct FaultOrder: Decodable {
        let route: DemoRoute
        let fault: DemoFault?
        let times: Int?

        private enum Key: String, CodingKey { case route, fault, times }

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: Key.self)
            route = try body.decode(DemoRoute.self, forKey: .route)
            times = try body.decodeIfPresent(Int.self, forKey: .times)
            let isOff = try !body.contains(.fault) || body.decodeNil(forKey: .fault)
            fault = isOff ? nil : try DemoFault(from: decoder)
        }
    }

    private static let mostFormer = 100

    func apply(_ edit: DemoEdit) throws(DemoServiceError) -> String {
        let now = now
        let result = inner.withLock { inner in
            // If an edit fails half-way, the state stays as it was.
            var edited = inner.state
            return Result { () throws(DemoServiceError) in
                let change = try edited.apply(edit, former: inner.former, now: now)
                inner.former = inner.former.suffix(Self.mostFormer - 1) + [inner.state]
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
            if let word, DemoEdit.names.contains(word) { throw DemoServiceError.badEdit("\(word): \(Self.fault(error))") }
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
