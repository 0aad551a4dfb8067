import CDiskWatch
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// A power cut takes what was not brought to the disk, in any order. So a chart's bytes are there before it has its name, and its
/// name before the catalogue tells of it.
@Suite(.onLoop)
struct PowerCutTests {
    private let home = TemporaryFolder()
    private let attachment = Samples.attachment("a")
    private let bytes = Samples.pdf("1")

    /// One thing that was brought to the disk, and how the rest stood just before.
    private struct Step: Equatable {
        var isFolder: Bool
        var isNamed: Bool
        var isKnown: Bool
    }

    @LoopActor
    private final class Watch {
        let chart: String
        let folder: ino_t
        let isKnown: @LoopActor () -> Bool
        private(set) var steps: [Step] = []
        /// The files that were brought to the disk.
        private(set) var files: Set<ino_t> = []

        init(chart: String, isKnown: @escaping @LoopActor () -> Bool) {
            self.chart = chart
            self.isKnown = isKnown
            folder = PowerCutTests.inode(Folder.parent(of: chart)) ?? 0
        }

        func note(_ descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            guard !isFolder || status.st_ino == folder else { return }
            if !isFolder { files.insert(status.st_ino) }
            steps.append(Step(isFolder: isFolder, isNamed: PowerCutTests.inode(chart) != nil, isKnown: isKnown()))
        }
    }

    private static func inode(_ path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }

    @Test @LoopActor func aChartIsOnTheDiskBeforeItIsKnown() throws {
        let library = try Library(folder: home.path("data"))
        defer { library.close() }
        try library.plans.update([Samples.contents("1", attachments: [attachment])], at: Samples.monday)
        let path = library.charts.path(of: Samples.hash(bytes))
        let other = try Library(readingFrom: home.path("data"))
        defer { other.close() }
        let watch = Watch(chart: path) { [attachment] in
            ((try? other.charts.chart(of: attachment.id)) ?? nil) != nil
        }
        let observe: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { context, descriptor in
            let address = UInt(bitPattern: context)
            LoopActor.assumeIsolated {
                guard let watch = UnsafeMutableRawPointer(bitPattern: address) else { return }
                Unmanaged<Watch>.fromOpaque(watch).takeUnretainedValue().note(descriptor)
            }
        }
        woodshed_disk_watch(observe, Unmanaged.passUnretained(watch).toOpaque())
        defer { woodshed_disk_watch(nil, nil) }
        try library.download(bytes, for: attachment)
        woodshed_disk_watch(nil, nil)

        #expect(
            Array(watch.steps.prefix(2)) == [
                Step(isFolder: false, isNamed: false, isKnown: false), Step(isFolder: true, isNamed: true, isKnown: false),
            ])
        #expect(watch.files.contains(try #require(Self.inode(path))), "what was brought there is the chart's own file")
    }
}
