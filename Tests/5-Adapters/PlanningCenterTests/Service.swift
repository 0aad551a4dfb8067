import Model
import PlanningCenter
import Platform
import Synchronization
import TestSupport

/// A simulated service with answers that a test sets, and its client.
@LoopActor
final class Service {
    nonisolated static let root = "https://api.example.org/services/v2"
    nonisolated static let schedules = "\(root)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
    nonisolated static let place = "\(root)/service_types/77/plans/5001"
    nonisolated static let items = "\(place)/items?include=song,arrangement,key&per_page=100"
    nonisolated static let attachments = "\(place)/all_attachments?per_page=100"
    nonisolated static let layers = "https://api.example.org/annotations/v1/layers?where%5Bplan_id%5D=5001&per_page=100"
    nonisolated static let plan = Plan(
        id: PlanID("5001"), serviceType: ServiceTypeID("77"), serviceTypeName: "Sunday Morning", title: "Advent")

    let network = SimulatedNetwork()
    let clock = JumpingClock()
    let lines = Lines()
    let client: PlanningCenterClient

    /// Collects the lines of the log.
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init(
        personID: String? = "104", serviceTypes: [String] = [], annotationsURL: String? = "https://api.example.org/annotations/v1",
        choice: ChartChoice = ChartChoice(), credentials: String = "app:hidden-word", answers: (any AnswerStore)? = nil,
        credentialSource: (any CredentialSource)? = nil
    ) {
        var account = Account(
            apiURL: Self.root, annotationsURL: annotationsURL, credentials: Secret(credentials), personID: personID,
            serviceTypes: serviceTypes.map { ServiceTypeID($0) }, userAgent: "woodshed-tests/1")
        account.credentialSource = credentialSource
        let lines = lines
        client = PlanningCenterClient(
            account: account, choice: choice, transport: network, time: clock, log: Log { lines.add("\($0) \($1)") }, answers: answers,
            randomness: FixedRandomness(fraction: 0.5))
    }

    /// An empty list.
    nonisolated static let nothing = #"{"links":{},"data":[],"included":[],"meta":{"total_count":0,"count":0}}"#
}

extension ServiceFailure {
    /// The name of the case alone, for comparisons.
    var name: String { String("\(Mirror(reflecting: self).children.first?.label ?? "cancelled")") }
}
