package import Catalogue
import Library
import Marks
public import Model
import PageCache

extension ReadinessCheck.LibraryFacts {
    /// Adds what was found on disk to what the library knows; where both are about the same file, the disk is newer.
    mutating func note(_ unread: UnreadMarks, in roots: MarkRoots) {
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
        // A file whose chart has arrived since is reported as a lack of that chart.
        let matched = Set(unread.files.values.flatMap(\.keys))
        unmatchedMarks = unmatchedMarks.filter { !unread.overtaken.contains($0.path) && !matched.contains($0.path) } + unread.unmatched
        unmatchedMarks.sort { $0.path.precedesByBytes($1.path) }
        marksBeyond.removeAll { $0.path.map(unread.overtaken.contains) ?? false }
        unreadable = UnreadableFolders(unread.unreadable, in: roots, knowing: markFiles)
    }
}

extension ReadinessCheck {
    /// What happened to the user's mark files for one chart since they were read.
    public func newsOfMarks(of attachment: AttachmentID, at now: Timestamp) async throws -> [ReadinessLack] {
        let known = try library.markFiles.states()
        let unread = try await UnreadMarks(
            in: roots, library, knowing: known, at: now, side: cache.side, atMost: Self.mostLookedInto)
        let news = (unread.files[attachment] ?? [:]).sorted { $0.key < $1.key }.compactMap { path, state -> ReadinessLack? in
            switch state {
            case .unread(let what): return .marksUnread(path: path, what)
            case .fault(let fault):
                let former = known.first { $0.path == path }
                // A file that could not be read before, for the same reason, is no news.
                guard former?.fault != fault else { return nil }
                return .marksUnreadable(path: path, fault: fault, keepsFormer: former?.hasContent ?? false)
            }
        }
        let unreadable = UnreadableFolders(unread.unreadable, in: roots, knowing: known)
        return news + (unreadable.whole + (unreadable.folders[attachment] ?? [])).map(ReadinessLack.marksUnseen)
            + (unread.unsorted.first.map { [.marksUnsorted(files: unread.unsorted.count, path: $0)] } ?? [])
    }
}

extension ChartFacts {
    /// Finds out whose marks cannot be drawn; `visibleLayers` reads the chart's layers, which is seldom needed.
    package mutating func noteMarkers(_ visibleLayers: (AttachmentID) throws(LibraryError) -> [Layer]) throws(LibraryError) {
        let pages = Set(failedForTheirMarks.map(\.page))
        guard !pages.isEmpty else { return }
        for layer in try visibleLayers(attachment.id) {
            let name = LocalFile.path(ofLayer: layer.id) ?? layer.displayName
            for page in pages.intersection(layer.marks.map(\.page)) { markers[page, default: []].append(name) }
        }
    }

    /// Adds what is known of the service's layers on the chart. Hidden layers are not missed.
    mutating func note(_ known: ReadinessCheck.LibraryFacts, hidden: Set<LayerID>) {
        marks.layerDoubts = (known.layerDoubts[attachment.id] ?? []).filter { !hidden.contains($0.layer) }
        marks.goneLayers = known.goneLayers[attachment.id] ?? []
        marks.hiddenFiles = known.hiddenFiles[attachment.id] ?? []
        marks.unreadableFolders = known.unreadable.folders[attachment.id] ?? []
    }
}
