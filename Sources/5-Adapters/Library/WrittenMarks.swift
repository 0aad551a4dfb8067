public import Catalogue
public import LayerJoin
public import Model

/// One of the user's files, with its marks encoded as the catalogue stores them. Encoding takes longer the more marks there are, so
/// it should run outside the loop.
public struct WrittenFile: Hashable, Sendable {
    /// The file, with its marks removed from the content.
    public var file: LocalFile
    /// When the file was saved, if it was read now; this counts only if the file's marks have changed.
    public var save: ObservedSave?
    /// Identifies the file's marks: equal marks have equal versions. `nil` if the file could never be read.
    public let version: Digest?
    /// The last page with marks; `nil` if there are none, or if the catalogue already has the marks.
    package let lastPage: PageIndex?
    /// The encoded marks; `nil` if the catalogue already has them or the file could not be read.
    package let text: String?
    /// The drawings of the marks; `nil` if the catalogue already has the marks or the file could not be read.
    package let sums: MarkSums?
    /// The ids of the marks, present or deleted, that the file itself accounts for.
    package var accountedFor: Set<String>
    /// The file's contents as a part of a layer, if the file is a part and was read now.
    public var part: LayerPart?

    /// Encodes a file's marks.
    public init(_ file: LocalFile) throws(LibraryError) {
        self.file = file
        self.file.content?.marks = []
        self.file.content?.accountedFor = []
        accountedFor = file.content?.accountedFor ?? []
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
        accountedFor = []
        text = nil
    }

    /// Returns whether this file draws the same as `other`.
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

/// The layers that are drawn on a chart, as the catalogue stores them. Reading them takes longer the more marks there are, so it
/// should run outside the loop.
public struct WrittenLayers: Sendable {
    package struct Entry: Sendable {
        let id: LayerID
        let text: String
        /// When the marks without a time of their own were made; `nil` if that is not known.
        let time: Timestamp?
        let laying: Laying

        package init(id: LayerID, text: String, time: Timestamp?, laying: Laying) {
            self.id = id
            self.text = text
            self.time = time
            self.laying = laying
        }
    }

    /// A digest of these layers, by which a drawing that was made from them is recognised.
    public let drawing: Digest
    let attachment: AttachmentID
    let entries: [Entry]

    package init(drawing: Digest, attachment: AttachmentID, entries: [Entry]) {
        self.drawing = drawing
        self.attachment = attachment
        self.entries = entries
    }

    /// The layers. Each mark of a file gets a time, if it has none, and its position on the chart's page. Names and revisions are
    /// missing, since drawing does not need them.
    public func read() throws(LibraryError) -> [Layer] {
        var layers: [Layer] = []
        for entry in entries {
            var marks = try MarksText.read(entry.text, of: entry.id)
            if let time = entry.time {
                for place in marks.indices where marks[place].createdAt == nil { marks[place].createdAt = time }
            }
            entry.laying.lay(&marks)
            layers.append(Layer(id: entry.id, attachment: attachment, marks: marks))
        }
        return layers
    }
}

/// How the pages that marks were made on are placed on a chart's pages: top left on top left, never stretched.
package struct Laying: Sendable {
    let sheets: [PageIndex: PageGeometry]
    /// The sizes of the chart's pages; empty until they have been measured.
    let pages: [PageGeometry]
    /// The places of marks that are elsewhere on this chart than on the one that they were made on.
    let followed: FollowedPlaces?

    package init(sheets: [PageIndex: PageGeometry], pages: [PageGeometry], followed: FollowedPlaces? = nil) {
        self.sheets = sheets
        self.pages = pages
        self.followed = followed
    }

    package func lay(_ marks: inout [Mark]) {
        guard followed != nil || !sheets.isEmpty && !pages.isEmpty else { return }
        marks = marks.compactMap { mark in
            if let followed, case (let moved, isWhereItWas: false) = followed.drawn(mark) { return moved }
            guard let sheet = sheets[mark.page], pages.indices.contains(mark.page.value) else { return mark }
            return mark.laid(on: pages[mark.page.value], madeOn: sheet)
        }
    }
}
