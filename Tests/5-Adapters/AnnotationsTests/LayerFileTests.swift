import Glibc
import LayerJoin
import Model
import Platform
import TestSupport
import Testing

@testable import Annotations

/// How a layer is written to a file.
@Suite(.timeLimit(.minutes(5)))
struct LayerFileTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path("own.marks.json") }
    private var fresh: LayerDocument { LayerDocument(for: AttachmentID("a1"), ChartHash(SHA256.digest(of: "chart")), name: "mine") }

    private func value(_ id: String, by device: String = "a", _ number: Int = 1) throws -> LayerValue {
        let text = #"{"id":"\#(id)","page":0,"kind":"pen","points":[[0.5,0.5]],"v":{"\#(device)":\#(number)}}"#
        return try LayerEdits.read(Array(#"{"marks":[\#(text)]}"#.utf8), pages: 1)[0]
    }

    private func target(of link: String) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let count = readlink(link, start, buffer.count)
            return String(decoding: UnsafeRawBufferPointer(start: start, count: max(0, count)), as: UTF8.self)
        }
    }

    private func content() throws -> [UInt8] { try AtomicFile.read(path, limit: 1 << 20) }

    private func fault(_ values: [LayerValue]) -> Trouble? {
        #expect(throws: Trouble.self) { try LayerFile.add(values, to: path, fresh: fresh) }
    }

    @Test func whatIsAddedIsReadAsAMarkFileOfItsChart() throws {
        let document = try LayerFile.add([value("m")], to: path, fresh: fresh).document
        #expect(document.part.revision == 1 && document.layer.marks.count == 1)
        let (file, _) = try MarkFileReader.read(path: path)
        #expect(file.marks.map(\.id) == ["m"] && file.notes == [] && file.name == "mine")
        #expect(file.reference == MarkFile.Reference(attachment: AttachmentID("a1"), chart: ChartHash(SHA256.digest(of: "chart"))))
        #expect(try Folder.names(in: folder.path) == ["own.marks.json"])
    }

    @Test func addingTheSameAgainWritesNothing() throws {
        _ = try LayerFile.add([value("m")], to: path, fresh: fresh)
        let before = try #require(FileIdentity(of: path))
        let again = try LayerFile.add([value("m")], to: path, fresh: fresh).document
        #expect(FileIdentity(of: path) == before && again.part.revision == 1)
        #expect(try LayerFile.add([], to: path, fresh: fresh).document.part.revision == 1)
    }

    @Test func withNothingToAddNoFileIsMade() throws {
        #expect(try LayerFile.add([], to: path, fresh: fresh).document.part.revision == 0)
        #expect(try Folder.names(in: folder.path) == [])
    }

    @Test func twoWindowsInTurnKeepEachOthersMarks() throws {
        for number in 1...5 {
            _ = try LayerFile.add([value("a\(number)", by: "a", number)], to: path, fresh: fresh)
            _ = try LayerFile.add([value("b\(number)", by: "b", number), value("a1", by: "b", number)], to: path, fresh: fresh)
        }
        let layer = try #require(try LayerFile.read(path)).document.layer
        #expect(Set(layer.marks.map(\.id.text)) == Set((1...5).flatMap { ["a\($0)", "b\($0)"] }))
        #expect(layer.also.map(\.id.text) == ["a1"], "neither knew the other's")
    }

    /// Just before the new file gets its name, the old one is read again, so changes saved by others in the meantime are joined as well.
    @Test func whatIsSavedAtTheSameMomentIsJoined() throws {
        _ = try LayerFile.add([value("m")], to: path, fresh: fresh)
        var count = 0
        let other = try #require(try LayerFile.read(path)).document
        let joined = try LayerFile.add([value("mine", by: "b")], to: path, fresh: fresh) {
            count += 1
            guard count == 1 else { return }
            var other = other
            guard let theirs = try? value("theirs", by: "c"), other.join([theirs]) else { return }
            try? AtomicFile.write(String(decoding: other.bytes(), as: UTF8.self), to: path)
        }
        #expect(count == 2 && Set(joined.document.layer.marks.map(\.id.text)) == ["m", "mine", "theirs"])
        #expect(try #require(try LayerFile.read(path)).document.layer == joined.document.layer)
    }

    /// Some programs write into an existing file instead of replacing it. The file on disk then differs from the bytes that were published.
    @Test func whatIsWrittenIntoTheNewFileIsNotTakenForIt() throws {
        _ = try LayerFile.add([value("m")], to: path, fresh: fresh)
        let kept = try LayerFile.add([value("n", by: "b")], to: path, fresh: fresh) {
            // Finds the new file, which has no name yet.
            let open = ((try? Folder.names(in: "/proc/self/fd")) ?? []).map { "/proc/self/fd/\($0)" }
            guard let new = open.first(where: { target(of: $0).hasPrefix(folder.path("#")) }) else { return }
            let file = Glibc.open(new, O_WRONLY | O_APPEND)
            #expect(write(file, "\n", 1) == 1)
            close(file)
        }
        #expect(kept.state == nil && kept.written != nil)
    }

    @Test func aFileThatAppearsMeanwhileIsJoined() throws {
        var count = 0
        let joined = try LayerFile.add([value("mine")], to: path, fresh: fresh) {
            count += 1
            guard count == 1 else { return }
            var other = fresh
            guard let theirs = try? value("theirs", by: "c"), other.join([theirs]) else { return }
            try? AtomicFile.write(String(decoding: other.bytes(), as: UTF8.self), to: path)
        }
        #expect(Set(joined.document.layer.marks.map(\.id.text)) == ["mine", "theirs"])
    }

    /// Checks which files a process would leave behind if it were killed just before the new file gets its name.
    @Test func untilTheNewFileIsCompleteTheOldOneStands() throws {
        _ = try LayerFile.add([value("m")], to: path, fresh: fresh)
        let before = try content()
        var during: [UInt8] = []
        var names: [String] = []
        _ = try LayerFile.add([value("n", by: "b")], to: path, fresh: fresh) {
            during = (try? content()) ?? []
            names = (try? Folder.names(in: folder.path)) ?? []
        }
        #expect(try during == before && content() != before)
        #expect(names == ["own.marks.json"], "no program that syncs the folder sees it before")
        // If the process is killed after the new file got its temporary name, the file stays until the next one is written.
        try AtomicFile.write("half", to: folder.path(".tmp-mine"))
        _ = try LayerFile.add([value("o", by: "c")], to: path, fresh: fresh, temporary: ".tmp-mine")
        #expect(try Folder.names(in: folder.path) == ["own.marks.json"])
    }

    /// Agents and sync programs wait for the events of closed or renamed files. Only linking a file to a name would cause neither event.
    @Test func aWatcherOfTheFolderReceivesAnEventForANewFileAndForEachLaterOne() throws {
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        #expect(inotify_add_watch(watch, folder.path, UInt32(IN_MOVED_TO)) >= 0)
        func events() -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(watch, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
        for number in 1...2 {
            _ = try LayerFile.add([value("m\(number)", number)], to: path, fresh: fresh)
            #expect(events().contains("own.marks.json"), "the time \(number)")
        }
    }

    @Test(arguments: ["{\"marks\":[", "not JSON", "{\"marks\":{}}", "{\"version\":2,\"written_by\":\"woodshed\",\"marks\":[]}", ""])
    func whatCannotBeReadIsNotWrittenOver(text: String) throws {
        try AtomicFile.write(text, to: path)
        let fault = fault([try value("m")])
        #expect(fault?.kind == .inTheWay && fault?.description.contains("is not written over. Mend it") == true)
        #expect(try content() == Array(text.utf8))
    }

    @Test func somebodysOwnFileIsNotWrittenTo() throws {
        let text = #"{"version":1,"attachment_id":"a1","marks":[]}"#
        try AtomicFile.write(text, to: path)
        #expect(fault([try value("m")]) == LayerFile.foreign(path))
        #expect(try content() == Array(text.utf8))
    }

    @Test(arguments: ["outside.json", "nowhere"])
    func noLinkIsFollowed(target: String) throws {
        let text = #"{"version":1,"written_by":"woodshed","marks":[]}"#
        try AtomicFile.write(text, to: folder.path("outside.json"))
        #expect(symlink(folder.path(target), path) == 0)
        #expect(fault([try value("m")])?.description.contains("is a link") == true)
        #expect(try AtomicFile.read(folder.path("outside.json"), limit: 1000) == Array(text.utf8))
        #expect(FileIdentity(of: folder.path("nowhere")) == nil)
    }

    @Test(arguments: [0o600, 0o640, 0o666] as [mode_t])
    func itsRightsStayAsTheyAre(mode: mode_t) throws {
        _ = try LayerFile.add([value("m")], to: path, fresh: fresh)
        chmod(path, mode)
        _ = try LayerFile.add([value("n", by: "b")], to: path, fresh: fresh)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == mode)
    }

    @Test func aMissingFolderIsReported() throws {
        let values = [try value("m")]
        let fault = #expect(throws: Trouble.self) { try LayerFile.add(values, to: folder.path("gone/own.marks.json"), fresh: fresh) }
        #expect(fault?.kind == .noRoom && fault?.description.contains(String(cString: strerror(ENOENT))) == true)
    }

    @Test(arguments: [(ENOSPC, "Free some space"), (EROFS, "Make that disk writable"), (EACCES, "Make sure that you may write")])
    func aFailedWriteIsReportedWithItsPlaceAndARemedy(code: Int32, remedy: String) {
        let fault = LayerFile.notWritten("/music/a.marks.json", SystemError("create", path: "/music/.tmp-1-1", code: code))
        #expect(fault.kind == .noRoom && fault.description.contains("cannot write /music/a.marks.json: "), "\(fault)")
        #expect(fault.description.contains(remedy) && !fault.description.contains(".tmp"), "\(fault)")
    }
}
