package import CommandLine
import Freshness
package import Model

/// Finds a plan by what people call it: its id, "next", its date, its title or part of it.
package struct PlanFinder {
    /// Why no single plan was found.
    package enum Failure: Error, Equatable {
        case unknown(plans: [String])
        case ambiguous(plans: [String])
        /// "next" was asked for, and no plan is upcoming.
        case noneComing
    }

    /// The next one first.
    package let plans: [Plan]
    package let now: Timestamp

    package init(_ plans: [Plan], now: Timestamp) {
        self.plans = plans.sorted { NextPlans.isEarlier($0, than: $1, at: now) }
        self.now = now
    }

    /// The only plan that `name` fits, by the strictest rule that fits at least one; if several fit, the only likely one of them.
    package func find(_ name: String, isLikely: (Plan) -> Bool = { _ in true }) throws(Failure) -> Plan {
        let wanted = name.searched
        if let plan = plans.first(where: { $0.id.text == name }) { return plan }
        if wanted == "next" {
            guard let next = plans.first(where: { !$0.isPast(at: now) }) else { throw .noneComing }
            return next
        }
        let rules: [(Plan) -> Bool] = [
            { $0.displayName.searched == wanted },
            { $0.mainTime.map(TimeText.date) == wanted },
            { !wanted.isEmpty && Self.words($0).searched.contains(wanted) },
        ]
        for rule in rules {
            let found = plans.filter(rule)
            guard !found.isEmpty else { continue }
            let likely = found.count == 1 ? found : found.filter(isLikely)
            guard likely.count == 1 else { throw .ambiguous(plans: found.map(Self.description)) }
            return likely[0]
        }
        throw .unknown(plans: plans.map(Self.description))
    }

    /// Finds what a user typed; if it does not fit exactly one plan, the error lists the candidates.
    package func findOrExplain(_ name: String, isLikely: (Plan) -> Bool = { _ in true }) throws(CommandFailure) -> Plan {
        do throws(Failure) {
            return try find(name, isLikely: isLikely)
        } catch {
            let message =
                switch error {
                case .unknown(let plans) where plans.isEmpty: "there are no plans here yet; run '\(woodshed("sync"))' first"
                case .unknown(let plans): "no plan here is called '\(name)'; these are:\n  " + plans.joined(separator: "\n  ")
                case .ambiguous(let plans): "'\(name)' matches several plans; name one by its id:\n  " + plans.joined(separator: "\n  ")
                case .noneComing: "there are no upcoming plans; '\(woodshed("plans --all"))' lists those that are here"
                }
            throw CommandFailure(.failed, message)
        }
    }

    package static func description(_ plan: Plan) -> String { "\(plan.id)  \(words(plan))" }

    /// For example `2026-11-22 Harvest`.
    package static func words(_ plan: Plan) -> String { (plan.mainTime.map { TimeText.date($0) + " " } ?? "") + plan.displayName }
}

extension String {
    /// As names are compared when they are searched for: capitals as small letters, and letters as they are typed on a keyboard that does
    /// not have the special ones.
    var searched: String { lowercased().map(\.typed).joined() }
}

extension Character {
    /// Of a Latin letter with an accent the letter, whether the accent is a part of it or a character of its own behind it.
    fileprivate var typed: String {
        if let typed = Self.typed[self] { return typed }
        // The name says what it is made from, as in LATIN SMALL LETTER R WITH CARON. In other scripts a mark may be a vowel.
        guard !isASCII, let name = unicodeScalars.first?.properties.name, name.hasPrefix(Self.latin) else { return String(self) }
        let letter = name.dropFirst(Self.latin.count).prefix { $0 != " " }
        return letter.count == 1 ? letter.lowercased() : String(self)
    }

    private static let latin = "LATIN SMALL LETTER "
    /// Those whose names do not say how they are typed.
    private static let typed: [Character: String] = ["ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "♭": "b", "♯": "#"]
}
