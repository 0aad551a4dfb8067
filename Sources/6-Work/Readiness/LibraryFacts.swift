package import Catalogue
import ChartFiles
package import Library
import Marks
package import Model
package import Platform

extension ReadinessCheck {
    /// Everything that the library knows about charts, completed by what was found in the mark folders.
    package struct LibraryFacts {
        package let tag: RendererTag
        package var imageFaults: [ImageName: String] = [:]
        package var unreadable = UnreadableFolders()
        package let markFiles: [MarkFileState]
        private(set) var strayMarks: [ReadinessReport.StrayMarks] = []
        private(set) var unmatchedMarks: [ReadinessReport.UnmatchedMarks] = []
        private(set) var marksBeyond: [MarksBeyond]
        private var marks: [AttachmentID: [MarkFacts.File]] = [:]
        private var chartFaults: [ChartHash: String] = [:]
        private let downloadFaults: [ChartUse: DownloadFault]
        private let lostContent: [ChartHash: [LostContent]]
        private let outdated: [AttachmentID: [OutdatedMarks]]
        private let layerDoubts: [AttachmentID: [LayerDoubt]]
        private let goneLayers: [AttachmentID: [String]]
        private let copies: [AttachmentID: [MarkCopies.Copy]]
        private let vanished: [AttachmentID: [FormerMarks]]
        private let goneFiles: [AttachmentID: [FormerMarks]]
        private let hiddenFiles: [AttachmentID: [String]]
        private let linksLeftBehind: [AttachmentID: [LinkLeftBehind]]

        /// How long a missing mark file is reported: long enough that the user opens the chart meanwhile and notices an accidental
        /// removal.
        private static let goneFor: Duration = .seconds(7 * 86_400)

        @LoopActor
        package init(_ library: Library, _ renderer: RendererIdentity, at now: Timestamp) throws(LibraryError) {
            tag = renderer.tag
            for fault in try library.images.faults() where fault.isFinal && fault.tag == renderer.tag {
                if let image = fault.image { imageFaults[image] = fault.reason } else { chartFaults[fault.chart] = fault.reason }
            }
            downloadFaults = try library.charts.downloadFaults()
            lostContent = try library.images.lostContent()
            outdated = Dictionary(grouping: try library.olderMarks.outdatedMarks(), by: \.attachment)
            marksBeyond = try library.drawings.marksBeyond()
            layerDoubts = Dictionary(grouping: try library.layers.doubts(), by: \.attachment)
            goneLayers = try library.layers.goneNames()
            copies = try library.drawings.copiesLeftOut()
            vanished = try library.markFiles.vanishedMarks()
            goneFiles = try library.markFiles.vanishedMarks(goneSince: now - Self.goneFor)
            hiddenFiles = try library.drawings.filesHiddenByChoice()
            linksLeftBehind = try library.links.linksLeftBehind()
            let references = Dictionary(try library.markFiles.unmatchedReferences().map { ($0.path, $0.reference) }) { first, _ in first }
            markFiles = try library.markFiles.states()
            for state in markFiles {
                if let attachment = state.attachment {
                    marks[attachment, default: []].append(
                        MarkFacts.File(
                            path: state.path, fault: state.fault, keepsFormer: state.hasContent, leftOut: state.notes))
                } else if let fault = state.fault {
                    strayMarks.append(ReadinessReport.StrayMarks(path: state.path, fault: fault))
                } else if let reference = references[state.path] {
                    unmatchedMarks.append(ReadinessReport.UnmatchedMarks(path: state.path, reference))
                }
            }
        }

        /// Everything known of a chart without checking its file and images. `refusal` is the reason why the chart did not
        /// arrive, if the caller has a newer one. Hidden layers cause no lacks.
        @LoopActor
        package func facts(of attachment: Attachment, in library: Library, refusal: String?) throws(LibraryError) -> ChartFacts {
            let hidden = try library.drawings.hiddenLayers(of: attachment.id)
            var facts = ChartFacts(attachment: attachment)
            facts.refusal = refusal ?? downloadFaults.reason(of: attachment)
            facts.marks.files = marks[attachment.id] ?? []
            facts.marks.layerDoubts = (layerDoubts[attachment.id] ?? []).filter { !hidden.contains($0.layer) }
            facts.marks.goneLayers = goneLayers[attachment.id] ?? []
            facts.marks.hiddenFiles = hiddenFiles[attachment.id] ?? []
            facts.marks.unreadableFolders = unreadable.folders[attachment.id] ?? []
            facts.marks.copies = copies[attachment.id] ?? []
            facts.marks.vanished = vanished[attachment.id] ?? []
            facts.marks.gone = goneFiles[attachment.id] ?? []
            facts.linksLeftBehind = linksLeftBehind[attachment.id] ?? []
            facts.marks.beyondPages = marksBeyond.filter { $0.attachment == attachment.id }
            guard let stored = try library.charts.chart(of: attachment.use) else { return facts }
            facts.stored = stored
            facts.marks.olderPages = Set(
                (outdated[attachment.id] ?? []).filter { $0.chart == stored.hash && !hidden.contains($0.layer) }.flatMap(\.pages)
            ).sorted()
            facts.path = library.charts.path(of: stored.hash)
            facts.lostContent = lostContent[stored.hash] ?? []
            facts.reasonNotToOpen = chartFaults[stored.hash]
            if let unreadable = try library.charts.unreadable(stored.hash), unreadable.tag == tag {
                facts.reasonNotToOpen = unreadable.reason
            }
            return facts
        }

        /// Adds what was found on disk. If the library knows the same file, what was found on disk is newer and replaces it.
        mutating func note(_ unread: UnreadMarks) {
            for (attachment, files) in unread.files {
                for (path, state) in files.sorted(by: { $0.key < $1.key }) {
                    let place = marks[attachment]?.firstIndex { $0.path == path }
                    var file = place.flatMap { marks[attachment]?[$0] } ?? MarkFacts.File(path: path)
                    switch state {
                    case .unread(let what): file.unread = what
                    case .fault(let fault): file.fault = fault
                    }
                    if let place { marks[attachment]?[place] = file } else { marks[attachment, default: []].append(file) }
                }
            }
            strayMarks = strayMarks.filter { !unread.overtaken.contains($0.path) } + unread.strays
            // If a file's chart has arrived meanwhile, the file is reported as a lack of that chart.
            let matched = Set(unread.files.values.flatMap(\.keys))
            unmatchedMarks = unmatchedMarks.filter { !unread.overtaken.contains($0.path) && !matched.contains($0.path) } + unread.unmatched
            unmatchedMarks.sort { $0.path.precedesByBytes($1.path) }
            marksBeyond.removeAll { $0.path.map(unread.overtaken.contains) ?? false }
            unreadable = unread.unreadable
        }
    }
}
