import Catalogue
import Freshness
import Library
package import Model
import Platform
import SetFolders
package import Sets

/// The lists of songs that people make and edit in browsers.
extension SetKeeper {
    /// Whether there is a folder for new lists.
    package var keepsLists: Bool { !folders.roots.isEmpty }

    /// Whether a plan is a list of songs in one of the folders.
    package func isList(_ plan: PlanID) -> Bool { (try? path(ofList: plan)) != nil }

    /// The list that a plan is, as its file is now.
    package func list(of plan: PlanID) async throws -> SetListFile {
        let path = try path(ofList: plan)
        return try await inFolders { (folders) throws(Trouble) in try folders.list(at: path) }
    }

    /// Writes a list to its file. Its plan follows with the next look, which is soon.
    package func write(_ draft: SetDraft) async throws -> SetDraft.Outcome {
        let text = try SetList.text(of: draft.lines)
        switch draft.place {
        case .new(let day, let time, let title):
            let name = try SetName.new(day: day, time: time, title: title)
            let path = try await inFolders { (folders) throws(Trouble) in try folders.write(text, named: name) }
            requestLook(at: [path])
            let set = FoundSet(path: path, name: name, .list(SetList(text)))
            let file = path.split(separator: "/").last.map(String.init) ?? path
            return .written(
                name: SongTitle.withoutEnding(file),
                isListed: SetPlan.plan(set, id: .ofSet(file), moment: Self.moment).isComing(at: parts.now, ahead: parts.ahead))
        case .plan(let plan, let digest):
            let path = try path(ofList: plan)
            guard try await inFolders({ (folders) throws(Trouble) in try folders.write(text, to: path, inPlaceOf: digest) }) else {
                return .changed(try await list(of: plan))
            }
            saved[plan] = SetList(text).entries.map(\.line)
            requestLook(at: [path])
            let file = path.split(separator: "/").last.map(String.init) ?? path
            return .written(name: SongTitle.withoutEnding(file), isListed: true)
        }
    }

    /// The plans that are as people have just saved them, however much they left out: nobody else needs to confirm that.
    func savedNow(_ plans: [SetDecision.Identified]) -> Set<PlanID> {
        Set(
            plans.filter { each in
                guard let lines = saved[each.plan.id], case .list(let list) = each.set.contents else { return false }
                return list.entries.map(\.line) == lines
            }.map(\.plan.id))
    }

    private func path(ofList plan: PlanID) throws -> String {
        let known = try parts.library.sets.known().first { $0.value.plan == plan && $0.key.lowercased().hasSuffix(".txt") }
        guard let known else { throw Trouble(.unknown, "This plan is no list of songs in your folders.") }
        return known.key
    }

    private func inFolders<Result: Sendable>(
        _ work: @escaping @Sendable (SetFolders) throws(Trouble) -> Result
    ) async throws -> Result {
        let folders = folders
        let result = try await side.run(within: .seconds(10), parts.time) { () throws(Trouble) in try work(folders) }
        guard let result else {
            throw Trouble(.away, "\(folders.roots.joined(separator: ", ")) did not answer. The set may still be saved once it does.")
        }
        return result
    }
}
