package import LocalHTTP
import Model

/// A request to the API, and the state to answer it from.
struct APICall {
    let request: WebRequest
    /// The path after the API's prefix.
    let path: [String]
    let state: DemoState
    let now: Stamp
    /// The server's own address, for the links in answers.
    let root: String

    /// The answer to a reading request.
    func answer() -> WebReply {
        guard request.method == "GET" || request.method == "HEAD" else { return .notFound }
        switch path.first {
        case "me": return path.count == 1 ? me() : .notFound
        case "people": return people()
        case "service_types": return serviceTypes()
        case "songs": return songs()
        default: return .notFound
        }
    }

    /// Answers with a collection in pages, like the service: `per_page` (default 25, limited to 1…100), `offset`, no `links.next`
    /// on the last page.
    ///
    /// `included` returns the resources that the page's resources refer to, for each word in `include`.
    func page(
        _ resources: [JSON], canInclude: [String] = [], parent: (type: String, id: String)? = nil,
        included: (_ word: String, _ shown: ArraySlice<Int>) -> [JSON] = { _, _ in [] }
    ) -> WebReply {
        let words = (request.parameter("include") ?? "").split(separator: ",").map(String.init)
        if let wrong = words.first(where: { !canInclude.contains($0) }) { return cannotInclude(wrong, canInclude) }
        let perPage = min(100, max(1, request.parameter("per_page").flatMap { Int($0) } ?? 25))
        let offset = max(0, request.parameter("offset").flatMap { Int($0) } ?? 0)
        let shown = Array(resources.indices).dropFirst(offset).prefix(perPage)
        let end = offset + shown.count

        var links: JSON = ["self": .string(link(offset: nil))]
        var meta: JSON = ["total_count": .int(resources.count), "count": .int(shown.count)]
        if end < resources.count, !shown.isEmpty {
            links["next"] = .string(link(offset: end))
            meta["next"] = ["offset": .int(end)]
        }
        if offset > 0 { meta["prev"] = ["offset": .int(max(0, offset - perPage))] }
        if !canInclude.isEmpty { meta["can_include"] = .array(canInclude.map { .string($0) }) }
        meta["parent"] = ["id": .string(parent?.id ?? "1"), "type": .string(parent?.type ?? "Organization")]
        return .document([
            "links": links, "data": .array(shown.map { resources[$0] }),
            "included": .array(words.flatMap { included($0, shown) }), "meta": meta,
        ])
    }

    func single(_ resource: JSON, canInclude: [String] = [], included: (_ word: String) -> [JSON] = { _ in [] }) -> WebReply {
        let words = (request.parameter("include") ?? "").split(separator: ",").map(String.init)
        if let wrong = words.first(where: { !canInclude.contains($0) }) { return cannotInclude(wrong, canInclude) }
        return .document([
            "data": resource, "included": .array(words.flatMap(included)),
            "meta": ["can_include": .array(canInclude.map { .string($0) }), "parent": ["id": "1", "type": "Organization"]],
        ])
    }

    /// Sorts by the parameter `order`, which a leading minus reverses; without it, keeps the order. `nil` if there is no such order.
    func ordered<Value>(_ values: [Value], by orders: [String: (Value) -> String]) -> [Value]? {
        guard let order = request.parameter("order") else { return values }
        let isDown = order.hasPrefix("-")
        guard let key = orders[isDown ? String(order.dropFirst()) : order] else { return nil }
        let sorted = values.enumerated().sorted {
            let (a, b) = (key($0.element), key($1.element))
            return a == b ? $0.offset < $1.offset : (a < b) != isDown
        }
        return sorted.map(\.element)
    }

    var cannotOrder: WebReply { .failure(400, "Bad Request", "cannot order by \(request.parameter("order") ?? "")") }

    static func resource(
        _ type: String, _ id: String, _ attributes: JSON, relationships: [(name: String, type: String, id: String?)] = []
    ) -> JSON {
        let members = relationships.map { relation in
            JSON.Member(
                name: relation.name,
                value: ["data": relation.id.map { ["type": .string(relation.type), "id": .string($0)] } ?? .null])
        }
        return ["type": .string(type), "id": .string(id), "attributes": attributes, "relationships": .object(members)]
    }

    private func cannotInclude(_ word: String, _ canInclude: [String]) -> WebReply {
        .failure(400, "Bad Request", "\(word) is not a valid include; can include: \(canInclude.joined(separator: ", "))")
    }

    private func link(offset: Int?) -> String { root + request.target(offset: offset) }
}

extension WebRequest {
    /// The requested path and query, with another offset into the list if one is given.
    package func target(offset: Int? = nil) -> String {
        var parameters = query
        if let offset {
            parameters.removeAll { $0.name == "offset" }
            parameters.append(("offset", String(offset)))
        }
        let text = parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return path + (text.isEmpty ? "" : "?" + text)
    }
}
