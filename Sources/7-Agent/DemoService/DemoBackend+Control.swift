import LocalHTTP
import Model
import Synchronization

extension DemoBackend {
    /// Answers `GET offer` and `POST edit` below the secret key. With them, a person makes the changes that colleagues in the band
    /// would make at the service.
    func control(_ request: WebRequest, _ path: [String]) -> WebReply {
        switch (request.method, path) {
        case ("GET", ["offer"]):
            let now = now
            let offer = inner.withLock { $0.state.offer(now: now) }
            return WebReply(headers: [("Content-Type", "application/json")], body: Array(offer.text.utf8))
        case ("POST", ["edit"]):
            do throws(Trouble) {
                return .text(try apply(try DemoEdit(request.body)) + "\n")
            } catch {
                if error.kind == .unknown { return .text(status: 404, "\(error)\n") }
                return .text(status: 400, "\(error)\n")
            }
        default:
            return .text(status: 404, "Use GET offer or POST edit.\n")
        }
    }

    func apply(_ edit: DemoEdit) throws(Trouble) -> String {
        let now = now
        let result = inner.withLock { inner in
            // If an edit fails half-way, the state must stay as it was.
            var edited = inner.state
            return Result { () throws(Trouble) in
                let change = try edit.change(&edited, now)
                inner.state = edited
                return change
            }
        }
        let change = try result.get()
        onEdit(change)
        return change
    }
}

extension DemoState {
    /// A list for people. For each editable kind: the things in the coming plans with their ids, and a command that changes one of
    /// them. Also the chart below each layer.
    fileprivate func offer(now: Stamp) -> JSON {
        let plans = plans.filter { !$0.isPast(now: now) }
        let shown = Set(plans.flatMap { attachments(of: $0) }.map(\.id))
        let charts = attachments.filter { shown.contains($0.id) && $0.filename.hasSuffix(".pdf") }
        let names = Dictionary(charts.map { ($0.id, $0.filename) }) { first, _ in first }
        let layers = layers.filter { names[$0.attachment] != nil }
        let items = plans.flatMap { plan in plan.items.map { (id: $0.id, words: "\($0.title) (\(name(of: plan)))") } }
        let song = plans.first?.items.last { $0.kind == "song" }
        let parts = [
            Self.part("Items of plans", items, song.map { "move-item \($0.id) 0" }),
            Self.part("Charts", charts.map { ($0.id, $0.filename) }, charts.last.map { "replace-chart \($0.id) piano-album" }),
            Self.part(
                "Layers of marks", layers.map { ($0.id, "\($0.name) by \($0.personName), on \(names[$0.attachment] ?? "")") },
                layers.last.map { "add-mark \($0.id) 1" }),
        ]
        return [
            "parts": .array(parts.compactMap(\.self)),
            "charts": .object(layers.map { JSON.Member(name: $0.id, value: .string($0.attachment)) }),
        ]
    }

    private static func part(_ heading: String, _ rows: [(id: String, words: String)], _ command: String?) -> JSON? {
        guard let command else { return nil }
        let rows = rows.map { row -> JSON in ["id": .string(row.id), "words": .string(row.words)] }
        return ["heading": .string(heading), "rows": .array(rows), "command": .string(command)]
    }

    /// The demo's name for a plan, with its day.
    private func name(of plan: Plan) -> String {
        plan.title
            + (plan.times.last.map { " \($0.starts.text.prefix(10))" } ?? "")
    }
}
