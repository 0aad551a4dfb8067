import Model
import TestSupport
import Testing

/// Which mark files are treated as copies of other mark files.
@Suite(.timeLimit(.minutes(5)))
struct MarkCopiesTests {
    private func file(
        _ path: String, _ marks: some Sequence<Int>, at time: Int64, in look: Int = 0, isChosen: Bool = false
    ) -> MarkCopies.File {
        MarkCopies.File(
            path: path, save: ObservedSave(look: look, time: time), sums: MarkSums(Set(marks).map { UInt64($0) }), isChosen: isChosen)
    }

    private func leftOut(_ files: [MarkCopies.File]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: MarkCopies(files).copies.map { ($0.path, $0.marksOnlyHere) })
    }

    @Test func theOlderOfTwoThatAreAlikeIsLeftOut() {
        #expect(leftOut([file("x", 0..<10, at: 2), file("x (copy)", 0..<10, at: 1)]) == ["x (copy)": 0])
        #expect(leftOut([file("x", 0..<10, at: 1), file("x2", 0..<12, at: 2)]) == ["x": 0])
        #expect(leftOut([file("x", 0..<12, at: 1), file("x2", 5..<14, at: 2)]) == ["x": 5], "what is only in it is counted")
        #expect(leftOut([file("x", 0..<3, at: 1), file("x (copy)", 0..<3, at: 1)]) == ["x (copy)": 0], "as old as each other")
    }

    @Test func theOneWithAllMarksOfTheOtherIsDrawnThenTheOneThatWasSavedLast() {
        #expect(leftOut([file("x", 0..<10, at: 9, in: 9), file("x2", 0..<12, at: 1, in: 1)]) == ["x": 0], "it has all of them")
        #expect(leftOut([file("x", 0..<10, at: 1, in: 2), file("x2", 1..<11, at: 9, in: 1)]) == ["x2": 1], "it was seen later")
        #expect(leftOut([file("x", 0..<10, at: 1), file("y", 0..<12, at: 2), file("z", 0..<11, at: 3)]) == ["x": 0, "z": 0])
    }

    @Test(arguments: [
        "x.sync-conflict-20310101.xopp", "x (conflicted copy).xopp", "x (In Konflikt stehende Kopie).xopp", "x_old.xopp", "x.bak.xopp",
    ])
    func whatIsCalledAConflictOrABackupOnlyGivesWay(name: String) {
        #expect(leftOut([file("x.xopp", 0..<10, at: 1), file(name, 0..<12, at: 9, in: 9)]) == [name: 2])
        #expect(leftOut([file(name, 0..<12, at: 9, in: 9)]) == [:], "alone it is drawn")
        #expect(leftOut([file("other.xopp", 20..<30, at: 1), file(name, 0..<12, at: 9)]) == [:])
    }

    @Test func aTimeInTheFutureCountsForNothing() {
        let now = Timestamp(nanoseconds: 1000)
        func save(_ modified: Int64) -> ObservedSave {
            ObservedSave(look: 1, of: FileStamp(device: 1, inode: 1, size: 1, modified: modified), now: now)
        }
        #expect(save(2000) < save(1) && save(1) < save(999) && save(999) < ObservedSave(look: 2, time: 0))
    }

    @Test func filesWithMarksOfTheirOwnAreNoCopies() {
        #expect(leftOut([file("bowings", 0..<10, at: 1), file("fingerings", 10..<20, at: 2)]) == [:])
        #expect(leftOut([file("bowings", 0..<10, at: 1), file("fingerings", 9..<20, at: 2)]) == [:])
        #expect(leftOut([file("empty", [], at: 1), file("x", 0..<1, at: 2)]) == [:])
    }

    @Test func whatIsChosenIsDrawnWhateverItIs() {
        let files = [file("x", 0..<10, at: 2), file("y", 0..<10, at: 1, isChosen: true), file("z", 0..<10, at: 0)]
        #expect(leftOut(files) == ["z": 0])
    }

    /// Random files in random order. A mark that is not drawn must be counted in a report.
    @Test(arguments: 0..<300) func everyMarkIsDrawnOrCounted(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let files = (0..<Int.random(in: 1...8, using: &random)).map { number in
            let marks = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0..<20, using: &random) }
            return file(
                "f\(number)", marks, at: Int64.random(in: 0...3, using: &random), isChosen: Int.random(in: 0..<5, using: &random) == 0)
        }
        let sets = Dictionary(uniqueKeysWithValues: files.map { ($0.path, Set($0.sums.values)) })
        let copies = MarkCopies(files).copies
        #expect(copies == MarkCopies(files.shuffled(using: &random)).copies)
        let hidden = Set(copies.map(\.path))
        for copy in copies {
            #expect(!hidden.contains(copy.other), "what it is a copy of is drawn")
            #expect(copy.marksOnlyHere == sets[copy.path, default: []].subtracting(sets[copy.other, default: []]).count)
            #expect(!files.contains { $0.path == copy.path && $0.isChosen })
        }
        let drawn = files.filter { !hidden.contains($0.path) }.reduce(into: Set<UInt64>()) { $0.formUnion($1.sums.values) }
        for copy in copies where copy.marksOnlyHere == 0 { #expect(sets[copy.path, default: []].isSubset(of: drawn)) }
    }
}
