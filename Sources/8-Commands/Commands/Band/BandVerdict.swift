import Agent
import Band
import BandLayout
import CommandLine
import Configuration
import Host
import JSON
import Library
import Model
import Platform

/// Whether everybody in the band is ready for the next plan.
struct BandVerdict: Answer {
    struct OfPlan: Sendable {
        let plan: Plan
        let readiness: BandReadiness
    }

    let plans: [OfPlan]
    let now: Timestamp
    let maxAge: Duration
    /// Why reports of the others may be missing or out of date; `nil` if there is no such reason.
    let trouble: String?
    /// The people whom the musician has left out on this device; they do not count.
    let leftOut: [String]
    /// Whether this device does not know any other device of the band yet.
    let isAlone: Bool

    var isReady: Bool { trouble == nil && !plans.isEmpty && plans.allSatisfy(\.readiness.isReady) }
    var code: ExitCode { isReady ? .fine : .notReady }

    @LoopActor
    init(_ home: OpenHome, maxAge: Duration) async throws {
        guard let place = home.configuration.options.band.place else {
            throw CommandFailure(.notReady, BandReport.none)
        }
        (now, self.maxAge) = (home.now, maxAge)
        let carrier = try home.bandCarrier(to: place)
        let found = await BandPlace(carrier, of: home.library, in: home.configuration.paths.data).trouble
        trouble = if let found { found } else { await BandPlace.crowd(in: carrier) }
        isAlone = try home.library.band.members().isEmpty
        leftOut = Set(try home.library.band.members().filter(\.isLeftOut).map(\.head.person)).sorted()
        let next = try home.nextPlans()
        let word = BandWordStore(in: home.library)
        var heads = try word.words()
        if let own = try word.own()?.head, let place = heads.firstIndex(of: own) {
            // Judge this machine by its present state, and not by its last report to the band.
            let agent = await AgentAnswer(of: home.configuration.paths)
            let report = try await home.readiness(of: next, by: try await home.renderer(), isThorough: false, agent)
            (heads[place].readiness, heads[place].asOf) = BandWord.readiness(
                report, former: nil, opened: try home.library.band.openedPlans())
        }
        let now = home.now
        plans = next.map { contents in
            OfPlan(plan: contents.plan, readiness: BandReadiness(of: contents.plan, from: heads, at: now, maxAge: maxAge))
        }
    }

    // MARK: - In words and as JSON

    static let wordForm = JSONForm<BandHead.Readiness>([
        .init("id", "the plan's id", \.plan.text),
        .init("title", "what it is called", \.title),
        .init("time", "when it is", \.time),
        .init("ready", "whether it can be played from there", \.isReady),
        .init("lacks", "what is missing, in words", \.lacks),
        .init("as_of", "when that was so", \.asOf),
    ])

    private static let personForm = JSONForm<BandReadiness.Person>([
        .init("name", "who it is", \.name),
        .init("state", "ready, not-ready, old, without-plan or silent") { $0.state.rawValue },
        .init("lacks", "what is missing, in words", \.lacks),
        .init("as_of", "when that was said; null if nothing was") { $0.word?.asOf },
    ])

    private static let planForm = JSONForm<OfPlan>([
        .init("id", "the plan's id", \.plan.id.text),
        .init("title", "what it is called", \.plan.displayName),
        .init("ready", "whether everybody who has it is ready", \.readiness.isReady),
        .list("people", "what each person in the band says", of: personForm, \.readiness.people),
    ])

    static let form = JSONForm<BandVerdict>(
        otherwise: [("ready", .boolean(false))],
        [
            .init("trouble", "why nothing can be heard of the others now, in words; null if it can", \.trouble),
            .init("left_out", "who is left out here, and not asked", \.leftOut),
            .init("ready", "whether everybody is ready for all of these plans", \.isReady),
            .list("plans", "the next plan, and others of the same day", of: planForm, \.plans),
        ])

    func print(on output: Output) {
        if let trouble {
            output.result(
                output.paint("\(trouble): what the others said since is not known, so this is not ready.".printable, .yellow, on: .results))
        }
        if !leftOut.isEmpty { output.message("Left out here, and not asked: \(leftOut.joined(separator: ", ")).".printable) }
        if isAlone { output.message("Nobody else in the band has been heard here yet; '\(woodshed("band"))' tells who is there.") }
        guard !plans.isEmpty else { return output.message("There is no upcoming plan.") }
        for ofPlan in plans {
            let name = PlanFinder.words(ofPlan.plan)
            let verdict = "\(ofPlan.readiness.isReady ? "everybody is ready" : "not everybody is ready") for \(name)"
            output.result((trouble == nil ? verdict.asSentence : "When last heard: \(verdict).").printable)
            for person in ofPlan.readiness.people { output.result("  \(person.name): \(words(of: person))".printable) }
        }
    }

    private func words(of person: BandReadiness.Person) -> String {
        switch person.state {
        case .ready, .unready: person.word.map { Self.words(of: $0, now: now, withTitle: false) } ?? ""
        case .old:
            person.word.map { word in
                let before = word.asOf <= now ? "\(TimeText.span(now - word.asOf)) ago" : "at a time still to come: a clock is wrong"
                return "said \(word.isReady ? "ready" : "not ready"), but \(before)"
            } ?? ""
        case .without: "does not have this plan"
        case .silent: "has said nothing; is an agent running there?"
        }
    }

    static func words(of word: BandHead.Readiness, now: Timestamp, withTitle: Bool = true) -> String {
        let day = word.time.map { TimeText.date($0) + " " } ?? ""
        let state = word.isReady ? "ready" : "not ready: \(word.lacks.joined(separator: "; "))"
        return (withTitle ? "\(day)\(word.title): " : "") + "\(state) (\(TimeText.minute(word.asOf)))"
    }
}
