import Model
import Platform
import TestSupport
import Testing

@testable import ChartFiles

/// Which chart a file of marks belongs to, on a disk that a dictionary simulates.
@Suite(.timeLimit(.minutes(5)))
struct MarkFileIndexTests {
    private static let charts = "/data/charts"
    private static let folder = "/music/2026-11-22 Harvest"
    private static let (old, new, other, same) = (hash(1), hash(2), hash(3), hash(4))

    private static func hash(_ number: UInt8) -> ChartHash { Samples.hash([number]) }
    private static func place(_ chart: ChartHash) -> String { "\(charts)/\(chart.digest.hex).pdf" }

    /// `grace` was replaced; `c1` and `c2` have the same bytes; `lost` is no longer in the library.
    private let index: MarkFileIndex = {
        func link(_ name: String, _ attachment: String, in folder: String = folder) -> ChartLink {
            ChartLink(path: "\(folder)/\(name).pdf", attachment: AttachmentID(attachment), target: "", stands: false)
        }
        let charts = ["grace": new, "other": other, "c1": same, "c2": same].map { (attachment: AttachmentID($0.key), hash: $0.value) }
        return MarkFileIndex(
            attachments: Set(charts.map(\.0) + [AttachmentID("bare")]),
            links: [
                link("01 Grace", "grace"), link("01 Grace. Alto", "other"), link("02 Öde", "c2"), link("03 Lost", "lost"),
                link("01 Grace", "c1", in: "/music/old"), link("01 Hymn", "c1", in: "/music/set"), link("01 Hymn", "c2", in: "/usb/set"),
                link("02 Hymn", "grace", in: "/music/set"), link("02 Hymn", "grace", in: "/usb/set"),
            ],
            charts: charts, formerCharts: [(AttachmentID("grace"), old), (AttachmentID("lost"), other)],
            chartsFolders: [Self.charts, "/real/charts"])
    }()

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var path = folder + "/notes.xopp"
        var attachment: String?
        var chart: ChartHash?
        var pdf: String?
        /// The targets of links by their paths.
        var disk: [String: String] = [:]
        var bytes: [String: ChartHash] = [:]
        let found: MarkFileMatch?
        var testDescription: String { name }
    }

    private static func grace(_ chart: ChartHash? = nil) -> MarkFileMatch { MarkFileMatch(AttachmentID("grace"), markedOn: chart) }
    private static func match(_ attachment: String, _ chart: ChartHash? = nil) -> MarkFileMatch {
        MarkFileMatch(AttachmentID(attachment), markedOn: chart)
    }

    private static let cases: [Case] = [
        Case(name: "says nothing", path: folder + "/01 Grace.xopp", found: nil),
        Case(name: "names an attachment", attachment: "bare", found: match("bare")),
        Case(name: "names an attachment before a chart", attachment: "bare", chart: other, found: match("bare", other)),
        Case(name: "names an attachment that nobody has, and a chart", attachment: "x", chart: old, found: grace(old)),
        Case(name: "names an attachment that is gone", attachment: "lost", found: nil),
        Case(name: "names a chart that nobody has", chart: hash(9), found: nil),
        Case(name: "names a chart of two", chart: same, found: match("c2", same)),
        Case(name: "names a chart of two, from elsewhere", path: "/home/x.marks.json", chart: same, found: match("c1", same)),
        Case(name: "names a link", path: "/home/x.xopp", pdf: folder + "/01 Grace.pdf", found: grace()),
        Case(name: "names a link in another Unicode form", path: "/x.xopp", pdf: folder + "/02 O\u{308}de.pdf", found: match("c2")),
        Case(
            name: "names a link that lies beside another", path: "/music/old/01 Grace.xopp", pdf: folder + "/01 Grace.pdf", found: grace()),
        Case(name: "names a link from its folder", pdf: "01 Grace.pdf", found: grace()),
        Case(name: "names a link from another folder", path: "/music/mine/x.xopp", pdf: "./../old//01 Grace.pdf", found: match("c1")),
        Case(name: "names no link that was for what is gone", pdf: folder + "/03 Lost.pdf", found: nil),
        Case(name: "names a chart's file", path: "/x.xopp", pdf: place(old), found: grace(old)),
        Case(
            name: "names what leads to a chart", path: "/my set/x.xopp", pdf: "g.pdf", disk: ["/my set/g.pdf": "/real/charts/\(new).pdf"],
            found: grace(new)),
        Case(name: "names what leads elsewhere", path: "/my set/x.xopp", pdf: "g.pdf", disk: ["/my set/g.pdf": "/g.pdf"], found: nil),
        Case(name: "lies beside a link", path: folder + "/01 Grace.xopp", pdf: "tmp/Grace.pdf", found: grace()),
        Case(name: "lies beside a link, by its whole name", path: folder + "/01 Grace.pdf.xopp", pdf: "nowhere.pdf", found: grace()),
        Case(name: "lies beside two links", path: folder + "/01 grace. alto.xopp", pdf: "nowhere.pdf", found: match("other")),
        Case(
            name: "lies beside a link that the user moved", path: "/my set/g.xopp", pdf: "/nowhere.pdf",
            disk: ["/my set/g.pdf": place(old)], found: grace(old)),
        Case(
            name: "lies beside a link, and names other bytes", path: folder + "/01 Grace.xopp", pdf: "/o.pdf", bytes: ["/o.pdf": other],
            found: grace()),
        Case(name: "names a copy", path: "/home/x.xopp", pdf: "copy.pdf", bytes: ["/home/copy.pdf": old], found: grace(old)),
        Case(
            name: "names a link to a copy", path: "/home/x.xopp", pdf: "copy.pdf", disk: ["/home/copy.pdf": "/usb/c.pdf"],
            bytes: ["/usb/c.pdf": other], found: match("other", other)),
        Case(name: "names bytes that nobody has", path: "/home/x.xopp", pdf: "c.pdf", bytes: ["/home/c.pdf": hash(9)], found: nil),
        Case(name: "brings a chart along", path: "/home/x.xopp", chart: new, pdf: "bg.pdf", found: grace(new)),
    ]

    @Test(arguments: cases) func fileBelongsToTheChartThatItMeans(_ given: Case) async {
        let reference = MarkFile.Reference(attachment: given.attachment.map { AttachmentID($0) }, chart: given.chart, pdf: given.pdf)
        let found = await index.match(given.path, reference, follow: { given.disk[$0] }, hash: { given.bytes[$0] })
        #expect(found == given.found)
    }

    @Test(arguments: cases) func bytesAreReadOnlyWhenNothingElseHelps(_ given: Case) async {
        let reference = MarkFile.Reference(attachment: given.attachment.map { AttachmentID($0) }, chart: given.chart, pdf: given.pdf)
        var asked: [String] = []
        let found = await index.match(given.path, reference, follow: { given.disk[$0] }) { path in
            asked.append(path)
            return nil
        }
        #expect(asked.count == (found == nil && given.pdf != nil ? 1 : 0))
    }

    @Test(
        arguments: [
            ("/home/anna/Music/2026-11-22 Harvest/02 O\u{308}de.pdf", match("c2")), ("/anna/2026-11-22 Harvest/03 Lost.pdf", nil),
            ("/anna/Harvest/02 Öde.pdf", nil), ("/anna/2026-11-22 Harvest/Öde.pdf", nil), ("02 Öde.pdf", nil),
            ("../2026-11-22 Harvest/02 Öde.pdf", match("c2")), ("/2026-11-22 Harvest", nil), ("/anna/set/01 Hymn.pdf", nil),
            ("/anna/set/02 Hymn.pdf", grace()),
        ] as [(String, MarkFileMatch?)])
    func aFileOfAnotherPersonBelongsToTheOneChartWithThatNameInAFolderOfThatName(pdf: String, found: MarkFileMatch?) async {
        let reference = MarkFile.Reference(pdf: pdf)
        #expect(index.match(byNamesIn: reference, of: "/home/ben/x.xopp") == found)
        #expect(await index.match("/home/ben/x.xopp", reference, follow: { _ in nil }, hash: { _ in nil }) == nil, "it is the last resort")
    }

    @Test func chartIsKnownByTheFirstDigitsOfItsHash() async {
        func found(_ beginning: String) async -> MarkFileMatch? {
            await index.match("/x.marks.json", .init(chartBeginning: beginning), follow: { _ in nil }, hash: { _ in nil })
        }
        #expect(await found(String(Self.old.digest.hex.prefix(8))) == Self.grace(Self.old))
        #expect(await found(Self.new.digest.shortHex) == Self.grace(Self.new))
        #expect(await found(String(Self.hash(9).digest.hex.prefix(8))) == nil)
        // Digits that fit several charts identify none.
        #expect(await found("") == nil)
    }

    /// A new chart in the library never takes a file of marks away from the chart that a link assigns to it.
    @Test(arguments: 0..<50 as Range<UInt64>) func linkDecidesWhateverElseThereIs(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let ids = (0..<6).map { AttachmentID("\($0)") }
        var links: [ChartLink] = []
        for number in 0..<8 {
            let folder = "/music/\(Int.random(in: 0..<3, using: &generator))"
            guard let attachment = ids.randomElement(using: &generator) else { continue }
            links.append(ChartLink(path: "\(folder)/\(number).pdf", attachment: attachment, target: ""))
        }
        let charts = ids.map { (attachment: $0, hash: Self.hash(.random(in: 0..<4, using: &generator))) }
        let index = MarkFileIndex(
            attachments: Set(ids), links: links, charts: charts,
            formerCharts: ids.map { ($0, Self.hash(.random(in: 0..<4, using: &generator))) }, chartsFolders: [Self.charts])
        for link in links {
            let nowhere: (String) -> String? = { _ in nil }
            let anything = charts.randomElement(using: &generator)?.1
            for (path, pdf) in [("/else/x.xopp", link.path), (link.folder + "/x.xopp", link.name), (link.path + ".xopp", "no.pdf")] {
                let found = await index.match(path, MarkFile.Reference(pdf: pdf), follow: nowhere, hash: { _ in anything })
                #expect(found == MarkFileMatch(link.attachment))
            }
            // If only the hash is known, the file belongs to a chart with these bytes, if possible to a chart in the same folder.
            guard let anything,
                let found = await index.match(link.folder + "/x", .init(chart: anything), follow: nowhere, hash: { _ in nil })
            else { continue }
            let near = Set(links.filter { $0.folder == link.folder }.map(\.attachment))
            let owners = Set(charts.filter { $0.1 == anything }.map(\.0))
            #expect(near.contains(found.attachment) || near.isDisjoint(with: owners))
            #expect(found.markedOn == anything)
        }
    }
}
