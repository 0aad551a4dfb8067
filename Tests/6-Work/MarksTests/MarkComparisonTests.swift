import Model
import TestSupport
import Testing
import Watching

@testable import Marks

@Suite(.timeLimit(.minutes(5)))
struct MarkComparisonTests {
    private static func stamp(_ number: Int) -> FileStamp { FileStamp(device: 1, inode: UInt64(number), size: 1, modified: 1) }

    /// Checks the comparison against a computation with sets, for many trees with similar names.
    @Test func itFindsWhatSetsFind() throws {
        let names = ["/r/a", "/r/a-b", "/r/a/b", "/r/a/é", "/r/a/e\u{301}", "/r/b", "/r/un/x", "/r/un-x", "/q/a", "/rr/a", "/r2/a", "/s/z"]
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            func some() -> [String] { names.filter { _ in Bool.random(using: &generator) } }
            let known = some().map { FileStamps.Entry(path: $0, stamp: Self.stamp(Int.random(in: 0...1, using: &generator))) }
                .sorted { Array($0.path.utf8).lexicographicallyPrecedes(Array($1.path.utf8)) }
            var listing = FileListing(below: "/nowhere", folder: { _ in true }, file: { _ in true })
            listing.files = FileStamps(
                some().filter { $0.hasPrefix("/r/") }
                    .map { FileStamps.Entry(path: $0, stamp: Self.stamp(Int.random(in: 0...1, using: &generator))) }
                    .sorted { Array($0.path.utf8).lexicographicallyPrecedes(Array($1.path.utf8)) })
            listing.unread = Bool.random(using: &generator) ? ["/r/un"] : []
            let comparison = MarkComparison(of: listing, below: "/r", with: FileStamps(known))
            let former = Dictionary(uniqueKeysWithValues: known.map { (Array($0.path.utf8), $0.stamp) })
            let present = Set(listing.files.map { Array($0.path.utf8) })
            #expect(
                comparison.changed.map { Array($0.utf8) }
                    == listing.files.filter { former[Array($0.path.utf8)] != $0.stamp }.map { Array($0.path.utf8) }, "seed \(seed)")
            let gone = known.map(\.path).filter { path in
                path.hasPrefix("/r/") && !present.contains(Array(path.utf8)) && !(path == "/r/un/x" && !listing.unread.isEmpty)
            }
            #expect(comparison.gone.map { Array($0.utf8) } == gone.map { Array($0.utf8) }, "seed \(seed)")
        }
    }
}
