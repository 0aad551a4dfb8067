import Foundation
import LayerJoin
import Model
import TestSupport
import Testing

/// Up to five devices and a person with a text editor change one layer. Requests and answers are lost, repeated and delayed, devices are
/// killed and restored to earlier states, and clocks are up to ten years wrong. `WOODSHED_HISTORIES` sets the number of histories.
@Suite(.timeLimit(.minutes(5)))
struct HistoryTests {
    @Test func allEndAlikeAndNothingThatSomebodyMadeIsMissing() throws {
        let count = ProcessInfo.processInfo.environment["WOODSHED_HISTORIES"].flatMap { Int($0) } ?? 300
        var sums = History.Sums()
        for seed in 1...UInt64(count) {
            var history = History(seed: seed)
            history.play()
            history.end()
            for fault in history.faults() { Issue.record("seed \(seed): \(fault)") }
            sums.add(history.sums)
        }
        // The histories must contain enough events of each kind, or the test would prove nothing.
        #expect(sums.edits > count * 10 && sums.lost > count && sums.repeated > count / 4 && sums.kills > count)
        #expect(sums.setBack > count / 4 && sums.renamed > count / 10 && sums.byHand > count / 4 && sums.concurrent > count / 4)
    }
}

/// A random history made from a seed, with a record of what really happened.
struct History {
    struct Sums {
        var edits = 0, lost = 0, repeated = 0, kills = 0, setBack = 0, renamed = 0, byHand = 0, concurrent = 0

        mutating func add(_ other: Sums) {
            edits += other.edits
            lost += other.lost
            repeated += other.repeated
            kills += other.kills
            setBack += other.setBack
            renamed += other.renamed
            byHand += other.byHand
            concurrent += other.concurrent
        }
    }

    /// An edit as it really happened.
    private struct Truth {
        let mark: MarkID
        let isDeletion: Bool
        /// The edits that the author had seen, and all edits on which those edits were based.
        let seen: Set<Int>
    }

    private(set) var sums = Sums()
    private var random: SeededGenerator
    private var devices: [SimulatedDevice]
    /// For each device: earlier states to which it can be restored, requests in transit, and the error of its clock.
    private var states: [[SimulatedDevice]]
    private var underWay: [[[LayerValue]]]
    private let clocks: [Int64]
    /// The file that the edits of all devices are joined into.
    private var file = JoinedLayer()
    private var truth: [Truth] = []
    private var serials: [LayerValue.Text: Int] = [:]
    private var deletions: [EditCounts: Int] = [:]
    private var names = 0
    /// The edits that waited on a device or were in the file after the last edit had been made. None of them may be lost.
    private var held: Set<Int> = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...5, using: &random)
        devices = (0..<count).map { SimulatedDevice(DeviceID("device \($0)")) }
        states = devices.map { [$0] }
        underWay = devices.map { _ in [] }
        let decade: Int64 = 10 * 365 * 86_400
        var generator = random
        clocks = devices.map { _ in Int64.random(in: -decade...decade, using: &generator) }
    }

    mutating func play() {
        for step in 0..<Int.random(in: 30...90, using: &random) {
            let device = devices.indices.randomElement(using: &random)!
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8: edit(device, at: Int64(step))
            case 8..<15: exchange(device)
            case 15: arrive(device)
            case 16: kill(device, setBack: false)
            case 17: kill(device, setBack: true)
            case 18: states[device].append(devices[device])
            default: writeByHand(at: Int64(step))
            }
        }
    }

    /// Delivers everything, so that no edit waits any longer.
    mutating func end() {
        for device in devices.indices {
            arrive(device)
            kill(device, setBack: false)
        }
        held = serials(of: file.marks + file.also + file.deleted).union(devices.flatMap { $0.waiting.map(\.serial) })
        for _ in 0..<3 {
            for device in devices.indices {
                answer(device)
                file.join(JoinedLayer(devices[device].give()))
                answer(device)
            }
        }
    }

    func faults() -> [String] {
        var faults: [String] = []
        for device in devices where device.layer != file || !device.waiting.isEmpty || device.layer.marks != file.marks {
            faults.append("\(device.id) ends with another layer")
        }
        let left = serials(of: file.marks + file.also + file.deleted)
        let covered = left.reduce(left) { $0.union(truth[$1].seen) }
        for serial in held.subtracting(covered).sorted() { faults.append("edit \(serial) is gone, and nobody who replaced it knew it") }
        let shown = Set(file.marks.map(\.id))
        for serial in held where !truth[serial].isDeletion && !shown.contains(truth[serial].mark) {
            let isDeleted = held.contains { truth[$0].isDeletion && truth[$0].mark == truth[serial].mark }
            if !isDeleted { faults.append("\(truth[serial].mark) is missing though nobody deleted it") }
        }
        faults += doubleNumbers()
        return faults
    }

    /// A device must not give one number to two values that both survive.
    private func doubleNumbers() -> [String] {
        var owners: [String: Set<LayerValue.Text?>] = [:]
        for value in file.marks + file.also + file.deleted {
            guard let own = value.edits.sorted.first(where: { issued[value.edits] == $0.device }) else { continue }
            owners["\(own.device) \(own.number)", default: []].insert(value.mark)
        }
        return owners.filter { $0.value.count > 1 }.map { "number \($0.key) was used twice" }
    }

    /// The device that made each value, by the value's edits. The device has the name under which it sent the value.
    private var issued: [EditCounts: DeviceID] = [:]

    // MARK: - What happens

    private mutating func edit(_ device: Int, at step: Int64) {
        sums.edits += 1
        let known = devices[device]
        let waiting = JoinedLayer(known.values)
        let all = known.layer.joined(with: waiting)
        let marks = all.marks.map(\.id)
        let isNew = marks.isEmpty || Int.random(in: 0..<3, using: &random) == 0
        let mark = isNew ? MarkID("mark \(truth.count)") : marks.randomElement(using: &random)!
        let isDeletion = !isNew && Int.random(in: 0..<3, using: &random) == 0
        let seen = serials(of: (known.layer.marks + known.layer.also + known.layer.deleted).filter { $0.id == mark })
            .union(known.waiting.filter { $0.mark == mark }.map(\.serial))
        note(mark, isDeletion, seen)
        let time = Timestamp(nanoseconds: (1_795_000_000 + step + clocks[device]) * 1_000_000_000)
        let text = LayerValue.Text(Array("edit \(truth.count - 1) of \(mark)".utf8), createdAt: time)
        if !isDeletion { serials[text] = truth.count - 1 }
        devices[device].edit(mark, to: isDeletion ? nil : text, serial: truth.count - 1)
    }

    private mutating func note(_ mark: MarkID, _ isDeletion: Bool, _ seen: Set<Int>) {
        truth.append(Truth(mark: mark, isDeletion: isDeletion, seen: seen.reduce(seen) { $0.union(truth[$1].seen) }))
    }

    private func serials(of values: [LayerValue]) -> Set<Int> {
        Set(values.compactMap { value in value.mark.map { serials[$0] } ?? deletions[value.edits] })
    }

    private mutating func exchange(_ device: Int) {
        let values = devices[device].give()
        for (value, edit) in zip(values, devices[device].waiting) where !values.isEmpty {
            issued[value.edits] = devices[device].id
            if value.mark == nil { deletions[value.edits] = edit.serial }
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: sums.lost += 1
        case 1: underWay[device].append(values)
        case 2:
            sums.lost += 1
            file.join(JoinedLayer(values))
        case 3:
            sums.repeated += 1
            file.join(JoinedLayer(values))
            if Bool.random(using: &random) { file.join(JoinedLayer(values)) } else { underWay[device].append(values) }
            answer(device)
        default:
            file.join(JoinedLayer(values))
            answer(device)
        }
        if !file.also.isEmpty { sums.concurrent += 1 }
    }

    private mutating func answer(_ device: Int) {
        let former = devices[device].id
        devices[device].meet(file) {
            names += 1
            return DeviceID("another \(names)")
        }
        if devices[device].id != former { sums.renamed += 1 }
        // The device may have renumbered its waiting edits.
        for (value, edit) in zip(devices[device].values, devices[device].waiting) {
            issued[value.edits] = devices[device].id
            if value.mark == nil { deletions[value.edits] = edit.serial }
        }
    }

    /// Requests in transit arrive, in any order and perhaps twice.
    private mutating func arrive(_ device: Int) {
        for values in underWay[device].shuffled(using: &random) {
            file.join(JoinedLayer(values))
            if Bool.random(using: &random) { file.join(JoinedLayer(values)) }
        }
        underWay[device] = []
    }

    /// Kills a device, which breaks its connections: all requests in transit have arrived by then, or are lost.
    private mutating func kill(_ device: Int, setBack: Bool) {
        sums.kills += 1
        if Bool.random(using: &random) { arrive(device) } else { underWay[device] = [] }
        if setBack {
            sums.setBack += 1
            devices[device] = states[device].randomElement(using: &random)!
        }
        devices[device].start()
    }

    /// Somebody adds or changes a mark in the file by hand. Such an edit has no number; its text identifies it.
    private mutating func writeByHand(at step: Int64) {
        sums.byHand += 1
        let known = file.marks.randomElement(using: &random)
        let mark = known?.id ?? MarkID("mark \(truth.count)")
        let seen = serials(of: (file.marks + file.also + file.deleted).filter { $0.id == mark && $0 == known })
        note(mark, false, seen)
        let text = LayerValue.Text(Array("edit \(truth.count - 1) of \(mark) by hand".utf8), createdAt: Timestamp(nanoseconds: step))
        serials[text] = truth.count - 1
        file.insert(LayerValue(mark, (known?.edits ?? EditCounts()).joined(with: .byHand(text.bytes)), text))
    }
}
