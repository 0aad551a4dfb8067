import CommandTestSupport
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue
@testable import CommandLine
@testable import Configuration
@testable import Moving

/// A home archived as one file and unpacked on another machine.
@Suite(.onLoop)
struct HomeArchiveTests {
    private let session = Session()
    private let chart = ChartHash(SHA256.digest(of: "%PDF-1.4 Grace"))
    private let deep =
        "2026-11-22 Sunday, a day with a name that is far too long for the header of an archive's file, as such names are/01 ß.xopp"
    private var archive: String { session.folder.path("anna.tar") }

    @LoopActor private func paths(_ home: String) throws -> Paths {
        try Configuration.load(ConfigurationSources(environment: session.environment, home: session.folder.path(home))).paths
    }

    /// Fills a home with every kind of file that a home can contain.
    @LoopActor private func fill(_ home: String = "old") throws -> Paths {
        let paths = try paths(home)
        let library = try Library(folder: paths.data)
        defer { library.close() }
        let plan = Plan(id: PlanID("1"), serviceType: ServiceTypeID("s"), serviceTypeName: "S")
        try library.plans.update([PlanContents(plan: plan, items: [])], at: Timestamp(nanoseconds: 1))
        let file = LocalFile(
            path: paths.music + "/" + deep, stamp: FileStamp(device: 1, inode: 2, size: 3, modified: 4),
            firstSeen: Timestamp(nanoseconds: 5), content: MarkFile(marks: []))
        try library.markFiles.store([file])
        for (name, text) in [
            ("data/charts/\(chart.digest.hex).pdf", "%PDF-1.4 Grace"), ("data/annotations/a.marks.json", "{}"), ("music/" + deep, "marks"),
            ("cache/pages/x.png", "pixels"), ("data/runtime/y", ""), ("config/account-token", "app:geheim"),
        ] { _ = try session.write(text, to: home + "/" + name) }
        symlink(paths.data + "/charts/\(chart.digest.hex).pdf", paths.music + "/01 Grace.pdf")
        return paths
    }

    @LoopActor private func export(_ paths: Paths, _ configuration: String? = "render:\n  workers: 2\n") throws -> HomeExport {
        try HomeExport(of: paths, configuration: configuration, to: archive)
    }

    @discardableResult @LoopActor
    private func take(to paths: Paths, isMoved: Bool = false) throws -> HomeImport {
        try HomeImport(of: try HomeArchive(archive), to: paths, home: session.environment.home, isMoved: isMoved)
    }

    @LoopActor private func text(_ path: String) throws -> String {
        String(decoding: try AtomicFile.read(path, limit: 1 << 24), as: UTF8.self)
    }

    /// Lists all files below a folder.
    @LoopActor private func files(in folder: String) throws -> [String] {
        try Folder.namesIfThere(in: folder).flatMap { name in
            let below = try files(in: folder + "/" + name)
            return below.isEmpty ? [folder + "/" + name] : below
        }
    }

    @Test @LoopActor func whatCannotBeReadIsToldWithWhatToDo() throws {
        let paths = try fill()
        let path = "\(paths.data)/charts/\(chart.digest.hex).pdf"
        // A folder in the chart's place cannot be read as a file, not even by root.
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        let error = #expect(throws: Trouble.self) { try export(paths) }
        let words = try #require(error?.description)
        #expect(words.contains(path) && words.contains("nothing was archived") && words.contains("or move it away"))
        #expect(words.contains("woodshed sync' fetches the chart again"), "\(words)")
        #expect(access(archive, F_OK) != 0)
    }

    @Test @LoopActor func whatWasExportedIsThereOnTheOtherSide() throws {
        let old = try fill()
        utimes(old.music + "/" + deep, [timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0)])
        let export = try export(old)
        #expect(export.charts == 1 && export.missingCharts == 0 && export.ownFiles == 2)
        var status = stat()
        #expect(stat(archive, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try !text(archive).contains("geheim") && !text(archive).contains("pixels"))

        let new = try paths("new")
        #expect(try take(to: new).files == 3)
        #expect(try text(new.music + "/" + deep) == "marks" && text(new.data + "/annotations/a.marks.json") == "{}")
        #expect(stat(new.music + "/" + deep, &status) == 0 && status.st_mtim.tv_sec == 1_700_000_000)
        #expect(try text(new.configuration).contains("\n  workers: 2\n"))
        let library = try Library(folder: new.data)
        #expect(try library.plans.all().map(\.plan.id.text) == ["1"])
        #expect(library.newsAtOpening == nil, "it is no older copy of anything")
        #expect(try library.markFiles.file(at: new.music + "/" + deep) != nil, "the catalogue knows it where it is now")
        library.close()
        let there = try files(in: session.folder.path("new"))
        #expect(!there.contains { $0.hasSuffix("token") || $0.hasSuffix(".png") || $0.contains("/.tmp-") || $0.hasSuffix("Grace.pdf") })
    }

    @Test @LoopActor func chartsWhoseFilesAreGoneAreCounted() throws {
        let old = try fill()
        let catalogue = try Database(path: CatalogueFile.path(in: old.data), access: .readWrite)
        for hash in [chart, ChartHash(SHA256.digest(of: "gone"))] {
            try catalogue.run("INSERT INTO charts (hash, size) VALUES (?, 1)", [.text(hash.digest.hex)])
        }
        catalogue.close()
        let export = try export(old)
        #expect(export.charts == 1 && export.missingCharts == 1)
    }

    @Test @LoopActor func nothingIsWrittenOver() throws {
        let old = try fill()
        _ = try export(old)
        let before = try text(archive)
        let again = try #require(throws: Trouble.self) { _ = try export(old) }
        #expect(again.description.contains(archive))
        #expect(try text(archive) == before)
        #expect(try #require(throws: Trouble.self) { try take(to: old) }.description.contains("has a library already"))

        // A different file has that name; an equal file would not prevent the import.
        let new = try paths("new")
        _ = try session.write("{}", to: "new/data/annotations/a.marks.json")
        _ = try session.write("mine", to: "new/music/" + deep)
        let failure = try #require(throws: Trouble.self) { try take(to: new) }
        #expect(failure.description.contains("01 ß.xopp is there already"))
        #expect(try text(new.music + "/" + deep) == "mine")
        #expect(
            try files(in: new.data).map { $0.dropFirst(new.data.count) }.filter { $0 != "/charts" } == [
                "/agent.lock", "/annotations/a.marks.json",
            ])
        unlink(new.music + "/" + deep)
        _ = try session.write("log:\n  level: debug\n", to: "new/config/woodshed.yaml")
        let imported = try take(to: new)
        #expect(imported.files == 2 && imported.keptConfiguration)
        #expect(try text(new.configuration) == "log:\n  level: debug\n")
    }

    @Test @LoopActor func anAgentThatRunsKeepsBothAway() throws {
        let old = try fill()
        _ = try export(old)
        unlink(archive + "2")
        for home in ["old", "new"] {
            let paths = try paths(home)
            try Folder.create(paths.data)
            let lock = try AgentLock.take(in: paths.data)
            defer { withExtendedLifetime(lock) {} }
            #expect(throws: AgentLock.Failure.self) {
                if home == "old" { _ = try HomeExport(of: paths, configuration: nil, to: archive + "2") } else { try take(to: paths) }
            }
        }
        #expect(access(archive + "2", F_OK) != 0)
    }

    @Test @LoopActor func noDamageIsTakenOver() throws {
        _ = try export(try fill())
        let whole = try AtomicFile.read(archive, limit: 1 << 24)
        let new = try paths("new")
        func refuse(_ bytes: [UInt8], _ what: String) throws {
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: archive) }
            #expect(throws: (any Error).self, "\(what)") { try take(to: new) }
        }
        // The changed places are spread over all kinds of blocks: headers, contents and the list.
        for place in stride(from: 20, to: whole.count - 1024, by: max(512, whole.count / 150)) {
            // The padding of a block carries no data.
            guard whole[place] != 0 else { continue }
            var bytes = whole
            bytes[place] ^= 0x20
            try refuse(bytes, "changed at \(place)")
        }
        for count in [0, 1, 511, 512, whole.count / 3, whole.count - 1025, whole.count - 2000] {
            try refuse(Array(whole[..<count]), "cut off at \(count)")
        }
        #expect(try files(in: session.folder.path("new")).isEmpty)
    }

    /// Writes an archive of these files with a correct list of them.
    @LoopActor private func forge(_ files: [(name: String, content: [UInt8])], type: Character = "0") throws {
        var manifest = HomeArchive.Manifest(music: "/m", data: "/d")
        var bytes: [UInt8] = []
        func add(_ name: String, _ content: [UInt8], _ type: Character = "0") {
            var header = TarFile.header(Array(name.utf8), size: content.count, modified: 0)
            if let kind = type.asciiValue, kind != header[156] {
                header[156] = kind
                let sum = header.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(header[$1])) }
                header.replaceSubrange(148..<154, with: Array(("000000" + String(sum, radix: 8)).suffix(6).utf8))
            }
            bytes += header + content + TarFile.padding(content.count)
        }
        for (name, content) in files {
            add(name, content, type)
            manifest.sums.append((Array(name.utf8), SHA256.digest(of: content)))
        }
        add("manifest", manifest.bytes)
        try (bytes + TarFile.end).withUnsafeBytes { try AtomicFile.write($0, to: archive) }
    }

    @Test(arguments: [
        "../x", "/etc/x", "music/../../x", "music/..", "music//x", "music/./x", "annotations", "charts/../x.pdf", "charts/x.pdf",
        "config/x",
        "catalogue.sqlite/x", "music/\u{301}/../../x",
    ])
    @LoopActor func namesThatLeadElsewhereAreRefused(name: String) throws {
        try forge([("catalogue.sqlite", []), (name, [1])])
        #expect(try #require(throws: Trouble.self) { try take(to: try paths("new")) }.description.contains("not allowed"))
    }

    @Test @LoopActor func aChartThatIsNotWhatItsNameSaysIsRefused() throws {
        let catalogue = try AtomicFile.read(CatalogueFile.path(in: try fill().data), limit: 1 << 24)
        try forge([("catalogue.sqlite", catalogue), ("charts/\(chart.digest.hex).pdf", Array("%PDF-1.4 other".utf8))])
        let new = try paths("new")
        #expect(try #require(throws: Trouble.self) { try take(to: new) }.description.contains("not the chart that its name says"))
        #expect(try Folder.namesIfThere(in: new.data + "/charts") == [] && access(CatalogueFile.path(in: new.data), F_OK) != 0)
    }

    @Test @LoopActor func linksAndFoldersAndSecondsAreRefused() throws {
        for type in "1235LKg" {
            try forge([("music/x", [])], type: type)
            #expect(throws: Trouble.self, "\(type)") { _ = try HomeArchive(archive) }
        }
        try forge([("catalogue.sqlite", []), ("music/x", [1]), ("music/x", [2])])
        #expect(throws: Trouble.self) { _ = try HomeArchive(archive) }
        // A folder that is a link would put files outside the music folder.
        unlink(archive)
        _ = try export(try fill("other"))
        let new = try paths("new")
        try Folder.create(new.music)
        symlink(session.folder.path("elsewhere"), new.music + "/" + deep.prefix { $0 != "/" })
        try Folder.create(session.folder.path("elsewhere"))
        #expect(throws: Trouble.self) { try take(to: new) }
        #expect(try Folder.names(in: session.folder.path("elsewhere")).isEmpty)
    }

    @Test @LoopActor func aCatalogueWithOrdersOfItsOwnIsRefused() throws {
        let old = try fill()
        let database = try Database(path: CatalogueFile.path(in: old.data), access: .readWrite)
        try database.run("CREATE TRIGGER t AFTER UPDATE ON links BEGIN DELETE FROM plans; END")
        database.close()
        _ = try export(old)
        #expect(throws: Trouble.self) { try take(to: try paths("new")) }
        #expect(access(try paths("new").data + "/catalogue.sqlite", F_OK) != 0)
    }

    // MARK: The configuration

    @Test @LoopActor func secretsAndPlacesStay() throws {
        let home = session.environment.home
        let sources = ConfigurationSources(
            environment: session.environment,
            file: try session.write(
                "account:\n  token_command: echo geheim\nfolders:\n  cache: /big\nrender:\n  full_size: 900\nannotations:\n  folders: [\(home)/Noten]\n",
                to: "w.yaml"))
        let text = try #require(try Configuration.portable(sources))
        #expect(!text.contains("geheim") && !text.contains("/big") && !text.contains(home), "\(text)")
        #expect(text.contains("\n  full_size: 900\n") && text.contains("~/Noten"), "\(text)")
        for text in ["render:\n  nonsense: 1\n", "account: [\n"] {
            _ = try? export(try fill(), text)
            #expect(throws: ConfigurationError.self) { try take(to: try paths("new")) }
            unlink(archive)
        }
        #expect(try files(in: session.folder.path("new")).isEmpty)
    }

    /// The archive's author must not choose this machine's programs, addresses and recipients.
    @Test @LoopActor func whatRunsOrSendsOrOpensIsOnlyOffered() throws {
        let values = [
            ("account.token_command", "touch /tmp/x"), ("account.token_file", "/home/x/token"), ("account.token_credential", "c"),
            ("account.api_url", "https://example.org/services/v2"), ("account.annotations_url", "https://example.org/a"),
            ("account.allow_http_loopback", "true"), ("account.sign_in", "id"), ("account.sign_in_secret", "/home/x/secret"),
            ("viewer.enabled", "false"), ("viewer.port", "80"), ("viewer.listen", "0.0.0.0"), ("viewer.names", "[evil.example]"),
            ("viewer.token_file", "/home/x/viewer"), ("viewer.guest_token_file", "/home/x/guests"), ("annotations.folders", "[/home/x]"),
            ("export.folder", "/home/x/out"),
            ("folders.data", "/d"), ("folders.cache", "/c"), ("folders.runtime", "/r"), ("folders.music", "/m"),
        ]
        for (key, value) in values {
            let (section, name) = (key.prefix { $0 != "." }, key.drop { $0 != "." }.dropFirst())
            let text = "\(section):\n  \(name): \(value)\nplans:\n  ahead: 7d\n"
            let taken = try Configuration.imported(Array(text.utf8), called: "x", home: "/home/x")
            #expect(taken.offered == [key] && taken.file.contains("\n  ahead: "), "\(key)")
            let line = try #require(taken.file.split(separator: "\n").first { $0.hasPrefix("  #\(name): ") && !$0.hasSuffix(": none") })
            #expect(line.contains(value.prefix { $0 != " " && $0 != "[" }), "\(line)")
            let again = ConfigurationLayer(file: Array(taken.file.utf8), path: "x", base: PathBase(home: "/home/x", folder: nil))
            #expect(again.faults.isEmpty && Array(again.values.keys) == ["plans.ahead"], "\(key): \(again.faults)")
        }
        let others = Set(Options.settings.map(\.key)).subtracting(values.map(\.0))
        #expect(others.allSatisfy { !$0.hasPrefix("viewer.") && !$0.hasPrefix("folders.") && !$0.contains("token") })

        _ = try export(try fill(), "viewer:\n  listen: 0.0.0.0\nrender:\n  workers: 3\n")
        let new = try paths("new")
        #expect(try take(to: new).offeredSettings == ["viewer.listen"])
        #expect(try text(new.configuration).contains("\n  #listen: 0.0.0.0\n") && text(new.configuration).contains("\n  workers: 3\n"))
    }
}
