import Annotations
import Catalogue
import CommandTestSupport
import JSON
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

@Suite(.onLoop)
struct LayersCommandTests {
    private let session = Session()
    private var home: String { session.folder.path }
    private let attachment = AttachmentID("790")
    private let time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)

    private func mark(_ page: Int) -> Mark {
        Mark(id: "m", page: PageIndex(page), kind: .pen, points: [Mark.Point(x: 0.5, y: 0.5)])
    }

    /// A chart of two pages with two layers of Ann's, a deleted layer, and the user's own file.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home + "/data")
        let chart = Model.Attachment(
            id: attachment, filename: "Riverside.pdf", fileSize: 9, updatedAt: time, isGenerated: false, generatedFrom: "")
        try library.plans.update(
            [
                PlanContents(
                    plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "", firstTime: time, lastTime: time),
                    items: [PlanItem(id: ItemID("1"), sequence: 1, title: "Grace", keyName: "", attachments: [chart])])
            ], at: time)
        let bytes = Array("%PDF-1.7\n%%EOF\n".utf8)
        let file = try library.charts.beginChart()
        try bytes.withUnsafeBytes { try file.write($0) }
        let hash = ChartHash(SHA256.digest(of: bytes))
        try library.charts.keep(file, hash: hash, size: bytes.count, for: attachment, version: chart.version)
        let page = PageGeometry(width: 600, height: 800)
        try library.charts.setDescription(StoredDescription(pages: [page, page]), of: hash, by: RendererTag("test"))
        return library
    }

    @LoopActor private func addLayers(to library: Library) throws {
        func layer(_ id: String, _ name: String, _ marks: [Mark], deletedAt: Timestamp? = nil) -> Layer {
            Layer(id: LayerID(id), attachment: attachment, personName: "Ann", name: name, deletedAt: deletedAt, marks: marks)
        }
        try library.layers.update(
            layers: [
                layer("51", "Bowings", [mark(0), mark(1), mark(0)]), layer("52", "Fingerings\u{1B}[2J", []),
                layer("53", "Doodles", [mark(0)], deletedAt: time),
            ], of: PlanID("1"), at: time)
        let stamp = FileStamp(device: 1, inode: 1, size: 1, modified: 1)
        try library.markFiles.store([
            LocalFile(
                path: "/music/Riverside.xopp", stamp: stamp, firstSeen: time, attachment: attachment, content: MarkFile(marks: [mark(2)])),
            LocalFile(path: "/music/Other.xopp", stamp: stamp, firstSeen: time, content: MarkFile(marks: [mark(0)])),
        ])
    }

    @Test @LoopActor func everyLayerIsListedWithItsMarks() async throws {
        try addLayers(to: try library())
        let listed = await session.run("layers", "riverside", "--home", home)
        #expect(listed.code == .fine, "\(listed.messages)")
        let lines = listed.results.split(separator: "\n").dropFirst().map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines == [
                "shown Bowings Ann 2 on page 1, 1 on page 2", "shown Fingerings [2J Ann none",
                "shown Riverside your file /music/Riverside.xopp 1 on page 3, which the chart does not have",
            ])
        let json = await session.run("layers", "790", "--json", "--home", home).results
        #expect(
            json.contains(
                #""file":"/music/Riverside.xopp","parts":[],"shown":true,"pages":[{"page":3,"marks":1,"exists":false,"older":false}]"#),
            "\(json)")
    }

    @Test @LoopActor func aLayerIsCopiedOnceIntoTheOneThatIsDrawnOn() async throws {
        let library = try library()
        try addLayers(to: library)
        let own = home + "/data/annotations"
        let copied = await session.run("layers", "790", "--import", "bowings", "--home", home)
        #expect(copied.code == .fine && copied.messages.contains("2 marks are in \(own)/Grace "), "\(copied.messages)")
        let path = own + "/" + (try #require(try Folder.names(in: own).first))
        let (file, _) = try MarkFileReader.read(path: path)
        #expect(file.marks.map(\.page.value) == [0, 1] && file.reference.attachment == attachment && file.notes == [])
        let again = await session.run("layers", "790", "--import", "51", "--home", home)
        #expect(again.code == .fine && again.messages.contains("All of that is in your layer already"), "\(again.messages)")
        #expect(copied.results.isEmpty && again.results.isEmpty, "only what happened is said")
        #expect(try MarkFileReader.read(path: path).0.marks == file.marks)

        let other = session.folder.path("other.marks.json")
        try AtomicFile.write(#"{"marks":[{"id":"m","page":1,"kind":"line","points":[[0,0],[1,1]]}]}"#, to: other)
        let fromFile = await session.run("layers", "790", "--import", other, "--home", home)
        #expect(fromFile.code == .fine && fromFile.messages.contains("1 mark is in \(path)"), "\(fromFile.messages)")
        #expect(try MarkFileReader.read(path: path).0.marks.count == 3)
        #expect(await session.run("layers", "790", "--import", "nobody's", "--home", home).code != .fine)
        try AtomicFile.write("{", to: path)
        let refused = await session.run("layers", "790", "--import", "bowings", "--home", home)
        #expect(refused.code == .failed && refused.messages.contains("not written over"), "\(refused.messages)")
    }

    /// Neither the same mark under another id nor the target file itself is copied.
    @Test @LoopActor func whatIsThereAlreadyIsNotCopied() async throws {
        try addLayers(to: try library())
        let own = home + "/data/annotations"
        _ = await session.run("layers", "790", "--import", "bowings", "--home", home)
        let path = own + "/" + (try #require(try Folder.names(in: own).first))
        let before = try AtomicFile.read(path, limit: 10_000)
        let other = session.folder.path("other.marks.json")
        try AtomicFile.write(#"{"marks":[{"id":"another","page":1,"kind":"pen","points":[[0.50,0.5]]}]}"#, to: other)
        let same = await session.run("layers", "790", "--import", other, "--home", home)
        #expect(same.code == .fine && same.messages.contains("already"), "\(same.messages)")
        let itself = await session.run("layers", "790", "--import", path, "--home", home)
        #expect(itself.code == .failed && itself.messages.contains("nothing was copied"), "\(itself.messages)")
        #expect(try AtomicFile.read(path, limit: 10_000) == before)
    }

    @Test @LoopActor func marksOnPagesThatTheChartDoesNotHaveAreNotCopied() async throws {
        try addLayers(to: try library())
        let none = await session.run("layers", "790", "--import", "/music/Riverside.xopp", "--home", home)
        #expect(none.code == .fine && none.messages.contains("Nothing was copied."), "\(none.messages)")
        #expect(none.messages.contains("1 mark on page 3 was left out: Riverside.pdf has 2 pages."), "\(none.messages)")
        let other = session.folder.path("other.marks.json")
        let marks = [0, 4, 6, 4].enumerated().map { #"{"id":"\#($0)","page":\#($1),"kind":"pen","points":[[0.\#($0 + 1),0]]}"# }
        try AtomicFile.write("{\"marks\":[\(marks.joined(separator: ","))]}", to: other)
        let some = await session.run("layers", "790", "--import", other, "--home", home)
        #expect(some.messages.contains("1 mark is in ") && some.messages.contains("3 marks on pages 5 and 7 were left out"))
    }

    @Test @LoopActor func aFileIsCheckedWithTheLinesOfWhatIsWrong() async throws {
        _ = try library()
        let path = home + "/data/annotations/a.marks.json"
        try Folder.create(home + "/data/annotations")
        let mark = #"{"id": "a", "page": 0, "kind": "pen", "points": [[0, 0]]}"#
        let text = "{\"attachment_id\": 790, \"marks\": [\n\(mark)]}"
        try AtomicFile.write(text, to: path)
        let good = await session.run("layers", "check", path, "--home", home)
        #expect(good.code == .fine && good.results == "\(path): 1 mark, all can be drawn; 'woodshed sync' draws them\n", "\(good.results)")
        try AtomicFile.write(text.replacing("\"page\": 0", with: "\"page\": 2"), to: path)
        let beyond = await session.run("layers", "check", path, "--home", home)
        #expect(beyond.code == .failed && beyond.results.contains(":2: mark 1: “page” is 2, but pages go from 0 to 1"), "\(beyond.results)")
        try AtomicFile.write("{\"attachment_id\": 790, \"marks\": [\n{\"id\": \"a\", \"kind\": \"pen\",\n\"page\": \"1\"}]}", to: path)
        let bad = await session.run("layers", "check", path, "--home", home)
        #expect(bad.code == .failed && bad.results.hasPrefix("\(path):3: mark 1: “page” has the wrong type; write"), "\(bad.results)")
        #expect(await session.run("layers", "check", path + "x").code == .failed)
        #expect(await session.run("layers", "--home", home).code == .usage)
    }

    @Test(arguments: [
        (#""chart": "zz""#, "no chart here has the “chart” “zz”"),
        (#""chart": "0123456789""#, "no chart here has the “chart” “0123456789”"),
        (#""attachment_id": 5"#, "no chart here has the “attachment_id” “5”"), (#""name": "x""#, "names no chart"),
        (#""attachment_id": 790, "chart": "zz""#, "“chart” is ignored"),
    ])
    @LoopActor func aFileForNoChartThatIsHereIsSaidToBeSo(field: String, reason: String) async throws {
        _ = try library()
        try Folder.create(home + "/data/annotations")
        let path = home + "/data/annotations/a.marks.json"
        try AtomicFile.write("{\n\(field), \"marks\": []}", to: path)
        let checked = await session.run("layers", "check", path, "--home", home)
        #expect(checked.code == .failed && checked.results.contains(reason), "\(checked.results)")
        #expect(checked.results.contains("'woodshed plans --json' lists the ids"), "\(checked.results)")
        #expect(checked.results.hasPrefix("\(path):\(field.contains("name") ? 1 : 2): "), "\(checked.results)")
    }

    @Test @LoopActor func aFileThatIsNeverReadIsSaidToBeSo() async throws {
        _ = try library()
        try Folder.create(home + "/data/annotations/.hidden")
        func check(_ name: String) async throws -> (code: ExitCode, text: String) {
            let path = home + "/" + name
            try AtomicFile.write(#"{"attachment_id": "790", "marks": []}"#, to: path)
            let checked = await session.run("layers", "check", path, "--home", home)
            return (checked.code, checked.results)
        }
        let name = try await check("data/annotations/a.json")
        #expect(name.code == .failed && name.text.contains(":1: nothing reads a file of this name; give it one that ends in .marks.json"))
        let both = try await check("a.xopp").text
        #expect(
            both.contains("is read as Xournal++ writes it; give it one that ends in") && both.contains("nothing reads marks in this folder")
        )
        let ignored = try await check("data/annotations/.a.marks.json")
        #expect(ignored.code == .failed && ignored.text.contains("annotations.ignore leaves out files of this name"), "\(ignored.text)")
        let folder = try await check("a.marks.json")
        #expect(folder.code == .fine && folder.text.contains("0 marks, all would be drawn\n"), "\(folder.text)")
        #expect(folder.text.contains("nothing reads marks in this folder; put the file into one of: \(home)/"), "\(folder.text)")
        #expect(folder.text.contains("\(home)/data/annotations"))
        #expect(try await check("data/annotations/.hidden/a.marks.json").text.contains("annotations.ignore leaves out a folder"))
        #expect(
            try await check("data/annotations/a.marks.json").text.hasSuffix(": 0 marks, all can be drawn; 'woodshed sync' draws them\n"))
    }

    /// A file can be checked before the first sync.
    @Test @LoopActor func withoutALibraryAFileIsCheckedAllTheSame() async throws {
        let path = session.folder.path("a.marks.json")
        try AtomicFile.write(#"{"attachment_id": "790", "marks": []}"#, to: path)
        let checked = await session.run("layers", "check", path, "--home", home)
        #expect(checked.code == .fine && checked.results.contains("whether its chart is here is not known: "), "\(checked.results)")
    }

    /// The schema names all fields and kinds of marks that Woodshed reads, and no field that the manual does not explain.
    @Test @LoopActor func theSchemaNamesEveryField() async throws {
        struct Schema: Decodable {
            struct Form: Decodable {
                var properties: [String: JSONValue]
                var required: [String]
            }
            struct Definitions: Decodable { var mark: Form }
            enum CodingKeys: String, CodingKey {
                case properties
                case definitions = "$defs"
            }
            var properties: [String: JSONValue]
            var definitions: Definitions
        }
        let printed = await session.run("layers", "--schema")
        let schema = try JSONReader.decode(Schema.self, from: Array(printed.results.utf8))
        let manual = try Repository.text("Sources/1-Embedded/Manual/pages/marks.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
            .joined()
        for name in Array(schema.properties.keys) + schema.definitions.mark.properties.keys where name != "point" {
            #expect(manual.contains("`\(name)`"), "marks.md says nothing of \(name)")
        }
        for name in ["v", "points", "created_at", "fill", "dash", "cap", "text", "size", "font", "wrap", "align", "justify", "image"] {
            #expect(schema.definitions.mark.properties[name] != nil)
        }
        #expect(schema.definitions.mark.required == ["id", "page", "kind"])
        for kind in Mark.Kind.names { #expect(printed.results.contains("\"\(kind)\"")) }
    }

    @Test @LoopActor func whatIsNotDrawnAsItWasMadeIsNamed() async throws {
        let library = try library()
        try addLayers(to: library)
        let note =
            "marks not drawn because “kind” is none of pen, highlighter, eraser, line, rectangle, ellipse, text, image: 1 (mark 2, a “hologram”)"
        let stamp = FileStamp(device: 1, inode: 2, size: 1, modified: 1)
        try library.markFiles.store([
            LocalFile(
                path: "/music/Riverside.marks.json", stamp: stamp, firstSeen: time, attachment: attachment,
                content: MarkFile(name: "own", marks: [mark(0)], notes: [note]))
        ])
        let listed = await session.run("layers", "790", "--home", home)
        #expect(
            listed.results.contains("'own' is not all drawn as it was made: \(note)\nWhat can be drawn: woodshed help marks"),
            "\(listed.results)")
        #expect(await session.run("layers", "790", "--json", "--home", home).results.contains(#""not_drawn":["\#(note)"]"#))
    }

    /// Two names may look the same, for example after files were copied from another system. Each file must be listed with its own
    /// notes.
    @Test @LoopActor func twoFilesOfOneNameInTwoUnicodeFormsAreListedEachWithItsOwn() async throws {
        let library = try library()
        let files = ["\u{E9}", "e\u{301}"].enumerated().map { number, name in
            LocalFile(
                path: "/music/\(name).xopp", stamp: FileStamp(device: 1, inode: UInt64(number + 2), size: 1, modified: 1), firstSeen: time,
                attachment: attachment, content: MarkFile(marks: [mark(number)], notes: ["note \(number)"]))
        }
        try library.markFiles.store(files)
        let listed = await session.run("layers", "790", "--json", "--home", home)
        #expect(listed.code == .fine)
        #expect(listed.results.contains(#""not_drawn":["note 0"]"#) && listed.results.contains(#""not_drawn":["note 1"]"#))
    }

    /// The service may have sent a layer without its marks by mistake.
    @Test @LoopActor func whatWasNotAcceptedIsNamedWithWhatHappensNext() async throws {
        let library = try library()
        try addLayers(to: library)
        let emptied = Layer(id: LayerID("51"), attachment: attachment, personName: "Ann", name: "Bowings", revision: 9, marks: [])
        try library.layers.update(layers: [emptied], of: PlanID("1"), at: time)
        let listed = await session.run("layers", "790", "--home", home).results
        #expect(
            listed.contains(
                "the marks of 'Bowings' by Ann: the service sent them without any of the 3 marks that are here; the previous ones are shown; "
                    + "the change is accepted if the service still says so in an hour"), "\(listed)")
        let log = await session.run("log", "--home", home).results
        #expect(
            log.contains("not accepted: ") && log.contains("; the change is accepted if the service still says so in an hour"), "\(log)")
    }

    @Test @LoopActor func layersAreHiddenAndShownBesideTheAgent() async throws {
        let library = try library()
        try addLayers(to: library)
        let lock = try AgentLock.take(in: library.folder)
        defer { withExtendedLifetime(lock) {} }

        let hidden = await session.run("layers", "790", "--hide", "bowings", "--hide", "/music/Riverside.xopp", "--home", home)
        #expect(hidden.code == .fine, "\(hidden.messages)")
        #expect(hidden.results.split(separator: "\n").dropFirst().map { $0.hasPrefix("hidden") } == [true, false, true])
        #expect(try library.drawings.visibleLayers(of: attachment).map(\.id) == [LayerID("52")])

        let shown = await session.run("layers", "790", "--show", "51", "--hide", "fing", "--home", home)
        #expect(shown.results.split(separator: "\n").dropFirst().map { $0.hasPrefix("hidden") } == [false, true, true])
        #expect(try library.drawings.visibleLayers(of: attachment).map(\.id) == [LayerID("51")])
    }

    @Test @LoopActor func marksThatVanishedAreListedAndComeBackInAFileOfTheirOwn() async throws {
        let library = try library()
        let path = home + "/Grace.xopp"
        func store(_ points: [Double], _ seconds: Int) throws {
            let marks = points.map { Mark(id: "\($0)", page: PageIndex(1), kind: .pen, points: [Mark.Point(x: $0, y: 0.5)]) }
            let stamp = FileStamp(device: 1, inode: 1, size: points.count, modified: 1)
            let file = LocalFile(path: path, stamp: stamp, firstSeen: time, attachment: attachment, content: MarkFile(marks: marks))
            try library.markFiles.store(written: [WrittenFile(file)], history: MarkHistory(now: time + .seconds(seconds)))
        }
        let none = await session.run("layers", "790", "--history", "--home", home)
        #expect(none.messages.contains("No marks have vanished from your files for Riverside.pdf."))
        try store([0.1, 0.2, 0.3], 0)
        try store([0.3], 60)
        try store([], 120)
        try Folder.create(home)
        try AtomicFile.write("theirs", to: path)

        let listed = await session.run("layers", "790", "--history", "--home", home)
        let lines = listed.results.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
        #expect(lines.map { $0[0] } == ["2", "1"] && lines.map { $0.suffix(2) } == [["1", "1"], ["3", "3"]], "\(listed.results)")
        let json = await session.run("layers", "790", "--json", "--home", home).results
        #expect(json.contains(#""history":[{"state":2,"file":"\#(path)""#), "\(json)")

        for name in ["Grace.restored.marks.json", "Grace.restored 2.marks.json"] {
            let restored = await session.run("layers", "790", "--restore", "1", "--home", home)
            #expect(restored.code == .fine && restored.messages.contains("3 marks that vanished from \(path) are in \(home)/\(name) now"))
        }
        #expect(try AtomicFile.read(path, limit: 100) == Array("theirs".utf8))
        let (content, _) = try MarkFileReader.read(path: home + "/Grace.restored.marks.json")
        #expect(content.marks.flatMap(\.points).map(\.x) == [0.1, 0.2, 0.3] && content.reference.attachment == attachment)
        #expect(content.name == "Grace (restored)" && content.notes.isEmpty)

        try store([0.1, 0.2], 180)
        #expect(try library.markFiles.missingMarks(of: 1, on: attachment)?.marks.map(\.id) == ["0.3"])
        try store([0.1, 0.2, 0.3], 180)
        let whole = await session.run("layers", "790", "--restore", "1", "--home", home)
        #expect(whole.messages.contains("All marks of state 1 are in your files"))
        let unknown = await session.run("layers", "790", "--restore", "9", "--home", home)
        #expect(unknown.code == .failed && unknown.messages.contains("woodshed layers 790 --history"))
    }

    @Test @LoopActor func whatIsNoSingleLayerChangesNothing() async throws {
        let library = try library()
        let bare = await session.run("layers", "790", "--home", home)
        #expect(bare.code == .fine && bare.results.isEmpty)
        #expect(bare.messages.contains("There are no marks on Riverside.pdf."))
        #expect(await session.run("layers", "790", "--hide", "x", "--home", home).messages.contains("this chart has no layers"))

        try addLayers(to: library)
        let several = await session.run("layers", "790", "--hide", "51", "--hide", "ann", "--home", home)
        #expect(several.code == .failed)
        #expect(several.messages.contains("'ann' matches several layers"))
        #expect(several.messages.contains("51  Bowings (Ann)"))
        let unknown = await session.run("layers", "790", "--hide", "Doodles", "--home", home)
        #expect(unknown.code == .failed)
        #expect(unknown.messages.contains("no layer of this chart is called 'Doodles'"))
        #expect(try library.drawings.hiddenLayers(of: attachment) == [])
        #expect(await session.run("layers", "easter", "--home", home).messages.contains("no chart here is called 'easter'"))
        #expect(await session.run("help", "layers").results.contains("layers <chart>"), "only --schema does without one")
        let exported = await session.run("export", "easter", "--home", home)
        #expect(exported.messages.contains("no plan and no chart here is called 'easter'"), "\(exported.messages)")
    }
}
