public import Model

/// One of the user's files with its marks encoded as the catalogue stores them. Encoding takes longer the more marks there are, and is
/// to be done beside the loop.
public struct WrittenFile: Hashable, Sendable {
    /// The file; its content has no marks here.
    public var file: LocalFile
    /// When it was saved, if it was read now; that only counts if its marks are others than before.
    public var save: ObservedSave?
    /// Identifies its marks: equal marks have equal versions. `nil` if the file was never understood.
    public let version: Digest?
    /// The last page that it has marks on; `nil` without marks, and if the catalogue has them already.
    package let lastPage: PageIndex?
    /// The encoded marks; `nil` if the catalogue has them already, or there are none.
    package let text: String?
    /// The marks that it draws; `nil` if the marks are in the catalogue already or were never understood.
    package let sums: MarkSums?

    /// Encodes a file's marks.
    public init(_ file: LocalFile) throws(LibraryError) {
        self.file = file
        self.file.content?.marks = []
        sums = file.content.map { MarkSums(of: $0.marks) }
        lastPage = file.content?.marks.map(\.page).max()
        text = if let content = file.content { try MarksText.write(content.marks, of: file.layerID) } else { nil }
        version = text.map { MarksText.version(of: $0) }
    }

    /// A file whose marks are in the catalogue already.
    package init(known file: LocalFile, version: Digest?) {
        self.file = file
        self.version = version
        lastPage = nil
        sums = nil
        text = nil
    }

    /// Whether it draws the same as `other`.
    public func draws(as other: WrittenFile?) -> Bool { drawing == other?.drawing }

    private struct Drawing: Equatable {
        let attachment: AttachmentID
        let version: Digest
        let name: String?
        let sheets: [PageIndex: PageGeometry]
    }

    private var drawing: Drawing? {
        guard let attachment = file.attachment, let version else { return nil }
        return Drawing(attachment: attachment, version: version, name: file.content?.name, sheets: file.content?.sheets ?? [:])
    }
}
