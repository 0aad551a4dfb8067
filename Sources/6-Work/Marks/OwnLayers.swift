import Annotations
public import Catalogue
import ChartFiles
import LayerJoin
public import Library
public import Model
public import Platform

/// The musician's own layers, which are drawn in browsers: this home's part of each chart's layer is a file in one folder. No
/// other mark files are ever changed.
///
/// Once written, a part is treated like any other mark file: the watcher reports it, it is read, and its pages are drawn again.
@LoopActor
public final class OwnLayers {
    /// A chart to draw on.
    public struct Chart: Hashable, Sendable {
        public let attachment: AttachmentID
        public let hash: ChartHash
        /// The title, used in the file's name.
        public let title: String
        public let pages: Int
        /// All homes' parts of the chart's layer that the library knows.
        public let parts: [KnownPart]
        /// The places of marks that were made on a former version of the chart, and are drawn elsewhere on this one.
        public let followed: FollowedPlaces?

        public init(
            _ attachment: AttachmentID, _ hash: ChartHash, title: String, pages: Int, parts: [KnownPart] = [],
            followed: FollowedPlaces? = nil
        ) {
            (self.attachment, self.hash, self.title, self.pages, self.parts) = (attachment, hash, title, pages, parts)
            self.followed = followed
        }

        /// The chart with its marks where they were made, or at these places.
        func asMade(followed: FollowedPlaces? = nil) -> Chart {
            Chart(attachment, hash, title: title, pages: pages, parts: parts, followed: followed)
        }
    }

    /// The result of adding edits to a layer.
    public struct Addition: Sendable {
        /// The layer as it is on the disk now, as a response to a browser.
        public let answer: [UInt8]
        /// What to store in the library about the file, even if somebody replaces the file right away; `nil` if nothing was written.
        package let reading: MarkReading?
    }

    private let shelf: OwnLayerShelf
    package let folder: String
    private let side: SideThread
    private let time: any TimeKeeper
    /// How long to wait for the folder: 20 seconds for a disk of this machine, which may be slow, but 5 for a network folder, which may
    /// never respond.
    private let patience: Duration

    /// Keeps the parts of this `home` in the first folder that is configured for marks; if none is, in Woodshed's own folder `ours`.
    public init(
        _ folders: [String], ours: String, roots: MarkRoots, home: HomeID, side: SideThread = SideThread(),
        time: any TimeKeeper = SystemClock()
    ) {
        folder = folders.first ?? ours
        shelf = OwnLayerShelf(folder: folder, isOurs: folders.isEmpty, roots: roots, home: home)
        (self.side, self.time) = (side, time)
        patience = Folder.isOnNetwork(folder) ? .seconds(5) : .seconds(20)
    }

    /// Does `work` in the folder. Throws if the folder does not respond in time; the browser gets that error, and tries again.
    private func work<Result: Sendable>(
        _ work: @escaping @Sendable (OwnLayerShelf) throws(Trouble) -> Result
    ) async throws(Trouble) -> Result {
        let result = try await side.run(within: patience, time) { [shelf] () throws(Trouble) in try work(shelf) }
        guard let result else {
            throw Trouble(
                .away,
                "Your marks are not kept yet: the folder \(folder) does not answer. They stay on this page until it does; its disk or network may be away."
            )
        }
        return result
    }

    /// A chart's layer, as a response to a browser. The marks are left out if the browser's tag `known` is that of the present state.
    public func layer(of chart: Chart, known tag: String? = nil) async throws(Trouble) -> [UInt8] {
        try await work { shelf throws(Trouble) in
            let (layer, states, present) = try shelf.layer(of: chart)
            return layer.answer(called: present, on: chart.hash, of: states, since: present == tag ? tag : nil)
        }
    }

    /// Adds a browser's edits. If the browser's tag `known` is that of the present state, the response contains only the edited marks.
    public func add(_ request: [UInt8], to chart: Chart, known tag: String? = nil) async throws(Trouble) -> Addition {
        try await work { shelf throws(Trouble) in
            try shelf.add(LayerEdits.read(request, pages: chart.pages, of: chart.hash), to: chart, known: tag)
        }
    }

    /// Makes the place of a mark that a person chose an edit of the mark, which reaches the musician's other machines.
    public func settle(_ mark: String, at place: FollowedMark, on chart: Chart) async throws(Trouble) -> Addition? {
        try await work { shelf throws(Trouble) in try shelf.settle(MarkID(mark), at: place, on: chart) }
    }

    /// The marks of a chart's layer, in drawing order.
    public func marks(of chart: Chart) async throws(Trouble) -> [Mark] {
        try await work { shelf throws(Trouble) in NativeLayerReader.marks(of: try shelf.layer(of: chart).layer.marks) }
    }

    /// The outcome of copying marks.
    public struct Copied: Sendable {
        /// How many copied marks are new.
        public let count: Int
        /// The file with the copies; `nil` if there was nothing to write.
        public let path: String?
        /// The pages of the marks left out because the chart does not have those pages.
        public let beyond: [PageIndex]
        /// How many other marks were left out because they are invisible.
        public let unseen: Int
    }

    /// Copies marks of another layer, each once: a mark that was copied earlier keeps its present state. `source` is that layer's
    /// file, if it has one. Marks that `areBrought` from another chart have the ids of their copies already.
    public func copy(
        _ marks: [Mark], from source: String?, to chart: Chart, at now: Timestamp, areBrought: Bool = false
    ) async throws(Trouble) -> Copied {
        try await work { shelf throws(Trouble) in
            let parts = try [shelf.path(of: chart)] + chart.parts.map(\.path)
            if let file = source.flatMap({ FileIdentity(of: $0) }), let part = parts.first(where: { FileIdentity(of: $0) == file }) {
                throw Trouble(
                    .senseless(because: nil), "\(part) is the layer that you draw on in the browser already; nothing was copied.")
            }
            let known = try shelf.layer(of: chart.asMade()).layer
            // Nobody knows on which version of a chart the marks of others were made, but the place of what is brought was found on this one.
            let (fitting, beyond) = marks.reduce(into: ([Mark](), [PageIndex]())) { parts, mark in
                var mark = mark
                mark.on = areBrought ? chart.hash.beginning : nil
                if (0..<chart.pages).contains(mark.page.value) { parts.0.append(mark) } else { parts.1.append(mark.page) }
            }
            let copies: [LayerValue]
            do {
                copies = try LayerCopies.of(fitting.filter(LayerCopies.isSeen), newTo: known, at: now, areBrought: areBrought)
            } catch {
                throw Trouble(.senseless(because: nil), "The marks cannot be copied: \(error).")
            }
            let path = copies.isEmpty ? nil : try shelf.add(copies, to: chart).reading?.path
            let unseen = fitting.count { !LayerCopies.isSeen($0) }
            return Copied(count: copies.count, path: path, beyond: beyond, unseen: unseen)
        }
    }
}
