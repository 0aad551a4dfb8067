import Model
import Platform
import TestSupport
import Testing

@testable import ChartFiles

/// Random plans and random changes by the user, in folders that a dictionary simulates.
@Suite(.timeLimit(.minutes(5)))
struct LinkDecisionTests {
    private static let charts = "/data/charts"
    private static let root = "/music"

    /// Folders of one level: file names with the targets of their links, or `nil` for the user's files.
    private struct Disc {
        var folders: [String: [String: String?]] = [:]

        func listings(_ names: [String]) -> [String: FolderListing] {
            Dictionary(
                Set(names).map { name in
                    guard let entries = folders[name] else { return (name, .missing) }
                    return (name, .entries(entries.map { FolderListing.Entry(name: $0.key, linkTarget: $0.value) }))
                }
            ) { first, _ in first }
        }

        var links: [String: String] {
            var all: [String: String] = [:]
            for (folder, entries) in folders {
                for case (let name, let target?) in entries { all[folder + "/" + name] = target }
            }
            return all
        }

        var userFiles: Set<String> {
            Set(folders.flatMap { folder, entries in entries.filter { $0.value == nil }.map { folder + "/" + $0.key } })
        }

        mutating func put(_ path: String, _ target: String?) {
            let folder = Folder.parent(of: path)
            folders[folder, default: [:]][String(path.dropFirst(folder.count + 1))] = .some(target)
        }

        mutating func carryOut(_ decision: LinkDecision) {
            for link in decision.make + decision.retarget { put(link.path, link.target) }
            for link in decision.remove { folders[link.folder]?.removeValue(forKey: link.name) }
            for folder in decision.removeFolders where folders[folder]?.isEmpty == true { folders[folder] = nil }
        }
    }

    private func decision(_ plans: [PlanContents], _ targets: [AttachmentID: String], _ recorded: [ChartLink], _ disc: Disc) -> LinkDecision
    {
        let reserved = LinkDecision.reserved(
            recorded: recorded, listings: disc.listings(recorded.map(\.folder)), chartsFolder: Self.charts)
        let wanted = ChartLink.wanted(for: plans, in: Self.root, reserved: reserved, date: { $0.date }) { targets[$0.attachment] }
        #expect(Set(wanted.map { FileName.folded($0.path) }).count == wanted.count)
        return LinkDecision(
            wanted: wanted, recorded: recorded, listings: disc.listings((recorded + wanted).map(\.folder)), chartsFolder: Self.charts)
    }

    private func recorded(_ before: [ChartLink], _ decision: LinkDecision) -> [ChartLink] {
        var all = Dictionary(uniqueKeysWithValues: before.map { ($0.path, $0) })
        for link in decision.record { all[link.path] = link }
        for link in decision.forget + decision.remove { all[link.path]?.stands = false }
        return all.values.sorted { $0.path < $1.path }
    }

    @Test(arguments: 0..<60 as Range<UInt64>) func theUsersFilesAreSafeAndASecondRunDoesNothing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var disc = Disc()
        var links: [ChartLink] = []
        for step in 0..<15 {
            let plans = (0..<3).filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }.map { id in
                var plan = Samples.contents(
                    "\(id)", day: .random(in: 0..<2, using: &generator),
                    attachments: (0..<4).shuffled(using: &generator).map { Samples.attachment("a\($0)") })
                plan.plan.title = "Advent"
                for item in plan.items.indices { plan.items[item].title = ["Grace", "GRACE", "Öde", "O\u{308}de"][item] }
                return plan
            }
            let targets = Dictionary(
                uniqueKeysWithValues: (0..<4).map { number in
                    let digest = SHA256.digest(of: "\(number) \(Int.random(in: 0..<2, using: &generator))")
                    return (AttachmentID("a\(number)"), "\(Self.charts)/\(digest.hex).pdf")
                })
            let before = disc
            let first = decision(plans, targets, links, disc)
            disc.carryOut(first)
            links = recorded(links, first)

            #expect(disc.userFiles == before.userFiles, "step \(step)")
            for link in links where before.userFiles.contains(String(link.path.dropLast(3)) + "xopp") {
                // A file of marks never ends up beside another chart, and never loses the link beside it.
                if before.links[link.path] != nil { #expect(disc.links[link.path] != nil, "step \(step): \(link.path)") }
            }
            let second = decision(plans, targets, links, disc)
            #expect(second.make.isEmpty && second.retarget.isEmpty && second.remove.isEmpty && second.removeFolders.isEmpty)
            #expect(second.record.isEmpty && second.forget.isEmpty, "step \(step)")
            #expect(second.inTheWay == first.inTheWay)

            meddle(&disc, links, &generator)
        }
    }

    private func meddle(_ disc: inout Disc, _ links: [ChartLink], _ generator: inout SeededGenerator) {
        guard let link = links.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: disc.put(String(link.path.dropLast(3)) + "xopp", nil)
        case 1: disc.put(link.path, nil)
        case 2: disc.put(link.path, "/home/me/other.pdf")
        case 3: disc.folders[link.folder]?.removeValue(forKey: link.name)
        default:
            let moved = disc.folders.removeValue(forKey: link.folder)
            disc.folders[link.folder + " of mine"] = moved
        }
    }

    @Test func anotherChartDoesNotTakeThePlaceThatMarksLieAt() {
        let plan = Samples.contents("1", attachments: [Samples.attachment("a")])
        let folder = "\(Self.root)/\(plan.plan.firstTime?.date ?? "") Plan 1"
        let targets = Dictionary(
            uniqueKeysWithValues: ["a", "b"].map { name in
                (AttachmentID(name), "\(Self.charts)/\(SHA256.digest(of: name).hex).pdf")
            })
        var disc = Disc()
        let first = decision([plan], targets, [], disc)
        disc.carryOut(first)
        #expect(first.make.map(\.path) == ["\(folder)/01 Song 0.pdf"])
        disc.put("\(folder)/01 Song 0.xopp", nil)

        let other = Samples.contents("1", attachments: [Samples.attachment("b")])
        let second = decision([other], targets, first.record, disc)
        #expect(second.make.map(\.path) == ["\(folder)/01 Song 0 (2).pdf"])
        #expect(second.kept == first.make)
        #expect(second.remove.isEmpty && second.retarget.isEmpty)
    }
}
