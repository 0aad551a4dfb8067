import Exporting
import Glibc
import Model
import Platform
import TestSupport
import Testing

/// The fate of a plan's PDF that cannot be written to the disk.
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
        // The record is a link to itself, which even root cannot read.
        symlink(home.path("exports.json"), home.path("exports.json"))
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(shelf.trouble?.remedy == "make that file readable")
        #expect(throws: SystemError.self) { try shelf.place(made(100, in: home), as: wanted("a")) }
        #expect(try Folder.names(in: folder.path) == [] && Folder.names(in: home.path) == ["exports.json"])
    }

    /// Places a file, then begins to replace it and fails once the new file is recorded. Returns the second name, under which the
    /// new file is recorded.
    private func placeOneAndAHalf(in folder: TemporaryFolder, _ home: TemporaryFolder) throws -> String {
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right)
        let number = try #require(Int(try made(1, in: home).path.split(separator: "-").last ?? ""))
        // Other tests use up numbers at the same time, so many names are occupied.
        let taken = (1...2000).map { folder.path(".tmp-\(getpid())-\(number + $0)-exchanged") }
        for path in taken { symlink("nowhere", path) }
        #expect(throws: SystemError.self) { try shelf.place(made(200, in: home), as: wanted("b")) }
        for path in taken { unlink(path) }
        return try #require(shelf.files.first { $0.name != "plan.pdf" }?.name)
    }

    private func write(_ bytes: Int, _ value: UInt8 = 7, to path: String) throws {
        try [UInt8](repeating: value, count: bytes).withUnsafeBytes { try AtomicFile.write($0, to: path) }
    }

    /// Removes all recorded files except the one under the plan's own name; returns whether all of them were ours.
    private func removeOthers(from shelf: inout PDFShelf) throws -> Bool {
        var isOurs = true
        for file in shelf.files where file.name != "plan.pdf" && shelf.files.contains(file) {
            isOurs = try shelf.remove(file) && isOurs
        }
        return isOurs
    }

    /// The arguments are the sizes of the files under the plan's name and under the second name after one step of a replacement;
    /// `nil` if there is no second file.
    @Test(arguments: [(100, nil), (100, 200), (200, 100), (200, nil)] as [(Int, Int?)])
    func afterAKillBetweenAnyTwoStepsTheRightFileIsThereAndNoOther(inPlace: Int, beside: Int?) throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let name = try placeOneAndAHalf(in: folder, home)
        try write(inPlace, to: folder.path("plan.pdf"))
        if let beside { try write(beside, to: folder.path(name)) }
        try write(50, to: folder.path(".tmp-1-1"))
        var next = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try next.state(wanted("b")) == (inPlace == 100 ? .old : .right))
        #expect(try next.place(made(300, in: home), as: wanted("c")) == .right && removeOthers(from: &next))
        #expect(try Folder.names(in: folder.path) == ["plan.pdf"] && next.files.count == 1)
    }

    @Test func whatSomebodySavedUnderEitherNameAfterAKillStays() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let name = try placeOneAndAHalf(in: folder, home)
        for name in [name, "plan.pdf"] { try write(100, 8, to: folder.path(name)) }
        var next = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try !removeOthers(from: &next))
        guard case .foreign = try next.place(made(200, in: home), as: wanted("b")) else {
            Issue.record("somebody else's file was replaced")
            return
        }
        #expect(try Set(Folder.names(in: folder.path)) == [name, "plan.pdf"] && next.files == [])
    }

    /// Some programs change a file and keep its time, so a file is read again before it is removed or replaced.
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

    /// A stick's file system may keep only even seconds, and the library's folder may be lost. In both cases, a file with exactly
    /// the bytes that are to be written counts as ours.
    @Test func aFileWithAnotherTimeIsOursAndSoIsOneThatIsTheSame() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right)
        utimensat(AT_FDCWD, folder.path("plan.pdf"), [timespec(), timespec(tv_sec: 1_000_000, tv_nsec: 0)], 0)
        #expect(try shelf.state(wanted("a")) == .right)
        func stamp() -> FileStamp {
            var status = stat()
            lstat(folder.path("plan.pdf"), &status)
            return FileStamp(status)
        }
        let before = stamp()
        unlink(home.path("exports.json"))
        var next = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        let unknown = try next.state(wanted("a"))
        #expect(unknown != .right && unknown != .nothing, "nobody knows whose it is")
        #expect(try next.place(made(100, in: home), as: wanted("a")) == .right)
        #expect(stamp() == before)
        #expect(try next.remove(next.files[0]) && Folder.names(in: folder.path) == [])
    }

    /// A link is not followed, and a pipe is not waited for.
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

    /// A number that today's plans do not need, or another case, does not make another title.
    @Test(arguments: ["Sunday (4).pdf", "SUNDAY (12).pdf", "sunday.pdf"])
    func aFileKeepsItsNameAsLongAsItsPlanHasThatTitle(_ name: String) throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        let wanted = PDFShelf.Wanted(plan: PlanID("1"), name: name, key: SHA256.digest(of: "a"), end: nil)
        #expect(try shelf.place(made(100, in: home), as: wanted) == .right)
        func plan(_ title: String) -> Plan { Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: title) }
        #expect(PDFName.names([plan("Sunday")], among: shelf.files) == [PlanID("1"): name])
        #expect(PDFName.names([plan("Monday")], among: shelf.files) == [PlanID("1"): "Monday.pdf"])
        // Another plan with this title gets another number, whatever the order of the plans.
        let other = Plan(id: PlanID("0"), serviceType: ServiceTypeID("1"), title: "Sunday")
        for plans in [[plan("Sunday"), other], [other, plan("Sunday")]] {
            let names = PDFName.names(plans, among: shelf.files)
            #expect(names[PlanID("1")] == name && names[PlanID("0")]?.lowercased() != name.lowercased())
        }
    }

    @Test func aDiskThatIsAwayIsMissedToTheLast() throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let mount = Folder.mountPoint(of: folder.path)
        var shelf = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right && shelf.remove(shelf.files[0]))
        let away = try record(in: home).replacing("\"mount\":\"\(mount)\"", with: "\"mount\":\"\(folder.path)\"")
        try AtomicFile.write(away, to: home.path("exports.json"))
        var next = PDFShelf(folder.path, recordedAt: home.path("exports.json"))
        #expect(next.trouble?.found.hasPrefix("nothing is mounted at \(folder.path)") == true)
        #expect(throws: SystemError.self) { try next.place(made(100, in: home), as: wanted("a")) }
        #expect(try Folder.names(in: folder.path) == [])
    }

    @Test(.needs(.otherPrograms), .enabled(if: SmallDisk.canMount, reason))
    @LoopActor func anEmptyMountPointIsNoFolderThatSomebodyEmptied() async throws {
        let (folder, home) = (TemporaryFolder(), TemporaryFolder())
        let disk = try await SmallDisk.mount(on: folder.path, "size=64k")
        defer { disk.unmount() }
        var shelf = PDFShelf(disk.path, recordedAt: home.path("exports.json"))
        #expect(try shelf.place(made(100, in: home), as: wanted("a")) == .right && shelf.trouble == nil)
        let files = shelf.files
        let unmounted = try await disk.start(program: "/bin/umount", [folder.path], environment: []).result()
        #expect(unmounted.exit == .code(0) && access(disk.path, W_OK) == 0, "\(unmounted)")
        #expect(shelf.trouble?.found.contains("nothing is mounted at \(disk.path)") == true, "\(String(describing: shelf.trouble))")
        #expect(throws: SystemError.self) { try shelf.place(made(200, in: home), as: wanted("b")) }
        #expect(throws: SystemError.self) { try shelf.remove(files[0]) }
        #expect(try shelf.files == files && Folder.names(in: folder.path) == [])
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
