/// What is to be compared with the files as they are known.
enum MarkLook: Hashable {
    case nothing
    /// Everything below these folders.
    case folders(Set<String>)
    case all

    /// With more folders than this, looking at everything is no more work.
    private static let mostFolders = 64

    mutating func formUnion(_ other: MarkLook) {
        switch (self, other) {
        case (.nothing, _): self = other
        case (_, .nothing): break
        case (.folders(let these), .folders(let those)) where these.union(those).count <= Self.mostFolders:
            self = .folders(these.union(those))
        default: self = .all
        }
    }
}
