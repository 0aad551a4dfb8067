/// How large a mark file may be in each of its dimensions; anything larger is refused as a whole.
///
/// The defaults are far above what a musician writes by hand: an hour of constant writing is some 400,000 points. And they are low enough
/// that a malicious file costs seconds and briefly some hundred megabytes, not the machine.
public struct MarkFileLimits: Hashable, Sendable {
    /// Bytes of the file on the disk. Default 64 MiB.
    public var fileBytes = 64 << 20
    /// Bytes of what the file unpacks to. Default 128 MiB.
    public var inflatedBytes = 128 << 20
    /// Entries of a ZIP archive. Default 1,000.
    public var archiveEntries = 1000
    /// Elements, lists or objects nested in one another. Default 40; Xournal++ uses 4, a native layer 5.
    public var depth = 40
    /// Values of a JSON text, of any kind. Default 2,500,000, of which the largest number of points takes 1,600,000.
    public var values = 2_500_000
    /// Pages. Default 5,000.
    public var pages = 5000
    /// Layers of all pages together. Default 20,000.
    public var layers = 20_000
    /// Marks; a stroke that alternates between a width and none counts as several. Default 50,000: a thousand on each page of a long
    /// chart.
    public var marks = 50_000
    /// Points of one stroke: a quarter of an hour without lifting the pen. Default 100,000.
    public var strokePoints = 100_000
    /// Points of all marks together. Default 400,000.
    public var points = 400_000
    /// Points of all marks on one page. Default 200,000.
    public var pagePoints = 200_000
    /// Bytes of one text. Default 256 KiB.
    public var textBytes = 256 << 10
    /// Bytes of one picture's base64. Default 24 MiB.
    public var pictureBytes = 24 << 20
    /// Bytes of all texts and pictures together. Default 32 MiB.
    public var contentBytes = 32 << 20
    /// Approximate bytes that all marks take when they are written out again: with their dashes, fonts, names and everything else in
    /// them. Default 48 MiB.
    public var writtenBytes = 48 << 20

    /// Makes the default limits.
    public init() {}
}
