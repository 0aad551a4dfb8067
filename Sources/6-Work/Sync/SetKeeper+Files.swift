import Catalogue
import Glibc
import Library
import Model
import Platform
import Rendering
import SetFolders
import Sets

/// The charts' files in the folders of sets.
extension SetKeeper {
    /// Reads the files that have changed since they were last read, and adds their digests to `assembly`. A file that cannot be used does
    /// not take the place of the one that was there before. What is opened is a copy: a folder's disk may go at any moment, and whoever
    /// opens a file there would wait for it.
    func read(_ files: [SetFile], _ known: [String: SetStore.File], into assembly: inout SetPlan) async throws {
        for file in files where assembly.read[file] == nil && assembly.faults[file] == nil && !assembly.unfinished.contains(file) {
            guard !hasEnded else { return }
            let former = known[file.path]
            if let former, former.stamp == file.stamp {
                assembly.read[file] = former.digest
                continue
            }
            let now = parts.now
            do {
                let (reading, copy) = try await copied(file, at: now)
                defer { withExtendedLifetime(copy) {} }
                switch reading {
                case nil:
                    assembly.faults[file] = "its disk does not answer"
                    assembly.read[file] = former?.digest
                case .unfinished:
                    assembly.unfinished.insert(file)
                    assembly.read[file] = former?.digest
                case .whole(let digest, let kind):
                    if let fault = try await fault(in: file, copy, isNew: former == nil, kind, ChartHash(digest)) {
                        if file.mayBeNoSong, former == nil { assembly.others.insert(file) }
                        assembly.faults[file] = former == nil ? fault : "\(fault); the chart that was there before is kept"
                        assembly.read[file] = former?.digest
                    } else {
                        assembly.read[file] = digest
                        if copies.count < Self.mostCopies { copies[digest] = copy }
                    }
                }
            } catch let error as SystemError {
                assembly.faults[file] = "\(error)"
                assembly.read[file] = former?.digest
            }
        }
    }

    /// Each copy that is kept open takes one of the process's descriptors.
    private static var mostCopies: Int { 32 }

    /// Reads a file and copies it, or only reads it, if it is a text or the library has no room.
    private func copied(_ file: SetFile, at now: Timestamp) async throws(SystemError) -> (SetFolders.Reading?, TemporaryFile?) {
        if file.kind != .song, let copy = try? parts.library.charts.beginChart() {
            let reading = try? await side.run(within: Self.patience, parts.time) { () throws(SystemError) in
                try SetFolders.read(file, to: copy, now: now)
            }
            // Whether it was the copy that failed shows when the file alone is read.
            if let reading { return (reading, copy) }
        }
        let reading = try await side.run(within: Self.patience, parts.time) { () throws(SystemError) in try SetFolders.read(file, now: now)
        }
        return (reading, nil)
    }

    /// Why a file is no chart; `nil` if it is one, or if a new one cannot be copied now: that is said once it is to be kept.
    private func fault(
        in file: SetFile, _ copy: TemporaryFile?, isNew: Bool, _ kind: FileKind, _ hash: ChartHash
    ) async throws -> String? {
        switch file.kind {
        case .song:
            do {
                let text = try await text(of: file, hash.digest)
                return file.mayBeNoSong ? try await fault(in: text) : nil
            } catch let error as Trouble {
                return "\(error)"
            } catch let error as SystemError {
                return "\(error)"
            }
        case .pdf:
            guard kind == .pdf else { return "it is called a PDF, but is \(kind)" }
            guard try parts.library.charts.description(of: hash) == nil else { return nil }
            guard let copy else { return isNew ? nil : "there is no room for a copy of it" }
            do throws(RenderFailure) {
                opened[hash] = try await parts.renderer.describe(chart: copy.path)
                return nil
            } catch {
                guard error != .cancelled, error != .stopped else { throw error }
                return "it cannot be opened: \(error)"
            }
        case .picture:
            guard kind == .image else { return "it is called a picture, but is \(kind)" }
            guard try parts.library.charts.all(of: AttachmentID(ofBytes: hash.digest)).isEmpty else { return nil }
            guard let copy else { return isNew ? nil : "there is no room for a copy of it" }
            do {
                // The PDF is made again when the picture is kept: whether that works must be known before.
                _ = try await pdf(ofPicture: copy.path)
                return nil
            } catch let failure as RenderFailure where failure != .cancelled && failure != .stopped {
                return "\(failure)"
            } catch LibraryError.system(let error) {
                return "it cannot be drawn: \(error)"
            }
        }
    }

    /// Why a text is no song, as the process that draws songs finds out; `nil` if it is one.
    private func fault(in text: SongFileText) async throws -> String? {
        guard let drawer = parts.songs else { throw RenderFailure.stopped }
        let target = try parts.library.charts.beginChart()
        do throws(RenderFailure) {
            let sheet = SongSheet(SongText(text.text, dialect: .any, title: ""))
            _ = try await drawer.draw(SongJob(sheet, output: target.descriptor), in: .background)
            return nil
        } catch {
            guard error != .cancelled, error != .stopped else { throw error }
            return if case .drawing(let reason) = error { reason } else { "it cannot be read: \(error)" }
        }
    }

    /// Makes a PDF of a picture, and opens it. The same picture always gives the same PDF.
    func pdf(ofPicture path: String) async throws -> (file: TemporaryFile, hash: ChartHash, size: Int) {
        guard let drawer = parts.songs else { throw RenderFailure.stopped }
        let target = try parts.library.charts.beginChart()
        let size = try await drawer.draw(PictureJob(path, output: target.descriptor), in: .background).bytes
        let (digest, count) = try await parts.side.run { () throws(SystemError) in
            let bytes = try MemoryFile.read(target.descriptor, limit: PictureJob.mostBytes)
            return (SHA256.digest(of: bytes), bytes.count)
        }
        guard count == size else { throw RenderFailure.cannotWrite(EIO) }
        let hash = ChartHash(digest)
        if opened[hash] == nil, try parts.library.charts.description(of: hash) == nil {
            opened[hash] = try await parts.renderer.describe(chart: target.path)
        }
        return (target, hash, size)
    }

    /// The text of a file that still has the bytes of this digest: other words must not be kept as those.
    private func text(of file: SetFile, _ digest: Digest) async throws -> SongFileText {
        let found = try await side.run(within: Self.patience, parts.time) { () throws(SystemError) in
            let bytes = try AtomicFile.read(file.path, limit: Self.longestText)
            return (bytes: bytes, isAsRead: SHA256.digest(of: bytes) == digest)
        }
        guard let found else { throw Trouble("its disk does not answer") }
        guard found.isAsRead else { throw changed(file) }
        return try SongFileText(found.bytes)
    }

    private func changed(_ file: SetFile) -> Trouble {
        lookAgain(at: [file])
        return Trouble("\(file.path) changed while it was read; it is read again")
    }

    /// The longest text that is read as a song, in bytes.
    nonisolated static let longestText = 1 << 20

    /// Copies the charts of these plans that are not here yet into the library, and draws those that are words and chords, or pictures.
    func keep(_ plans: [PlanContents], _ assembly: SetPlan) async throws -> (setbacks: [Setback], count: Int) {
        var sources: [AttachmentID: SetFile] = [:]
        // A file that is unfinished or faulty has other bytes by now.
        for (file, digest) in assembly.read.sorted(by: { $0.key.path < $1.key.path })
        where assembly.isAsRead(file) { sources[AttachmentID(ofBytes: digest)] = file }
        var (setbacks, count) = ([Setback](), 0)
        for attachment in try parts.library.charts.attachmentsToDownload(for: plans) {
            guard !hasEnded else { break }
            guard let digest = attachment.id.bytes else { continue }
            let file = sources[attachment.id]
            do {
                guard try await bring(file, digest, as: attachment) else { continue }
                count += 1
                parts.events?.chartArrived([])
            } catch {
                if error as? RenderFailure == .cancelled || error as? RenderFailure == .stopped { break }
                // It would be fetched from the band with every look.
                if let file, isShared(file), (error as? RenderFailure)?.isLasting == true { refused.insert(digest) }
                setbacks.append(Setback(attachment.filename, "\(error)"))
                try? parts.library.charts.note(downloadFault: "\(error)", of: attachment, at: parts.now)
            }
        }
        return (setbacks, count)
    }

    /// Brings one chart into the library. Returns whether it has arrived.
    private func bring(_ file: SetFile?, _ digest: Digest, as attachment: Attachment) async throws -> Bool {
        guard let file else {
            // The words of a song are here, though its folder may be away.
            guard try downloads.isDrawn(attachment) else { return false }
            try await downloads.draw(attachment, in: .background)
            return true
        }
        switch file.kind {
        case _ where isShared(file):
            guard try await keepShared(file, digest, as: attachment) else {
                lacksShared = true
                try parts.library.charts.note(downloadFault: "it has not arrived from the band yet", of: attachment, at: parts.now)
                return false
            }
            arrivals += 1
        case .pdf, .picture: try await copy(file, digest, as: attachment)
        case .song: try await draw(text(of: file, digest), as: attachment)
        }
        return true
    }

    private func copy(_ file: SetFile, _ digest: Digest) async throws -> TemporaryFile {
        let (now, copy) = (parts.now, try parts.library.charts.beginChart())
        let reading = try await side.run(within: Self.patience, parts.time) { () throws(SystemError) in
            try SetFolders.read(file, to: copy, now: now)
        }
        if reading == nil { throw Trouble("its disk does not answer") }
        guard case .whole(digest, _) = reading else { throw changed(file) }
        return copy
    }

    /// Keeps a file as the chart that it is. Of a picture, that is a PDF made of it.
    private func copy(_ file: SetFile, _ digest: Digest, as attachment: Attachment) async throws {
        let former = copies.removeValue(forKey: digest)
        let copy = if let former { former } else { try await copy(file, digest) }
        // The copy has a name only as long as it lives.
        defer { withExtendedLifetime(copy) {} }
        var chart = (file: copy, hash: ChartHash(digest), size: file.stamp.size)
        if file.kind == .picture {
            chart = try await pdf(ofPicture: copy.path)
        } else if opened[chart.hash] == nil, try parts.library.charts.description(of: chart.hash) == nil {
            opened[chart.hash] = try await parts.renderer.describe(chart: copy.path)
        }
        try parts.library.charts.keep(chart.file, hash: chart.hash, size: chart.size, for: attachment.id, version: attachment.version)
        // If the description cannot be saved, the chart is opened once more later.
        guard let description = opened.removeValue(forKey: chart.hash) else { return }
        let tag = try await parts.renderer.identity().tag
        try? parts.events?.described(chart.hash, as: description, by: tag)
    }

    func draw(_ file: SongFileText, as attachment: Attachment) async throws {
        guard let origin = attachment.origin else { return }
        if try parts.library.songs.text(origin.song) == nil {
            var song = SongText(file.text, dialect: attachment.dialect, title: attachment.displayName)
            song.follow(settings.rules)
            try parts.library.songs.keep(song, as: origin.song)
        }
        try await downloads.draw(attachment, in: .background)
    }
}
