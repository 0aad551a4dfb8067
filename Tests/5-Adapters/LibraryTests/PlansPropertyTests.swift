import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Compares random sequences of updates with the plainest model of a library's content.
@Suite(.onLoop)
struct PlansPropertyTests {
    /// The model. Plans refer to attachments by id, and each attachment is stored once.
    private struct NaiveLibrary {
        var plans: [PlanID: PlanContents] = [:]
        var attachments: [AttachmentID: Attachment] = [:]
        /// Every chart that a plan ever showed.
        var shown: [PlanID: Set<AttachmentID>] = [:]
        /// The plans that were held back because several plans lost charts together.
        var hidden: [PlanID: PlanContents] = [:]

        /// The plans that lost charts while their items stayed. Empty unless several plans lost charts, together more than one chart and at
        /// least a third of the charts of the `given` plans.
        private func losingTogether(_ given: [PlanContents]) -> Set<PlanID> {
            var (lost, all, losing) = (Set<AttachmentID>(), Set<AttachmentID>(), Set<PlanID>())
            for (id, contents) in Dictionary(given.map { ($0.plan.id, $0) }, uniquingKeysWith: { $1 }) {
                guard let kept = plans[id] else { continue }
                let items = kept.items.filter { item in contents.items.contains { $0.id == item.id } }
                let gone = Set(items.flatMap(\.attachments).map(\.id)).subtracting(contents.attachments.map(\.id))
                lost.formUnion(gone)
                all.formUnion((gone.isEmpty ? contents : kept).attachments.map(\.id))
                if !gone.isEmpty { losing.insert(id) }
            }
            return losing.count > 1 && lost.count > 1 && lost.count * 3 >= all.count ? losing : []
        }

        mutating func update(_ given: [PlanContents]) {
            let before = plans
            let losing = losingTogether(given)
            var news: [AttachmentID: Attachment] = [:]
            for (place, contents) in given.enumerated() {
                // If the plan comes again later in the same answer, only the last one counts.
                if given[(place + 1)...].contains(where: { $0.plan.id == contents.plan.id }) { continue }
                // Held back: the plan has lost its time or more than half of its charts, or several plans lost charts together.
                let charts = Set(contents.attachments.map(\.id))
                let lately = shown[contents.plan.id] ?? []
                if let kept = before[contents.plan.id] {
                    if kept.plan.firstTime != nil, contents.plan.firstTime == nil { continue }
                    let isHidden = losing.contains(contents.plan.id) || hidden[contents.plan.id] == contents
                    let isHalf = lately.subtracting(charts).count * 2 > lately.count
                    hidden[contents.plan.id] = isHidden && !isHalf ? contents : nil
                    if isHalf || isHidden {
                        // An earlier time is accepted nevertheless.
                        let start = contents.plan.firstTime
                        if let start, kept.plan.firstTime.map({ start < $0 }) ?? true { plans[contents.plan.id]?.plan = contents.plan }
                        continue
                    }
                }
                plans[contents.plan.id] = contents
                shown[contents.plan.id] = lately.union(charts)
                for item in contents.items {
                    for attachment in item.attachments {
                        // Of two versions in one answer, the newer one counts.
                        if let other = news[attachment.id]?.updatedAt, let mine = attachment.updatedAt, other > mine { continue }
                        news[attachment.id] = attachment
                    }
                }
            }
            attachments.merge(news) { _, new in new }
        }

        var all: [PlanContents] {
            let never = Timestamp(nanoseconds: .max)
            return plans.values.map { contents in
                var contents = contents
                for index in contents.items.indices {
                    contents.items[index].attachments = contents.items[index].attachments.compactMap { attachments[$0.id] }
                }
                return contents
            }.sorted { ($0.plan.firstTime ?? never, $0.plan.id) < ($1.plan.firstTime ?? never, $1.plan.id) }
        }
    }

    /// An attachment with a later change than in all former steps, because this service is never put back to an older state.
    private func attachment(_ generator: inout SeededGenerator, step: Int) -> Attachment {
        Samples.attachment(
            "a\(Int.random(in: 0..<5, using: &generator))", updated: Int64(step * 3) + .random(in: 0..<3, using: &generator),
            size: .random(in: 0..<2, using: &generator))
    }

    private func contents(_ generator: inout SeededGenerator, step: Int) -> PlanContents {
        let day: Int? = Bool.random(using: &generator) ? Int.random(in: 0..<3, using: &generator) : nil
        let time = day.map { Samples.monday + .seconds($0 * 86400) }
        let plan = Plan(
            id: PlanID("\(Int.random(in: 0..<4, using: &generator))"), serviceType: ServiceTypeID("s"),
            title: ["", "Easter"].randomElement(using: &generator) ?? "", firstTime: time, lastTime: time)
        let items = (0..<Int.random(in: 0..<4, using: &generator)).map { sequence in
            PlanItem(
                id: ItemID("\(Int.random(in: 0..<4, using: &generator))"), sequence: sequence,
                title: ["Grace", "Peace"].randomElement(using: &generator) ?? "",
                attachments: (0..<Int.random(in: 0..<3, using: &generator)).map { _ in attachment(&generator, step: step) })
        }
        return PlanContents(plan: plan, items: items)
    }

    @Test(arguments: 0..<12 as Range<UInt64>) @LoopActor func updatesEqualTheNaiveModel(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let home = TemporaryFolder()
        var library = try Library(folder: home.path)
        try library.database.run("PRAGMA synchronous = OFF")
        var naive = NaiveLibrary()
        for step in 0..<60 {
            let given = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in contents(&generator, step: step) }
            let before = naive.all
            naive.update(given)

            let changes = try library.plans.update(given, at: Samples.monday)
            try #require(try library.plans.all() == naive.all, "step \(step)")
            let applied = changes.filter { if case .planHeldBack = $0 { false } else { true } }
            #expect(applied == LibraryChange.between(before, naive.all), "step \(step)")

            let total = library.database.totalChanges
            #expect(try library.plans.update(given, at: Samples.monday) == [], "step \(step)")
            #expect(library.database.totalChanges == total)
            if Int.random(in: 0..<20, using: &generator) == 0 {
                library.close()
                library = try Library(folder: home.path)
                try library.database.run("PRAGMA synchronous = OFF")
            }
        }
        #expect(try library.database.rows("PRAGMA foreign_key_check") { $0.text(0) } == [])
        #expect(try library.database.rows("PRAGMA integrity_check") { $0.text(0) } == ["ok"])
    }
}
