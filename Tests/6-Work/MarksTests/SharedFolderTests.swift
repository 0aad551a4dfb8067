import Catalogue
import Glibc
import LayerJoin
import Model
import Platform
import TestSupport
import Testing

@testable import Marks

/// Five machines of one musician, and a sync program with all the habits of such programs: in the end, every mark drawn on one
/// machine is drawn on all, except erased marks.
@Suite(.onLoop)
struct SharedFolderTests {
    private static let seeds = Asked.seeds(everyday: 4)

    @Test(.needs(.manyTries), arguments: seeds)
    @LoopActor func whatIsDrawnAnywhereIsDrawnEverywhere(seed: UInt64) async throws {
        let story = try await Story(seed)
        for _ in 0..<60 { try await story.step() }
        try await story.settle()
        try story.check("when all is carried about")
        // Somebody removes the copies of conflicts.
        try await story.removeConflictCopies()
        try await story.settle()
        try story.check("without the copies of conflicts")
        for machine in story.machines { machine.end() }
    }
}

@LoopActor
private final class Story {
    private let seed: UInt64
    private var random: SeededGenerator
    private(set) var machines: [SyncedMachine] = []
    /// The sync program's files, by name: all former states, and the present state as the last.
    private var cloud: [String: [[UInt8]]] = [:]
    /// Every value that was ever kept, by chart.
    private var kept: [String: JoinedLayer] = ["1a": JoinedLayer(), "1b": JoinedLayer()]
    private var copies: Set<String> = []
    private var count = 0
    private var notes: [String] = []

    init(_ seed: UInt64) async throws {
        (self.seed, random) = (seed, SeededGenerator(seed: seed))
        for number in 0..<5 { machines.append(try await SyncedMachine("browser \(number)")) }
    }

    private func number(_ most: Int) -> Int { Int.random(in: 0..<most, using: &random) }
    private func pick<Element>(_ all: [Element]) -> Element? { all.isEmpty ? nil : all[number(all.count)] }

    // MARK: - Events

    func step() async throws {
        count += 1
        let machine = machines[number(machines.count)]
        switch number(20) {
        case 0..<8: try await draw(on: machine)
        case 8..<11: try await upload(from: machine)
        case 11..<15: try await download(to: machine, all: false)
        case 15:
            // An older state of a file comes back, here or in the cloud.
            guard let name = pick(cloud.keys.sorted()), let older = pick(cloud[name] ?? []) else { return }
            // If no machine has the present state yet, that state would be lost.
            guard try machines.contains(where: { try $0.files()[name] == cloud[name]?.last }) else { return }
            note("\(name) goes back")
            if number(2) == 0 { cloud[name]?.append(older) } else { try await machine.write(older, as: name) }
        case 16:
            guard let name = pick(try machine.files().keys.filter { $0.contains(".marks") }.sorted()),
                let bytes = try machine.files()[name],
                !bytes.isEmpty
            else { return }
            note("\(name) is torn, and whole again")
            try await machine.write(Array(bytes.prefix(number(bytes.count))), as: name)
            try await machine.write(bytes, as: name)
        case 17:
            // The machine passes on all its values, and then becomes an image or a copy of another one.
            guard let other = pick(machines.filter { $0 !== machine }) else { return }
            note("a machine becomes a copy of another one")
            try await upload(from: machine)
            try await upload(from: other)
            try await machine.become(other, isImage: number(2) == 0, as: "browser of copy \(count)")
        case 18:
            // If the folder is restored as well, values that no other machine has would be lost, so they are uploaded first.
            let withFolder = number(2) == 0
            note("a home is put back as it was\(withFolder ? ", with its folder" : "")")
            machine.end()
            let saved = withFolder ? [machine.data, machine.marks] : [machine.data]
            for (place, path) in saved.enumerated() { try machine.copy(path, to: machine.folder.path("backup \(count) \(place)")) }
            try await machine.begin()
            try await draw(on: machine)
            if withFolder {
                try await upload(from: machine)
                for other in machines { try await download(to: other, all: true) }
            }
            machine.end()
            for (place, path) in saved.enumerated() {
                TemporaryFolder.remove(path)
                try machine.copy(machine.folder.path("backup \(count) \(place)"), to: path)
            }
            // Files missing in the backup are downloaded again; a sync program that deleted them instead would act like a person.
            let there = try machine.files()
            machine.synced = machine.synced.filter { there[$0.key] != nil }
            try await machine.begin()
        default:
            machine.home.clock.wallTimeAtStart += .seconds((number(2) == 0 ? 1 : -1) * 10 * 365 * 86_400)
        }
    }

    private func draw(on machine: SyncedMachine) async throws {
        guard let chart = pick(["1a", "1b"]) else { return }
        let present = try machine.layer(of: chart).marks.map(\.id.text)
        let isNew = present.isEmpty || number(2) == 0
        guard let mark = isNew ? "m\(count)" : pick(present) else { return }
        let value = try await machine.edit(mark, on: chart, x: isNew || number(2) == 0 ? Double(number(999)) / 1000 : nil)
        kept[chart]?.insert(value)
        note(
            "machine \(machines.firstIndex { $0 === machine } ?? -1): \(mark) on \(chart) is \(value.edits.sorted) \(value.mark == nil ? "erased" : "drawn")"
        )
    }

    /// A new name in one of ten forms that sync programs give to a file that they put aside.
    private func conflictName(of name: String) -> String {
        let stem = String(name.dropLast(".json".count))
        let serial = 100_000 + copies.count
        return [
            "\(stem).sync-conflict-20261127-\(serial)-ABCDEFG.json", "\(stem) (conflicted copy 2026-11-27 \(serial)).json",
            "\(stem) (Anna's conflicted copy 2026-11-27) \(serial).json", "\(name).conflict\(serial)", "\(name)..path\(serial)",
            "\(stem) (\(serial)).json", "\(stem) (SFConflict a@b.org 2026-11-27-\(serial)).json",
            "\(stem) (# Edit conflict 2026-11-27 aBc\(serial) #).json", "\(stem)-DESKTOP-\(serial).json", "\(stem)_conflict-\(serial).json",
        ][number(10)]
    }

    private func upload(from machine: SyncedMachine) async throws {
        for (name, bytes) in try machine.files().sorted(by: { $0.key < $1.key }) where machine.synced[name] != bytes {
            let (base, present) = (machine.synced[name], cloud[name]?.last)
            machine.synced[name] = bytes
            // Now and then a file is put aside although only one side changed it.
            if let present, present != bytes, present != base || number(10) == 0 {
                let other = conflictName(of: name)
                note("\(name) is put aside as \(other)")
                copies.insert(other)
                if number(2) == 0 {
                    cloud[other, default: []].append(bytes)
                    machine.synced[name] = nil
                } else {
                    cloud[other, default: []].append(present)
                    cloud[name]?.append(bytes)
                }
            } else {
                cloud[name, default: []].append(bytes)
            }
        }
    }

    /// Files arrive in any order; unless `all`, some are left out, and some come twice.
    private func download(to machine: SyncedMachine, all: Bool) async throws {
        for name in cloud.keys.shuffled(using: &random) where all || number(3) > 0 {
            guard let bytes = cloud[name]?.last, machine.synced[name] != bytes || !all && number(5) == 0 else { continue }
            // A file that was saved here since then is not overwritten.
            if let own = try machine.files()[name], own != bytes, own != machine.synced[name], machine.synced[name] != nil { continue }
            machine.synced[name] = bytes
            try await machine.write(bytes, as: name)
        }
    }

    // MARK: - The end

    func settle() async throws {
        for _ in 0..<12 {
            for machine in machines { try await upload(from: machine) }
            for machine in machines { try await download(to: machine, all: true) }
            let isQuiet = try machines.allSatisfy { machine in
                try cloud.allSatisfy { try machine.files()[$0.key] == $0.value.last }
                    && machine.files().allSatisfy { cloud[$0.key]?.last == $0.value }
            }
            if isQuiet { return }
        }
        Issue.record("seed \(seed): it never comes to rest")
    }

    /// Whether a machine still owns the file. If the file's home is gone, no machine would write the file's marks again.
    private func hasOwner(_ name: String) -> Bool { machines.contains { Self.owns($0, name) } }

    private static func owns(_ machine: SyncedMachine, _ name: String) -> Bool {
        HomeID.split("/\(name)", HomeID(in: machine.data).all)?.isOurs == true
    }

    func removeConflictCopies() async throws {
        for name in copies.filter(hasOwner).sorted() {
            cloud[name] = nil
            for machine in machines {
                machine.synced[name] = nil
                try await machine.remove(name)
            }
        }
    }

    func check(_ when: String) throws {
        for (chart, layer) in kept.sorted(by: { $0.key < $1.key }) {
            let pages = try machines.map { try $0.drawn(on: chart) }
            for (number, machine) in machines.enumerated() {
                let found = try machine.layer(of: chart)
                #expect(
                    found.marks == layer.marks && Set(found.also) == Set(layer.also),
                    "seed \(seed): \(chart) on machine \(number) \(when): \(differences(found, layer)): \(notes.suffix(80))")
                #expect(pages[number] == pages[0], "seed \(seed): \(chart) looks otherwise on machine \(number) \(when)")
                #expect(pages[number].isEmpty == layer.marks.isEmpty)
            }
        }
    }

    private func differences(_ one: JoinedLayer, _ other: JoinedLayer) -> String {
        one.changes(since: other).keys.map { id in
            func words(_ layer: JoinedLayer) -> String {
                "\((layer.marks + layer.also + layer.deleted).filter { $0.id == id }.map { ($0.edits.sorted, $0.mark == nil) })"
            }
            return "\(id): \(words(one)) for \(words(other))"
        }.joined(separator: "; ")
    }

    private func note(_ text: String) { notes.append("\(count): \(text)") }
}
