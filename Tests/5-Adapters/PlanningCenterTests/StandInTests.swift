import DemoService
import HTTPClient
import Model
import PlanningCenter
import Platform
import StandInSupport
import TestSupport
import Testing

/// The client with the stand-in over real HTTP; the two share no decoding.
@Suite(.onLoop)
struct StandInTests {
    @LoopActor private struct Setting {
        let demo: StandIn
        let transport: CurlTransport
        let client: PlanningCenterClient
    }

    @LoopActor private func with(
        token: Secret = DemoService.token, serviceTypes: [String] = [], annotations: Bool = true,
        _ body: @LoopActor (Setting) async throws -> Void
    ) async throws {
        let demo = try StandIn.start(servesAnnotations: annotations)
        defer { demo.stop() }
        let transport = CurlTransport(userAgent: "woodshed-tests/1", allowsInsecureLoopback: true)
        defer { transport.close() }
        let account = Account(
            apiURL: demo.apiURL, annotationsURL: demo.annotationsURL, credentials: token,
            serviceTypes: serviceTypes.map { ServiceTypeID($0) }, userAgent: "woodshed-tests/1")
        let client = PlanningCenterClient(account: account, transport: transport, time: SystemClock(), log: .silent)
        try await body(Setting(demo: demo, transport: transport, client: client))
    }

    @Test @LoopActor func threePlansAreToCome() async throws {
        try await with { setting in
            let plans = try await setting.client.comingPlans()
            #expect(plans.map(\.id.text) == ["67810002", "67820001", "67810003"])
            #expect(plans.map(\.serviceTypeName) == ["Sunday Morning", "Midweek Evening", "Sunday Morning"])
            for plan in plans {
                let first = try #require(plan.firstTime)
                let last = try #require(plan.lastTime)
                #expect(first < last)
                #expect(last - first < .seconds(24 * 3600))
            }
            #expect(setting.demo.statistics.requests == 2)
        }
    }

    @Test @LoopActor func wholeServiceTypesHaveTheSamePlansWithTheirTitles() async throws {
        try await with(serviceTypes: ["501001", "501002"]) { setting in
            let plans = try await setting.client.comingPlans()
            #expect(plans.map(\.title) == ["Gathered In", "Songs of the House", "Light in Winter"])
            #expect(plans.map(\.serviceTypeName) == ["Sunday Morning", "Midweek Evening", "Sunday Morning"])
        }
    }

    @Test @LoopActor func aPlanWithoutTimesHasNoneOfItsOwnMaking() async throws {
        try await with { setting in
            _ = try setting.demo.edit(.setTimes(plan: "67810003", starts: []))
            let plan = try await setting.client.comingPlans().first { $0.id.text == "67810003" }
            #expect(plan != nil)
            #expect(plan?.firstTime == nil && plan?.lastTime == nil)
        }
    }

    @Test @LoopActor func itemsHaveTheirChartsAndNothingElse() async throws {
        try await with { setting in
            let plan = try #require(try await setting.client.comingPlans().first)
            setting.demo.resetStatistics()
            let contents = try await setting.client.contents(of: plan)
            #expect(setting.demo.statistics.requests == 3)
            #expect(contents.plan.title == "Gathered In")
            let charts = Dictionary(uniqueKeysWithValues: contents.items.map { ($0.title, $0.attachments.map(\.filename)) })
            #expect(charts["Prelude"] == ["Piano Album.pdf"])
            #expect(charts["Amazing Grace"]?.count == 3)
            #expect(charts["Amazing Grace"]?.contains("Amazing Grace - B♭ part.pdf") == true)
            #expect(charts["Down by the Riverside"] == ["Down by the Riverside.pdf"])
            #expect(charts["Sermon"] == [])
            #expect(contents.items.map(\.sequence) == Array(1...contents.items.count))
        }
    }

    @Test @LoopActor func twoLooksAtAnUnchangedPlanAreEqual() async throws {
        try await with { setting in
            let plans = try await setting.client.comingPlans()
            for plan in plans {
                #expect(try await setting.client.contents(of: plan) == setting.client.contents(of: plan))
            }
            #expect(try await setting.client.comingPlans() == plans)
        }
    }

    @Test @LoopActor func aReplacedChartHasAnotherVersion() async throws {
        try await with { setting in
            let plan = try #require(try await setting.client.comingPlans().first)
            let before = try await setting.client.contents(of: plan).attachments
            let chart = try #require(before.first)
            _ = try setting.demo.edit(.replaceChart(attachment: chart.id.text, bytes: Array("%PDF-1.4 other".utf8)))
            let after = try await setting.client.contents(of: plan).attachments
            #expect(after.map(\.id) == before.map(\.id))
            #expect(after.first?.version != chart.version)
            #expect(after.dropFirst().map(\.version) == before.dropFirst().map(\.version))
        }
    }

    @Test @LoopActor func everyChartDownloadsAndIsAPDF() async throws {
        try await with { setting in
            var charts: [AttachmentID: Model.Attachment] = [:]
            for plan in try await setting.client.comingPlans() {
                for chart in try await setting.client.contents(of: plan).attachments { charts[chart.id] = chart }
            }
            #expect(charts.count >= 8)
            #expect(charts.values.contains { $0.isGenerated })
            for chart in charts.values {
                var bytes: [UInt8] = []
                let download = try await setting.client.download(chart) { piece in
                    bytes += piece
                    return true
                }
                #expect(bytes.starts(with: "%PDF-".utf8), "\(chart.filename)")
                #expect(download.bytes == bytes.count)
                #expect(chart.isGenerated || chart.fileSize == bytes.count, "\(chart.filename)")
            }
            #expect(setting.demo.statistics.opens.values.allSatisfy { $0 == 1 })
        }
    }

    @Test @LoopActor func layersBelongToThePlansCharts() async throws {
        try await with { setting in
            var marks = 0
            var people: Set<String> = []
            for plan in try await setting.client.comingPlans() {
                let charts = try await Set(setting.client.contents(of: plan).attachments.map(\.id))
                let layers = try #require(try await setting.client.layers(of: plan)).layers
                #expect(layers.allSatisfy { charts.contains($0.attachment) })
                marks += layers.reduce(0) { $0 + $1.marks.count }
                people.formUnion(layers.map(\.personName))
            }
            #expect(marks > 0)
            #expect(people.count == 2)
        }
    }

    @Test @LoopActor func withoutTheExtensionThereAreNoLayersAndNoError() async throws {
        try await with(annotations: false) { setting in
            let plan = try #require(try await setting.client.comingPlans().first)
            #expect(try await setting.client.layers(of: plan) == nil)
        }
    }

    @Test @LoopActor func aWrongTokenIsNotAuthorised() async throws {
        try await with(token: Secret("woodshed-demo:wrong")) { setting in
            let failure = await #expect(throws: ServiceFailure.self) { try await setting.client.comingPlans() }
            #expect(failure?.name == "notAuthorised")
        }
    }

    /// Makes the requests of one poll, but downloads no files.
    @LoopActor private func look(_ client: PlanningCenterClient, known: [PlanContents] = []) async throws -> [PlanContents] {
        var contents: [PlanContents] = []
        for plan in try await client.comingPlans() {
            contents.append(try await client.contents(of: plan, known: known.first { $0.plan.id == plan.id }))
            _ = try await client.layers(of: plan)
        }
        return contents
    }

    @Test @LoopActor func aPollWithoutChangeCostsThreeRequestsAPlanAndTransfersNothing() async throws {
        try await with { setting in
            let first = try await look(setting.client)
            let count = first.count
            #expect(count == 3)
            #expect(setting.demo.statistics.requests <= 2 + 4 * count)
            setting.demo.resetStatistics()
            let second = try await look(setting.client, known: first)
            #expect(first == second)
            let statistics = setting.demo.statistics
            #expect(statistics.requests == 1 + 3 * count)
            // All answers of the service have ETags, so it confirms each of them and sends none again.
            #expect(statistics.unchanged == statistics.requests)
            #expect(statistics.opens.isEmpty)
        }
    }

    @Test @LoopActor func aChangeIsSeenThroughItsTag() async throws {
        try await with { setting in
            let first = try await look(setting.client)
            let item = try #require(first.first?.items.first)
            _ = try setting.demo.edit(.renameItem(item: item.id.text, title: "Another"))
            setting.demo.resetStatistics()
            let second = try await look(setting.client)
            #expect(second.first?.items.first?.title == "Another")
            #expect(setting.demo.statistics.requests - setting.demo.statistics.unchanged == 1)
        }
    }

    @Test @LoopActor func whatIsNoChartIsListedWithItsReason() async throws {
        try await with { setting in
            let plan = try #require(try await setting.client.comingPlans().first)
            let contents = try await setting.client.contents(of: plan)
            let reasons = Dictionary(grouping: contents.leftOut, by: \.reason).mapValues { $0.map(\.filename) }
            #expect(Set(reasons.keys) == [.notAPDF])
            #expect(reasons[.notAPDF]?.contains("Order of service.docx") == true)
            #expect(contents.leftOut.first { $0.filename == "Riverside - run-through.mp3" }?.item == "Down by the Riverside")
        }
    }
}
