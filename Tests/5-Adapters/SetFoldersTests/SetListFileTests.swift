import Glibc
import Model
import Platform
import SetFolders
import Sets
import TestSupport
import Testing

/// The lists of songs that are written into the folders of sets.
@Suite(.timeLimit(.minutes(5)))
struct SetListFileTests {
    private let folder = TemporaryFolder()
    private let music: String
    private var folders: SetFolders { SetFolders([music]) }

    init() throws {
        music = folder.path("Sets")
        try Folder.create(music)
    }

    /// The names in the folder, with what is in the files.
    private func contents() throws -> [String] {
        var names: [String] = []
        try Folder.visit(music) { entry in names.append(entry.text) }
        return try names.sorted().map { "\($0): \(try text(music + "/" + $0))" }
    }

    private func text(_ path: String) throws -> String { String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self) }

    private func name(_ title: String = "") throws -> SetName { try SetName.new(day: "2026-12-06", time: nil, title: title) }

    @Test func aNewListIsAFileOfItsOwn() throws {
        #expect(try folders.write("Grace\n", named: name("Advent")) == music + "/2026-12-06 Advent.txt")
        #expect(try contents() == ["2026-12-06 Advent.txt: Grace\n"])
        #expect(folders.read().sets.map(\.name.title) == ["Advent"])
        #expect(try folders.list(at: music + "/2026-12-06 Advent.txt").name == "2026-12-06 Advent")
    }

    @Test func aNameThatIsTakenGetsANumber() throws {
        try AtomicFile.write("mine\n", to: music + "/2026-12-06.txt")
        guard symlink("nowhere", music + "/2026-12-06 2.txt") == 0 else { throw SystemError("link") }
        #expect(try folders.write("Grace\n", named: name()) == music + "/2026-12-06 3.txt")
        #expect(try folders.write("Grace\n", named: name()) == music + "/2026-12-06 3.txt", "it was sent twice")
        #expect(try text(music + "/2026-12-06.txt") == "mine\n")
        #expect(access(music + "/nowhere", F_OK) != 0)
    }

    @Test func aListIsWrittenOverOnlyAsItWasRead() throws {
        let path = music + "/2026-12-06.txt"
        try AtomicFile.write("Grace\n", to: path, mode: 0o640)
        let read = try folders.list(at: path)
        #expect(try folders.write("Abide\n", to: path, inPlaceOf: read.digest))
        #expect(try contents() == ["2026-12-06.txt: Abide\n"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(try !folders.write("Vision\n", to: path, inPlaceOf: read.digest), "somebody edited it")
        #expect(try contents() == ["2026-12-06.txt: Abide\n"])
        unlink(path)
        #expect(try !folders.write("Vision\n", to: path, inPlaceOf: SHA256.digest(of: "Abide\n")), "somebody moved it")
        #expect(try contents() == [])
    }

    @Test func linksAreFollowedOnlyInside() throws {
        let (outside, target) = (folder.path("outside.txt"), music + "/list.txt")
        for path in [outside, target] { try AtomicFile.write("Grace\n", to: path) }
        for (name, path) in [("2026-12-06.txt", outside), ("2026-12-13.txt", target)] {
            guard symlink(path, music + "/" + name) == 0 else { throw SystemError("link") }
        }
        let digest = SHA256.digest(of: "Grace\n")
        #expect(throws: Trouble.self) { try folders.list(at: music + "/2026-12-06.txt") }
        #expect(throws: Trouble.self) { try folders.write("Abide\n", to: music + "/2026-12-06.txt", inPlaceOf: digest) }
        #expect(try text(outside) == "Grace\n")
        #expect(try folders.write("Abide\n", to: music + "/2026-12-13.txt", inPlaceOf: digest))
        #expect(try text(target) == "Abide\n")
        #expect(Folder.real(music + "/2026-12-13.txt") == Folder.real(target), "the link is still one")
    }

    /// A browser is answered by the kind, and shows the words.
    private func refusal(_ folders: SetFolders) throws -> Trouble? {
        let name = try name()
        return #expect(throws: Trouble.self) { try folders.write("Grace\n", named: name) }
    }

    @Test func whereNoListCanBeWrittenSomebodyReadsWhatToDo() throws {
        let away = try refusal(SetFolders([folder.path("away"), music]))
        #expect(away?.kind == .senseless(because: nil) && away?.description.contains("away is not there. Connect its disk") == true)
        #expect(try contents() == [], "another folder is not what was asked for")
        #expect(try refusal(SetFolders([]))?.kind == .senseless(because: nil))
        #expect(try refusal(SetFolders([music], silent: [music]))?.kind == .away)
        for number in 1...99 { try AtomicFile.write("", to: "\(music)/2026-12-06\(number == 1 ? "" : " \(number)").txt") }
        let full = try refusal(folders)
        #expect(full?.kind == .inTheWay && full?.description.hasSuffix("Choose another title.") == true)
    }

    @Test func aListThatIsNotReadWholeIsNotEditedHere() throws {
        try AtomicFile.write(String(repeating: "n", count: 300), to: music + "/2026-12-06.txt")
        #expect(throws: Trouble.self) { try folders.list(at: music + "/2026-12-06.txt") }
    }

    @Test func aDiskThatTakesNoMoreLeavesEverythingAsItWas() async throws {
        try AtomicFile.write("Grace\n", to: music + "/2026-12-06.txt")
        await #expect(processExitsWith: .success) { [music = music as String] in
            // No file may grow beyond 512 bytes.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 512, rlim_max: 512)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let (folders, path) = (SetFolders([music]), music + "/2026-12-06.txt")
            let long = String(repeating: "Grace\n", count: 400)
            var failures = 0
            do throws(Trouble) {
                _ = try folders.write(long, to: path, inPlaceOf: try folders.list(at: path).digest)
            } catch {
                failures += 1
            }
            do throws(Trouble) {
                _ = try folders.write(long, named: try SetName.new(day: "2026-12-13", time: nil, title: ""))
            } catch {
                failures += 1
            }
            exit(failures == 2 ? 0 : 1)
        }
        #expect(try contents() == ["2026-12-06.txt: Grace\n"])
    }
}
