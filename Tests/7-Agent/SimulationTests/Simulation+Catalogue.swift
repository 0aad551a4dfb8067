import Catalogue
import Glibc
import Library
import Platform
import TestSupport

/// Accidents of the catalogue: somebody removes or damages it, or puts an older copy in its place.
extension Simulation {
    private var catalogue: String { folder.path("data/catalogue.sqlite") }
    private var formerCatalogue: String { folder.path("former") }
    private static let journals = ["-wal", "-shm"]

    func spoilCatalogue() async throws {
        guard !isDiskLocked else { return }
        forgetKnown()
        if oneIn(4) { return touchCatalogue() }
        if oneIn(2) {
            guard let fate = CatalogueFate.allCases.randomElement(using: &random), access(catalogue, F_OK) == 0 else { return }
            trace.note("the catalogue: \(fate)")
            try fate.befall(catalogue)
            if oneIn(2) { removeJournals() }
        } else if oneIn(2), access(formerCatalogue + "/catalogue.sqlite", F_OK) == 0 {
            trace.note("an older catalogue is put in place")
            removeJournals()
            for part in ["", "-wal"] { rename(formerCatalogue + "/catalogue.sqlite" + part, catalogue + part) }
        } else {
            return try copyCatalogue()
        }
        hasLostCatalogue = true
        if oneIn(2) { try await checkReadiness() }
        if !oneIn(3) { life?.tell(.written(catalogue)) }
    }

    /// Moves the catalogue's file away if it is no catalogue of Woodshed's, as the error message advises.
    func moveForeignCatalogueAway() {
        do throws(LibraryError) {
            try Library(readingFrom: folder.path("data")).close()
        } catch {
            guard case .foreign = error else { return }
            trace.note("what is no catalogue is moved away")
            rename(catalogue, folder.path("no catalogue"))
            removeJournals()
            life?.tell(.removed(catalogue))
        }
    }

    /// Somebody changes something about the catalogue's file, but not its content.
    private func touchCatalogue() {
        let link = folder.path("another name")
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            trace.note("the catalogue is touched")
            utimensat(AT_FDCWD, catalogue, nil, 0)
        case 1:
            trace.note("the catalogue gets other rights")
            chmod(catalogue, oneIn(2) ? 0o600 : 0o640)
        default:
            trace.note("the catalogue gets another name, or loses it")
            if unlink(link) != 0 { Glibc.link(catalogue, link) }
        }
        life?.tell(.written(catalogue))
    }

    private func copyCatalogue() throws {
        guard access(catalogue, F_OK) == 0 else { return }
        trace.note("the catalogue is copied")
        try Folder.create(formerCatalogue)
        TemporaryFolder.empty(formerCatalogue)
        // The third file, -shm, is memory of the processes that have the catalogue open.
        for part in ["", "-wal"] where access(catalogue + part, F_OK) == 0 {
            let bytes = try AtomicFile.read(catalogue + part, limit: 1 << 26)
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: formerCatalogue + "/catalogue.sqlite" + part, durability: .none) }
        }
    }

    private func removeJournals() {
        for part in Self.journals { unlink(catalogue + part) }
    }
}
