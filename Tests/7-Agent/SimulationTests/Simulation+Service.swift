import Library
import Model
import Platform
import TestSupport

/// Other people's changes at the service.
extension Simulation {
    func changeService() {
        guard let plan = service.plans.indices.randomElement(using: &random) else { return addPlan() }
        let charts = service.plans[plan].charts.indices
        switch Int.random(in: 0..<10, using: &random) {
        case 0: addPlan()
        case 1 where service.plans.count > 2:
            trace.note("service: plan \(service.plans[plan].id) vanishes")
            service.plans.remove(at: plan)
        case 2:
            trace.note("service: plan \(service.plans[plan].id) gets a chart")
            service.plans[plan].charts.append(newChart())
        case 3:
            guard let chart = charts.randomElement(using: &random) else { return }
            trace.note("service: plan \(service.plans[plan].id) loses \(service.plans[plan].charts[chart].name)")
            service.plans[plan].charts.remove(at: chart)
        case 4:
            trace.note("service: plan \(service.plans[plan].id) in another order")
            service.plans[plan].charts.shuffle(using: &random)
        case 5:
            let time = someTime()
            service.plans[plan].startsAt = "\(time)"
            service.plans[plan].rehearsal = someRehearsal(before: time)
            trace.note("service: plan \(service.plans[plan].id) moves to \(Self.times(of: service.plans[plan]))")
        case 6:
            // The same attachment is added to another plan.
            guard let other = service.plans.flatMap(\.charts).randomElement(using: &random),
                !service.plans[plan].charts.contains(where: { $0.id == other.id })
            else { return }
            trace.note("service: plan \(service.plans[plan].id) takes \(other.name), too")
            service.plans[plan].charts.append(other)
        default:
            guard let chart = charts.randomElement(using: &random) else { return }
            replace(service.plans[plan].charts[chart].id)
        }
        tellLayers()
    }

    /// While the pages of a list are read, the first entry is removed, so all others move up; sometimes another is added.
    func changeBetweenPages(of address: Substring) {
        let parts = address.split(separator: "/").map(String.init)
        guard let place = parts.firstIndex(of: "plans"), place + 1 < parts.count,
            let plan = service.plans.firstIndex(where: { $0.id == parts[place + 1] }), !service.plans[plan].charts.isEmpty
        else { return }
        let gone = service.plans[plan].charts.removeFirst()
        if weather.number(0..<2) == 0 { service.plans[plan].charts.append(newChart()) }
        wasTricked = true
        trace.note("service: while it is read, plan \(service.plans[plan].id) loses \(gone.name)")
        tellLayers()
    }

    func addPlan() {
        count += 1
        let time = someTime()
        var plan = SmallService.Plan(
            id: "\(count)", startsAt: "\(time)", charts: (0..<Int.random(in: 0...3, using: &random)).map { _ in newChart() })
        plan.rehearsal = someRehearsal(before: time)
        trace.note("service: plan \(plan.id) at \(Self.times(of: plan)) with \(plan.charts.map(\.name))")
        service.plans.append(plan)
        remember()
    }

    private func someTime() -> Timestamp {
        let days = [0, 1, 2, 3, 6, 8, 13, 20, 30].randomElement(using: &random) ?? 0
        let hours = Int.random(in: 1...23, using: &random)
        return Timestamp(sinceEpoch: clock.wallTime + .seconds(86_400 * days + 3600 * hours))
    }

    /// For some plans, the musician gets only the time of the rehearsal, which may be over.
    private func someRehearsal(before service: Timestamp) -> String? {
        oneIn(3) ? "\(service - .seconds(3600 * Int.random(in: 10...150, using: &random)))" : nil
    }

    private static func times(of plan: SmallService.Plan) -> String {
        plan.startsAt + (plan.rehearsal.map { ", of which \($0) is told" } ?? "")
    }

    /// For one poll, the service hides half of the charts of each plan. These charts are here already, so the agent can detect their
    /// loss; and there are so many that nobody would remove them from plans by hand.
    func narrowRights() {
        let strikes = weather.strikes(onceIn: 20)
        service.hidden = []
        guard strikes, clockError == .zero, let known = try? life?.library.plans.allAsPlanned() else { return }
        let coming = known.filter { !$0.plan.isPast(at: clock.timestamp) }
        let here = Dictionary(coming.map { ("\($0.plan.id)", Set($0.attachments.map { "\($0.id)" })) }) { first, _ in first }
        let new = Set(service.plans.flatMap { plan in plan.charts.map(\.id).filter { here[plan.id]?.contains($0) != true } })
        let shown = service.plans.map { $0.charts.map(\.id).filter { !new.contains($0) } }
        let hidden = Set(shown.flatMap { $0.prefix(($0.count + 1) / 2) })
        guard shown.count(where: { !$0.isEmpty }) > 1, hidden.count > 1,
            hidden.count * 3 >= Set(service.plans.flatMap(\.charts).map(\.id)).count,
            lies.isFirst("narrowed rights")
        else { return }
        trace.note("service: hides \(hidden.sorted())")
        service.hidden = hidden
        wasTricked = true
    }

    private func newChart() -> SmallService.Chart {
        count += 1
        let name = "Song \(count)"
        // Now and then two people upload the same file.
        let former = oneIn(8) ? service.plans.flatMap(\.charts).randomElement(using: &random)?.bytes : nil
        return SmallService.Chart(id: "1\(count)", name: name, bytes: former ?? newBytes(name))
    }

    /// The bytes of a new chart.
    func newBytes(_ name: String) -> String {
        count += 1
        let bytes = SmallService.pdf("\(name) as of \(count)\n")
        let hash = ChartHash(SHA256.digest(of: bytes))
        let pages = Int.random(in: 1...5, using: &random)
        scores["\(hash)"] = Score(
            name: "\(name)/\(count)", hash: hash, pages: pages, needsFonts: oneIn(4), isBroken: oneIn(25),
            badPage: oneIn(10) ? Int.random(in: 0..<pages, using: &random) : nil)
        return bytes
    }

    private func replace(_ id: String) {
        trace.note("service: attachment \(id) is replaced")
        count += 1
        let bytes = newBytes("Song \(id)")
        for plan in service.plans.indices {
            for chart in service.plans[plan].charts.indices where service.plans[plan].charts[chart].id == id {
                service.plans[plan].charts[chart].bytes = bytes
                service.plans[plan].charts[chart].updatedAt = "\(Timestamp(sinceEpoch: clock.wallTime + .seconds(count)))"
            }
        }
    }

    // MARK: Marks

    func changeLayer() {
        guard let chart = service.plans.flatMap(\.charts).randomElement(using: &random) else { return }
        let id = "layer \(chart.id) \(Int.random(in: 0...1, using: &random))"
        var layer = layers[id] ?? ServiceLayer(id: id, attachment: chart.id)
        layer.revision += 1
        layer.isDeleted = oneIn(5)
        layer.dots = someDots(bad: oneIn(12))
        trace.note("service: \(id) revision \(layer.revision)\(layer.isDeleted ? ", deleted" : "") with \(layer.dots.count) marks")
        layers[id] = layer
        tellLayers()
    }

    func someDots(bad: Bool = false) -> [MarkText.Dot] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            MarkText.Dot(
                page: Int.random(in: 0...3, using: &random), x: bad ? 0.9375 : Double(Int.random(in: 1...4, using: &random)) / 8)
        }
    }

    /// Marks that no renderer can draw.
    static func isBad(_ marks: PageMarks) -> Bool { marks.marks.contains { "\($0)".contains("0.9375") } }

    func tellLayers() {
        remember()
        service.layers = [:]
        for plan in service.plans {
            let ids = Set(plan.charts.map(\.id))
            service.layers[plan.id] = layers.values.filter { ids.contains($0.attachment) }.sorted { $0.id < $1.id }.map(\.json)
        }
    }
}
