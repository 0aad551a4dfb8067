/// One of the user's files with marks in it, as it was last read.
public struct LocalFile: Hashable, Sendable {
    public var path: String
    /// The file's stamp when it was last read, successfully or not.
    public var stamp: FileStamp
    /// When it was first seen: marks without a time of their own are drawn as if made then.
    public var firstSeen: Timestamp
    /// The chart that it belongs to; `nil` if none fits.
    public var attachment: AttachmentID?
    /// The bytes that it was marked on, if those are known; `nil` for the ones that its chart has.
    public var markedOn: ChartHash?
    /// What it contained when it was last understood: a file that is cut off now keeps its marks.
    public var content: MarkFile?
    /// Why it could not be understood the last time, and where in the file; `nil` if it could.
    public var fault: String?
    /// Whether it went back to an older state together with others: until a person says which counts, what is known is the newer one.
    public var wentBack = false

    /// Describes a file.
    public init(
        path: String, stamp: FileStamp, firstSeen: Timestamp, attachment: AttachmentID? = nil, markedOn: ChartHash? = nil,
        content: MarkFile? = nil, fault: String? = nil
    ) {
        self.path = path
        self.stamp = stamp
        self.firstSeen = firstSeen
        self.attachment = attachment
        self.markedOn = markedOn
        self.content = content
        self.fault = fault
    }

    /// The id of its layer among all others.
    public var layerID: LayerID { Self.layerID(ofFile: path) }

    private static let layerPrefix = "file:"

    /// The id of the layer of the file at `path`.
    public static func layerID(ofFile path: String) -> LayerID { LayerID(layerPrefix + path) }

    /// The file whose layer has this id; `nil` for a layer that is not a file's.
    public static func path(ofLayer id: LayerID) -> String? {
        id.text.hasPrefix(layerPrefix) ? String(id.text.dropFirst(layerPrefix.count)) : nil
    }

    /// What it draws, as a layer among the others of its chart; `nil` if it belongs to none.
    public var layer: Layer? {
        guard let attachment, let content else { return nil }
        var marks = content.marks
        for place in marks.indices where marks[place].createdAt == nil { marks[place].createdAt = firstSeen }
        return Layer(id: layerID, attachment: attachment, name: content.name ?? stem, marks: marks)
    }

    /// Its name without the folder and without everything from the last dot on.
    private var stem: String {
        let file = path.split(separator: "/").last ?? ""
        return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? String(file)
    }
}
