import Library
import Model
import Platform
import TestSupport

/// Compares the library with the service's true states, and checks for losses that a person could see.
extension Simulation {
    /// Records the service's state, so that made-up answers can be recognised.
    func remember() { truth.changed(to: service.plans, layers, at: clock.now) }

    /// Checks that the library still has every chart that was here and that a plan at the service shows, whatever lies the agent received.
    func checkNothingIsGone() throws {
        let here = Set(try Folder.names(in: folder.path("data/charts")).map { String($0.prefix { $0 != "." }) })
        for plan in service.plans {
            for chart in plan.charts where chartsSeen.contains(Truth.hash(chart)) && !here.contains(Truth.hash(chart)) {
                complain("\(chart.name) of plan \(plan.id) was here and is gone")
            }
        }
        chartsSeen = here
        guard let life else { return }
        for layer in layers.values.sorted(by: { $0.id < $1.id }) {
            let made = Set(truth.allStates.compactMap { $0.layers[layer.id]?.shown })
            for stored in try life.library.layers.all(of: AttachmentID(layer.attachment)) where stored.id == LayerID(layer.id) {
                let dots = stored.deletedAt == nil ? stored.marks.map { MarkText.Dot(page: $0.page.value, x: Self.dot($0).x) } : []
                if !made.contains(dots) { complain("\(layer.id) has marks that nobody made: \(dots)") }
            }
        }
    }

    /// The dot for a mark; the musician's own dots are higher on the page.
    static func dot(_ mark: Mark) -> Dot { Dot(x: mark.points.first?.x ?? -1, isOwn: mark.points.first?.y == 0.25) }
}
