import Model
import Sets
import TestSupport
import Testing

/// Which plan each set in the folders is.
@Suite(.timeLimit(.minutes(5)))
struct SetDecisionTests {
    private func file(_ path: String) -> SetFile {
        SetFile(path: path, kind: .pdf, stamp: FileStamp(device: 1, inode: 1, size: 1, modified: 0))
    }

    /// A folder with charts, which are known by their names.
    private func set(_ name: String, _ charts: String..., device: UInt64 = 1, inode: UInt64) throws -> FoundSet {
        guard case .set(let read) = SetName.read(name) else { throw Trouble("\(name) is no set") }
        let number = DiskNumber(device: device, inode: inode)
        return FoundSet(path: "/m/\(name)", name: read, number: number, .items(charts.map { [file("/m/\(name)/\($0).pdf")] }))
    }

    /// Looks at `now` after `before`, and returns which plan each set is.
    private func look(_ before: [FoundSet], then now: [FoundSet]) -> [PlanID] {
        var assembly = SetPlan(SetSettings(["/m"]))
        for file in (before + now).flatMap(\.files) { assembly.read[file] = SHA256.digest(of: file.name) }
        var found = FoundSets()
        found.sets = before
        let first = SetDecision(found, known: [:], roots: ["/m"]) { Timestamp(nanoseconds: $0) }
        let kept = first.contents(Array(before.indices), assembly, kept: [:])
        found.sets = now
        var second = SetDecision(found, known: first.knownNext(isSure: true), roots: ["/m"]) { Timestamp(nanoseconds: $0) }
        second.takeOver(Array(now.indices), assembly, kept: Dictionary(kept.map { ($0.plan.id, $0) }) { first, _ in first })
        return second.sets.map(\.plan.id)
    }

    @Test func aSetIsKnownByItsNumberOnItsDisk() throws {
        let sunday = try set("2026-11-22 Sunday", "a", "b", inode: 7)
        #expect(try look([sunday], then: [set("2026-11-29 Advent", "a", inode: 7)]) == [.ofSet("2026-11-22 Sunday")])
        #expect(
            try look([sunday], then: [set("2026-11-29 Advent", "a", device: 2, inode: 7)]) == [.ofSet("2026-11-29 Advent")],
            "a folder on another disk with its number is another one")
        #expect(
            try look([sunday], then: [set("2026-11-29 Advent", "b", "a", device: 2, inode: 7)]) == [.ofSet("2026-11-22 Sunday")],
            "a disk may have another number after a start")
        let linked = try ["2026-11-29 Advent", "2026-12-06 Second"].map { try set($0, "a", inode: 7) }
        #expect(look([sunday], then: linked) == linked.map { .ofSet($0.name.text) }, "two names of one file tell nothing")
    }

    @Test func ofSeveralNewSetsTheRightOneOrNoneTakesThePlan() throws {
        let sunday = try set("2026-11-22 Sunday", "a", "b", inode: 7)
        let (copy, moved) = (try set("2026-11-25 Copy", "a", "b", inode: 8), try set("2026-11-29 Sunday", "a", "b", inode: 9))
        #expect(look([sunday], then: [copy, moved]) == [.ofSet("2026-11-25 Copy"), .ofSet("2026-11-22 Sunday")])
        #expect(look([sunday], then: [moved, copy]) == [.ofSet("2026-11-22 Sunday"), .ofSet("2026-11-25 Copy")])
        let other = try set("2026-12-06 Other", "a", "b", inode: 10)
        #expect(look([sunday], then: [copy, other]) == [.ofSet("2026-11-25 Copy"), .ofSet("2026-12-06 Other")])
        #expect(look([sunday], then: [copy]) == [.ofSet("2026-11-22 Sunday")])
        let advent = try set("2026-11-29 Advent", "a", "b", inode: 11)
        #expect(look([sunday, advent], then: [copy]) == [.ofSet("2026-11-25 Copy")], "either may have become this one")
    }
}
