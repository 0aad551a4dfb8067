import Exporting
import Glibc
import Model
import Platform
import TestSupport
import Testing

/// What becomes of a plan's PDF that a disk does not take.
@Suite(.onLoop)
struct PDFDiskTests {
    private static let reason: Comment = "this system does not let a plain user mount a small disk of his own"

    private func wanted(_ key: String) -> PDFShelf.Wanted {
        PDFShelf.Wanted(plan: PlanID("1"), name: "plan.pdf", key: SHA256.digest(of: key), end: nil)
    }

    private func made(_ bytes: Int, in folder: TemporaryFolder) throws -> TemporaryFile {
        let file = try TemporaryFile.create(inFolderOf: folder.path("plan.pdf"))
        try [UInt8](repeating: 7, count: bytes).withUnsafeBytes { try file.write($0) }
        return file
    }

    private func record(in home: TemporaryFolder) throws -> String {
        String(decoding: try AtomicFile.read(home.path("exports.json"), limit: 1 << 20), as: UTF8.self)
    }

    @Test func nothingIsPlacedThatCannotBeNotedFirst() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        var shelf = PDFShelf(folder.path, recordedAt: home.path("away/exports.json"))
        #expect(throws: SystemError.self) { try shelf.place(made(100, in: home), as: wanted("a")) }
        #expect(try Folder.names(in: folder.path) == [])
    }

    @Test func whatCannotBeReadIsNotReplaced() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        // Readable for nobody: a link that leads to itself.
        symlink(home.path("exports.json"), home.path("exports.json"))
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(shelf.trouble?.contains("make that file readable") == true)
        #expect(throws: SystemError.self) { try shelf.place(made(100, in: home), as: wanted("a")) }
        #expect(try Folder.names(in: folder.path) == [] && Folder.names(in: home.path) == ["exports.json"])
    }

    /// Places a file and another one for it, as they are noted between the two.
    private func placeTwo(in folder: TemporaryFolder, _ home: TemporaryFolder) throws {
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right)
        let former = try #require(try record(in: home).firstMatch(of: /"files":\[(\{[^}]*\})\]/)).1
        #expect(try shelf.place(made(200, in: home), as: wanted("b")) == .right)
        let both = try record(in: home).replacing("\"files\":[", with: "\"files\":[\(former),")
        try AtomicFile.write(both, to: home.path("exports.json"))
    }

    /// After a kill either may be there.
    @Test func theFormerFileAndTheOneThatWasAboutToComeAreBothOurs() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        try placeTwo(in: folder, home)
        var next = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(next.files.count == 2)
        #expect(try next.state(wanted("b")) == .right && next.files.count == 1)
    }

    /// A kill after the two have changed places leaves the former one under a temporary name.
    @Test func theFileThatWasToGoIsRemovedLaterAndNobodyElses() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        try placeTwo(in: folder, home)
        func leave(_ bytes: [UInt8], as name: String) throws {
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: folder.path(name)) }
        }
        let others = [".tmp-1-3-exchanged", ".tmp-1-4-exchanged.pdf", ".tmp-1-5-exchanged"]
        try leave([UInt8](repeating: 7, count: 100), as: ".tmp-1-2-exchanged")
        try leave([UInt8](repeating: 8, count: 100), as: others[0])
        try leave([UInt8](repeating: 7, count: 100), as: others[1])
        try leave([UInt8](repeating: 7, count: 100), as: others[2])
        let living = try Descriptor.open(folder.path(others[2]), O_RDONLY)
        flock(living.number, LOCK_EX)
        var next = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try next.state(wanted("b")) == .right)
        #expect(try Set(Folder.names(in: folder.path)) == Set(others + ["plan.pdf"]) && living.number >= 0)
    }

    /// Some programs change a file and leave its time.
    @Test func whatIsToGoOrToBeReplacedIsReadAnew() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right)
        let file = try Descriptor.open(folder.path("plan.pdf"), O_RDWR)
        var status = stat()
        fstat(file.number, &status)
        pwrite(file.number, "mine", 4, 0)
        futimens(file.number, [status.st_mtim, status.st_mtim])
        #expect(try shelf.state(wanted("a")) == .right, "it was read once, and has its former stamp")
        var other = shelf
        #expect(try other.remove(shelf.files[0]) == false)
        guard case .foreign = try shelf.place(made(200, in: home), as: wanted("b")) else {
            Issue.record("somebody else's file was replaced")
            return
        }
        #expect(try Folder.names(in: folder.path) == ["plan.pdf"] && shelf.files == [])
    }

    /// It is neither followed nor waited for.
    @Test(arguments: [true, false]) func whatIsNoPlainFileIsSomebodyElses(isLink: Bool) throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right)
        rename(folder.path("plan.pdf"), folder.path("moved.pdf"))
        if isLink { symlink("moved.pdf", folder.path("plan.pdf")) } else { mkfifo(folder.path("plan.pdf"), 0o600) }
        guard case .foreign = try shelf.state(wanted("a")), case .foreign = try shelf.place(made(200, in: home), as: wanted("b")) else {
            Issue.record("it counts as what was written")
            return
        }
        #expect(try Folder.names(in: folder.path).sorted() == ["moved.pdf", "plan.pdf"])
    }

    /// Neither a number beyond those of today's plans nor another case makes another title.
    @Test(arguments: ["Sunday (4).pdf", "SUNDAY (12).pdf", "sunday.pdf"])
    func aFileKeepsItsNameAsLongAsItsPlanHasThatTitle(_ name: String) throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        let wanted = PDFShelf.Wanted(plan: PlanID("1"), name: name, key: SHA256.digest(of: "a"), end: nil)
        #expect(try shelf.place(made(100, in: home), as: wanted) == .right)
        func plan(_ title: String) -> Plan { Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: title) }
        #expect(PDFName.names([plan("Sunday")], among: shelf.files) == [PlanID("1"): name])
        #expect(PDFName.names([plan("Monday")], among: shelf.files) == [PlanID("1"): "Monday.pdf"])
    }

    @Test func aDiskThatIsAwayIsMissedToTheLast() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let mount = Folder.mountPoint(of: folder.path)
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right && shelf.remove(shelf.files[0]))
        let away = try record(in: home).replacing("\"mount\":\"\(mount)\"", with: "\"mount\":\"\(folder.path)\"")
        try AtomicFile.write(away, to: home.path("exports.json"))
        var next = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(next.trouble?.contains("nothing is mounted at \(folder.path)") == true)
        #expect(throws: SystemError.self) { try next.place(made(100, in: home), as: wanted("a")) }
        #expect(try Folder.names(in: folder.path) == [])
    }

    @Test(.needs(.otherPrograms), .enabled(if: SmallDisk.canMount, reason))
    @LoopActor func onAFullDiskTheFormerFileStaysWholeAndNothingElse() async throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let disk = try await SmallDisk.mount(on: folder.path, "size=64k")
        defer { disk.unmount() }
        var shelf = PDFShelf(disk.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(20_000, in: home), as: wanted("a")) == .right)
        #expect(Folder.mountPoint(of: disk.path) == disk.path)
        do {
            _ = try shelf.place(made(100_000, in: home), as: wanted("b"))
            Issue.record("there is room")
        } catch {
            #expect((error as? SystemError)?.isDiskFull == true)
        }
        #expect(try Folder.names(in: disk.path) == ["plan.pdf"])
        #expect(try shelf.state(wanted("a")) == .right && shelf.state(wanted("b")) == .old)
        var again = PDFShelf(disk.path, recordedAt: home.path("exports.json"))
        #expect(try again.state(wanted("a")) == .right)
    }
}
