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
        let people = Self.people(heads.filter { !$0.hasLeft })
        let names = Dictionary(grouping: people, by: { $0[0].person })
        self.people = people.map { devices in
            let head = Self.played(devices, plan, now)
            // Others of the same name stand there for themselves.
            let isAlone = names[devices[0].person]?.count == 1
            let name = isAlone ? head.person : "\(head.person) (\(head.name.isEmpty ? head.device.text : head.name))"
            return Self.person(name, head, plan, now, maxAge)
        }.sorted { $0.name < $1.name }
    }

    /// The devices of each person: those that name each other.
    private static func people(_ heads: [BandHead]) -> [[BandHead]] {
        var people: [[BandHead]] = []
        for head in heads {
            let place = people.firstIndex { $0.contains { $0.kin.contains(head.device) && head.kin.contains($0.device) } }
            if let place { people[place].append(head) } else { people.append([head]) }
        }
        return people
    }

    /// The device that a person plays from: the one on which the plan was opened last. Where that is not known, all of them have to be ready.
    private static func played(_ devices: [BandHead], _ plan: Plan, _ now: Timestamp) -> BandHead {
        func word(_ head: BandHead) -> BandHead.Readiness? { head.readiness.first { $0.plan == plan.id } }
        // A time that is still to come is of a wrong clock.
        func opened(_ head: BandHead) -> Timestamp? { word(head)?.opened.flatMap { now - $0 >= .seconds(-300) ? $0 : nil } }
        let known = devices.compactMap { head in opened(head).map { (head: head, at: $0) } }
        if let last = known.max(by: { $0.at < $1.at }) { return last.head }
        return devices.first { word($0)?.isReady == false } ?? devices.first { word($0) == nil } ?? devices[0]
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
        return own + (try members()).filter { !$0.isLeftOut && !$0.isFormer && !$0.hasLeft }.map(\.head)
    }
}
