import Glibc
import Library
import Model
import Platform
import TestSupport

/// Marks that a file loses, and copies that sync programs put next to it.
extension Simulation {
    /// The marks of a file at the last check.
    struct KnownMarks {
        let attachment: AttachmentID?
        let marks: [Mark]
        let sums: MarkSums
    }

    /// A file and the copy that a sync program put next to it, with the bytes of both at that time.
    struct CopiedMarks {
        let original: String
        let bytes: [UInt8]
        let copy: [UInt8]
    }

    /// A sync program puts a copy with another machine's changes to an older state next to a file, dated years from now.
    func writeConflictCopy() throws {
        guard let name = ownFiles.filter({ copied[$0] == nil }).randomElement(using: &random), let bytes = music.files[name] else { return }
        let marks = String(decoding: bytes, as: UTF8.self).split(separator: "},{", omittingEmptySubsequences: false)
        guard marks.count > 1, marks.last?.contains("]}") == true else { return }
        for former in copied.keys.sorted() where music.files[former] != nil { try music.delete(former) }
        copied = [:]
        let copy = "\(name.dropLast(".marks.json".count)) (conflicted copy).marks.json"
        trace.note("a sync program writes \(copy)")
        let text = marks.dropLast().joined(separator: "},{") + "}]}"
        try music.save(text, as: copy)
        let time = timespec(tv_sec: 1_940_000_000 + count, tv_nsec: 0)
        utimensat(AT_FDCWD, music.path(copy), [time, time], 0)
        copied[copy] = CopiedMarks(original: name, bytes: bytes, copy: Array(text.utf8))
    }

    /// Checks that a copy is not drawn together with its original.
    func checkCopiesGiveWay() throws {
        guard let life else { return }
        let known = Dictionary(try life.library.markFiles.all().map { ($0.path, $0) }) { first, _ in first }
        for (copy, file) in copied.sorted(by: { $0.key < $1.key })
        where music.files[copy] == file.copy && music.files[file.original] == file.bytes {
            guard let one = known[music.path(copy)], let other = known[music.path(file.original)], let chart = one.attachment,
                other.attachment == chart
            else { continue }
            let leftOut = try life.library.drawings.copiesLeftOut(of: chart)
            // The original may give way to another file that happens to draw the same. A mark that only the copy and the original have is
            // then drawn from the copy.
            let isDrawn = !leftOut.contains { $0.path == other.path }
            if isDrawn, !leftOut.contains(where: { $0.path == one.path }) { complain("\(copy) is drawn beside \(file.original)") }
            if leftOut.contains(where: { $0.path == other.path && $0.other == one.path }) {
                complain("\(file.original) gives way to \(copy)")
            }
        }
    }

    /// Checks that marks are kept if a file loses them and no other file for its chart has them.
    func checkLostMarksAreKept() throws {
        // A restored catalogue may be older, and a wrong clock may make kept marks seem too old to be kept.
        guard let life, clockError == .zero, !hasLostCatalogue else { return knownMarks = [:] }
        let store = life.library.markFiles
        var now: [String: KnownMarks] = [:]
        for file in try store.all() {
            now[file.path] = KnownMarks(
                attachment: file.attachment, marks: file.content?.marks ?? [], sums: try store.sums(of: file.path) ?? MarkSums([]))
        }
        defer { knownMarks = now }
        let anywhere = MarkSums(now.values.flatMap(\.sums.values))
        for (path, former) in knownMarks.sorted(by: { $0.key < $1.key }) {
            // A mark that lives on under its id was changed.
            let living = now[path].map { $0.attachment == former.attachment ? Set($0.marks.map(\.id)) : [] } ?? []
            let lost = MarkSums(of: former.marks.filter { !living.contains($0.id) }).subtracting(now[path]?.sums ?? MarkSums([]))
                .subtracting(anywhere)
            guard !lost.isEmpty, let chart = former.attachment else { continue }
            let states = try store.history(of: chart).filter { $0.path == path }
            let isKept = try states.contains { state in
                try store.missingMarks(of: state.number, on: chart).map { lost.subtracting(MarkSums(of: $0.marks)).isEmpty } ?? false
            }
            // The library keeps a limited number of states. If there are twenty, the state with the lost marks may have been dropped.
            if !isKept, states.count < 20 { complain("\(path) lost \(lost.count) marks that nobody kept") }
        }
    }
}
