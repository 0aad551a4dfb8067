import Catalogue
import Library
public import Model
import Platform
import Sync

extension Agent {
    /// Draws a song as the musician wants to read it, in one plan or in all plans. Without a `view`, draws the song in its usual
    /// form. Sends no request to the service. Returns `nil` once the plan's chart exists and its pages are counted, otherwise the
    /// reason why not. Throws if the library fails.
    public func read(
        _ song: SongID, as view: SongView?, in plan: PlanID, isEverywhere: Bool
    ) async throws(Trouble) -> String? {
        let plans: [PlanContents]?
        do throws(LibraryError) {
            plans = try core.library.plans.read(song, as: view, in: plan, isEverywhere: isEverywhere, at: core.now)
        } catch {
            throw Trouble("\(error)")
        }
        guard let plans = plans?.map({ $0.showing(only: song) }) else { return "this plan has no such song by now" }
        let setbacks = await polling.downloads.draw(Array(plans.prefix(1)))
        // The musician waits only for the first plan.
        if plans.count > 1 {
            spawn { [polling] in
                _ = await polling.downloads.draw(Array(plans.dropFirst()))
                polling.plansChanged()
                self.reconcile()
            }
        }
        polling.plansChanged()
        reconcile()
        return setbacks.first?.message
    }
}

extension PlanContents {
    fileprivate func showing(only song: SongID) -> PlanContents {
        var contents = self
        for index in items.indices { contents.items[index].attachments.removeAll { $0.id != AttachmentID(drawnFrom: song) } }
        return contents
    }
}
