public import BandLayout
public import Model

/// Whether everybody in a band is ready for a plan, by the last head of each of their devices.
public struct BandReadiness: Hashable, Sendable {
    public enum State: String, Sendable {
        case ready
        case unready = "not-ready"
        /// The report is too old, or dated in the future because a clock is wrong.
        case old
        /// The report is recent, and the device does not have the plan.
        case without = "without-plan"
        case silent
    }

    public struct Person: Hashable, Sendable {
        public let name: String
        public let state: State
        public let word: BandHead.Readiness?
        /// What that person lacks, in words.
        public var lacks: [String] { word?.lacks ?? [] }
    }

    /// Sorted by name.
    public let people: [Person]

    public var isReady: Bool {
        people.contains { $0.state == .ready } && people.allSatisfy { $0.state == .ready || $0.state == .without }
    }

    /// Whether any device has ever reported on the plan.
    public var isSpokenOf: Bool { people.contains { $0.word != nil } }

    /// How long a report counts.
    public static let usualAge: Duration = .seconds(86_400)

    public init(of plan: Plan, from heads: [BandHead], at now: Timestamp, maxAge: Duration = usualAge) {
        let people = BandHead.byMusician(heads.filter { !$0.hasLeft }, \.self)
        let names = Dictionary(grouping: people, by: { $0[0].person })
        self.people = people.map { devices in
            let head = Self.played(devices, plan, now)
            // Add a device's name or id to distinguish people with the same name.
            let others = (names[devices[0].person] ?? []).filter { $0[0].device != devices[0].device }
            let isClear = !head.name.isEmpty && !others.contains { $0.contains { $0.name == head.name } }
            let name = others.isEmpty ? head.person : "\(head.person) (\(isClear ? head.name : head.device.text))"
            return Self.person(name, head, plan, now, maxAge)
        }.sorted { $0.name < $1.name }
    }

    /// The head of the device that a person plays from: the device that opened the plan last. If no device reports that, all of
    /// them must be ready. The result is then the first device that is not ready, or else the first without a report.
    private static func played(_ devices: [BandHead], _ plan: Plan, _ now: Timestamp) -> BandHead {
        func word(_ head: BandHead) -> BandHead.Readiness? { head.readiness.first { $0.plan.everywhere == plan.id.everywhere } }
        // Ignore a time in the future, which means that the device's clock is wrong.
        func opened(_ head: BandHead) -> Timestamp? { word(head)?.opened.flatMap { now - $0 >= .seconds(-300) ? $0 : nil } }
        let known = devices.compactMap { head in opened(head).map { (head: head, at: $0) } }
        if let last = known.max(by: { $0.at < $1.at }) { return last.head }
        return devices.first { word($0)?.isReady == false } ?? devices.first { word($0) == nil } ?? devices[0]
    }

    private static func person(_ name: String, _ head: BandHead, _ plan: Plan, _ now: Timestamp, _ maxAge: Duration) -> Person {
        guard let word = head.readiness.first(where: { $0.plan.everywhere == plan.id.everywhere }) else {
            // A report that is recent, is not full and covers the plan's time would include the plan if the device had it.
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
