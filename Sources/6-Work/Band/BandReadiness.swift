public import BandLayout
public import Catalogue
public import Library
public import Model

/// Whether everybody in a band is ready for a plan, by what each of their devices last said.
public struct BandReadiness: Hashable, Sendable {
    public enum State: String, Sendable {
        case ready
        case unready = "not-ready"
        /// Said too long ago, or by a clock that is wrong.
        case old
        /// Was heard of lately, and does not have the plan.
        case without = "without-plan"
        case silent
    }

    public struct Person: Hashable, Sendable {
        public let name: String
        public let state: State
        public let word: BandHead.Readiness?
        /// What is missing there, in words.
        public var lacks: [String] { word?.lacks ?? [] }
    }

    /// By name.
    public let people: [Person]

    public var isReady: Bool {
        people.contains { $0.state == .ready } && people.allSatisfy { $0.state == .ready || $0.state == .without }
    }

    /// Whether anybody has said anything of the plan, now or long ago.
    public var isSpokenOf: Bool { people.contains { $0.word != nil } }

    /// How long a word is believed.
    public static let usualAge: Duration = .seconds(86_400)

    public init(of plan: Plan, from heads: [BandHead], at now: Timestamp, maxAge: Duration = usualAge) {
        let heads = heads.filter { !$0.hasLeft }
        let names = Dictionary(grouping: heads, by: \.person)
        // Who has two devices stands there twice: nobody knows which of them is played from.
        people = heads.map { head in
            let isAlone = names[head.person]?.count == 1
            let name = isAlone ? head.person : "\(head.person) (\(head.name.isEmpty ? head.device.text : head.name))"
            return Self.person(name, head, plan, now, maxAge)
        }.sorted { $0.name < $1.name }
    }

    private static func person(_ name: String, _ head: BandHead, _ plan: Plan, _ now: Timestamp, _ maxAge: Duration) -> Person {
        guard let word = head.readiness.first(where: { $0.plan == plan.id }) else {
            // It would have the plan among those that it spoke of.
            let speaks = head.asOf.map { asOf in
                isRecent(asOf, now, maxAge) && head.readiness.count < BandHead.mostPlans
                    && plan.mainTime.map { $0 <= asOf + BandHead.ahead } ?? false
            }
            return Person(name: name, state: speaks ?? false ? .without : .silent, word: nil)
        }
        let state: State = !isRecent(word.asOf, now, maxAge) ? .old : word.isReady ? .ready : .unready
        return Person(name: name, state: state, word: word)
    }

    private static func isRecent(_ time: Timestamp, _ now: Timestamp, _ maxAge: Duration) -> Bool {
        (.seconds(-300)...maxAge).contains(now - time)
    }
}

extension BandStore {
    /// What every device last said whose word counts here, this one's first.
    public func words() throws(LibraryError) -> [BandHead] {
        let own = try own().map { [$0.head] } ?? []
        return own + (try members()).filter { !$0.isLeftOut && !$0.isFormer }.map(\.head)
    }
}
