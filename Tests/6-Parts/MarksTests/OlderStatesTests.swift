import Catalogue
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks

/// Marks go back in time: an older copy of the folder is mounted over it, or it is put back from a backup.
@Suite(.onLoop)
struct OlderStatesTests {
    private static let charts = ["a", "b", "c"]

    /// A folder with a file of marks for each chart, and keepers that come and go.
    @LoopActor
    private final class Scene {
        private let folder = TemporaryFolder()
        private let music: MusicFolder
        private(set) var home: MarkHome

        init() async throws {
            music = try MusicFolder(folder.path("music"))
            home = try await MarkHome(MarkRoots([music.path]), charts: charts, in: folder)
            music.events = home.events
        }

        func end() {
            music.events = nil
            home.end()
        }

        func beginAgain() async throws {
            home = try await MarkHome(MarkRoots([music.path]), charts: charts, in: folder)
            music.events = home.events
        }

        /// Has the files say so many marks, all at once; their times are `apart` from each other, in minutes.
        func put(_ marks: Int, _ charts: [String], at minutes: Int, apart: Int = 7, settling: Bool = true) async throws {
            for (place, chart) in charts.enumerated() {
                let name = chart + ".marks.json"
                try music.save(MarkText.native(chart, (0..<marks).map { MarkText.Dot(page: 0, x: Double($0) / 8) }), as: name)
                let time = timespec(tv_sec: 1_700_000_000 + 60 * (minutes + apart * place), tv_nsec: 0)
                #expect(utimensat(AT_FDCWD, music.path(name), [time, time], 0) == 0)
                music.close(name)
            }
            if settling { await home.settle() }
        }

        /// How many marks each chart shows.
        func drawn() throws -> [Int] {
            try charts.map { try home.library.drawings.visibleLayers(of: AttachmentID($0)).flatMap(\.marks).count }
        }

        /// How many files went back to an older state.
        func wentBack() throws -> Int { try home.library.markFiles.states().count(where: \.wentBack) }
    }

    /// Only one file of the folder had new marks.
    @Test @LoopActor func aFolderThatIsPutBackIsNoticedByTheFilesThatDidNotChange() async throws {
        let scene = try await Scene()
        try await scene.put(3, Self.charts, at: 0)
        try await scene.put(5, ["b"], at: 60)
        #expect(try scene.drawn() == [3, 5, 3])
        try await scene.put(3, Self.charts, at: 0)
        #expect(try scene.drawn() == [3, 5, 3])
        #expect(try scene.wentBack() == 1)
        scene.end()
    }

    /// A sync program writes one file after the other, and each is read alone: the first two may be a person's work until the third comes.
    @Test @LoopActor func aFolderThatIsPutBackFileByFileIsNoticedAtTheThird() async throws {
        let scene = try await Scene()
        try await scene.put(5, Self.charts, at: 0)
        for chart in ["a", "b"] { try await scene.put(2, [chart], at: -5000) }
        #expect(try scene.drawn() == [2, 2, 5])
        try await scene.put(2, ["c"], at: -5000)
        #expect(try scene.drawn() == [5, 5, 5])
        #expect(try scene.wentBack() == 3)
        // The newer files are back, and then one of them is edited.
        try await scene.put(5, Self.charts, at: 0)
        #expect(try scene.wentBack() == 0)
        try await scene.put(4, ["b"], at: 100)
        #expect(try scene.drawn() == [5, 4, 5])
        scene.end()
    }

    /// The third is one that has no new marks to lose.
    @Test @LoopActor func anUnchangedFileIsTheThird() async throws {
        let scene = try await Scene()
        try await scene.put(2, Self.charts, at: 0)
        try await scene.put(5, ["a", "b"], at: 60)
        for chart in ["a", "b"] { try await scene.put(2, [chart], at: -5000) }
        #expect(try scene.drawn() == [2, 2, 2])
        try await scene.put(2, ["c"], at: -5000)
        #expect(try scene.drawn() == [5, 5, 2])
        #expect(try scene.wentBack() == 2)
        scene.end()
    }

    /// Twice, and the second time together with those that make them many.
    @Test @LoopActor func whatGoesBackTwiceHasWhatItSaidFirst() async throws {
        let scene = try await Scene()
        try await scene.put(5, Self.charts, at: 0)
        try await scene.put(3, ["a"], at: -4000)
        try await scene.put(2, Self.charts, at: -5000)
        #expect(try scene.drawn() == [5, 5, 5])
        scene.end()
    }

    /// What a person saved after a file was put back is the person's, even if it is read with those that make them many.
    @Test @LoopActor func whatWasSavedSinceIsNotTakenBack() async throws {
        let scene = try await Scene()
        try await scene.put(5, Self.charts, at: 0)
        try await scene.put(2, ["a"], at: -5000)
        try await scene.put(3, ["a"], at: 100)
        for chart in ["b", "c"] { try await scene.put(2, [chart], at: -5000) }
        #expect(try scene.drawn() == [3, 5, 5])
        scene.end()
        let other = try await Scene()
        try await other.put(5, Self.charts, at: 0)
        try await other.put(2, ["a"], at: -5000)
        try await other.put(3, ["a"], at: 100, settling: false)
        try await other.put(2, ["b", "c"], at: -5000)
        #expect(try other.drawn() == [3, 5, 5])
        other.end()
    }

    @Test @LoopActor func aSingleFileGoesBackOnAnotherDiskOnly() async throws {
        let scene = try await Scene()
        try await scene.put(5, Self.charts, at: 0)
        try await scene.put(4, ["b"], at: -5000)
        #expect(try scene.drawn() == [5, 4, 5], "a person put it back, and the history has the rest")
        // As far as the catalogue knows, the newer file lay on another disk.
        try scene.home.library.database.run("UPDATE local_files SET device = device + 1 WHERE path LIKE '%c.marks.json'")
        try await scene.put(4, ["c"], at: -5000)
        #expect(try scene.drawn() == [5, 4, 5])
        #expect(try scene.wentBack() == 1)
        scene.end()
    }

    @Test @LoopActor func severalFilesThatAPersonSavesOneByOneAreBelieved() async throws {
        let scene = try await Scene()
        try await scene.put(5, Self.charts, at: 0)
        scene.end()
        try await scene.put(3, Self.charts, at: 100, apart: 1)
        try await scene.beginAgain()
        #expect(try scene.drawn() == [3, 3, 3])
        scene.end()
    }
}
