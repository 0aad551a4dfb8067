public import Model
import Sets
import Sync

extension Agent {
    /// A chart in one of the musician's own folders that is in no plan, as if an item of a plan showed it.
    public struct BookEntry: Hashable, Sendable {
        public let attachment: Attachment
        public let item: PlanItem
        public let plan: Plan
    }

    /// The charts in the musician's own folders that are in no plan; empty if the folders cannot be read.
    public func songbook() async -> [BookEntry] {
        guard let entries = try? await polling.polls.sets?.songbook() else { return [] }
        return entries.map { entry in
            let attachment = Attachment(id: entry.id, filename: entry.file.name)
            let item = PlanItem(
                id: ItemID(entry.id.text), sequence: 0, title: entry.title.title, keyName: entry.title.key ?? "", attachments: [attachment])
            return BookEntry(
                attachment: attachment, item: item,
                plan: Plan(id: .songbook, serviceType: ServiceTypeID("set"), serviceTypeName: entry.book, dates: entry.book))
        }
    }

    /// Brings a chart of the songbook here, and returns its id from now on.
    public func open(file id: AttachmentID) async throws(Trouble) -> AttachmentID {
        do {
            guard let sets = polling.polls.sets else { throw Trouble(.gone, "This file is not there any more.") }
            return try await sets.open(id)
        } catch {
            throw error as? Trouble ?? Trouble("\(error)")
        }
    }
}
