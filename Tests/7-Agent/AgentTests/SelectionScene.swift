import Agent
import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering
import TestSupport

/// Two Sundays with three charts of five pages each. Nothing is rendered at first; `beginAll` starts two jobs and holds them.
@LoopActor
final class SelectionScene {
    static let plans = ["2026-11-22", "2026-11-29"].enumerated().map { number, day in
        SmallService.Plan(
            id: "\(number + 1)", startsAt: day + "T10:00:00Z",
            charts: ["a", "b", "c"].map {
                SmallService.Chart(
                    id: "\(number + 1)\($0)", name: "Song \(number + 1)\($0)", bytes: SmallService.pdf("\(number + 1)\($0)"))
            })
    }

    /// The image folder of the chart whose bytes are made from `text`.
    static func folder(of text: String) -> ImageFolder { ImageFolder(of: ChartHash(SHA256.digest(of: SmallService.pdf(text)))) }

    let stage: Stage
    var agent: Agent { stage.agent }
    var renderer: SimulatedRenderer { stage.renderer }

    init(layers: [String] = []) async throws {
        stage = try Stage(Self.plans)
        stage.service.layers["1"] = layers
        stage.renderer.describe = { _ in
            .success(ChartDescription(pages: Array(repeating: PageGeometry(width: 612, height: 792), count: 5)))
        }
        // No job succeeds, so that after the sync only the images are missing.
        stage.renderer.verdict = { _ in .failure(.stopped) }
        await stage.sync()
        _ = stage.newJobs()
        stage.renderer.verdict = { _ in .success(PageOutcome()) }
    }

    /// Queues all images; two jobs start, and are held.
    func beginAll() async {
        renderer.isHeld = true
        agent.reconcile()
        await until { renderer.running == 2 }
        _ = stage.newJobs()
    }

    func select(_ chart: String, _ page: Int, isMarked: Bool = true) -> Task<Result<ShownPage, Trouble>, Never> {
        spawn { [agent] in
            do throws(Trouble) {
                return .success(try await agent.showing.select(chart: AttachmentID(chart), page: PageIndex(page), isMarked: isMarked))
            } catch {
                return .failure(error)
            }
        }
    }

    func until(_ isSo: () -> Bool) async {
        while !isSo() { await Task.yield() }
    }

    /// Lets all work run that does not wait for the clock.
    func rest() async {
        for _ in 0..<200 { await Task.yield() }
    }

    func finish() async {
        renderer.isHeld = false
        while renderer.finishNext() {}
        await stage.settleAsTold()
    }

    func path(_ chart: String) -> String { stage.library.charts.path(of: ChartHash(SHA256.digest(of: SmallService.pdf(chart)))) }

    func words(_ jobs: [PageJob]) -> [String] {
        let names = Dictionary(uniqueKeysWithValues: Self.plans.flatMap(\.charts).map { (path($0.id), $0.id) })
        return jobs.map { "\(names[$0.chart] ?? "-").\($0.page.value)" }
    }
}
