public import Model

/// Reads files of Xournal++ and Xournal: `.xopp` and `.xoj`.
public enum XournalReader {
    /// Reads a file's bytes. `name` is the file's own name, with which an attached PDF's name begins.
    ///
    /// Whether the file is gzip, ZIP or plain XML is decided by its content, not by its name.
    public static func read(
        _ bytes: [UInt8], name: String = "", limits: MarkFileLimits = MarkFileLimits()
    ) throws(MarkFileFault) -> MarkFile {
        guard bytes.count <= limits.fileBytes else {
            throw MarkFileFault(.tooLarge, "is larger than \(limits.fileBytes >> 20) MiB")
        }
        guard !bytes.isEmpty else { throw MarkFileFault(.unfinished, "is empty") }
        let result = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(MarkFileFault) in try read(bytes, name: name, limits: limits) }
        }
        return try result.get()
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, name: String, limits: MarkFileLimits
    ) throws(MarkFileFault) -> MarkFile {
        if bytes.starts(with: [0x50, 0x4b]) { return try readArchive(bytes, limits: limits) }
        let document = XournalDocument(limits: limits)
        do throws(MarkFileFault) {
            try read(bytes, into: document, limits)
            var file = try document.file()
            file.reference = reference(of: document, name)
            return file
        } catch {
            throw error.of(reference(of: document, name))
        }
    }

    /// The chart that a document outside an archive names, if the name was read before any fault.
    private static func reference(of document: XournalDocument, _ name: String) -> MarkFile.Reference {
        var reference = document.reference
        // An attached PDF is next to the file. Its name is the file's, a dot and the given name. Refuse paths, which could lead elsewhere.
        if let attached = document.attachedPDF, !attached.contains("/") { reference.pdf = name + "." + attached }
        return reference
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, into document: XournalDocument, _ limits: MarkFileLimits
    ) throws(MarkFileFault) {
        let stream = try XMLStream(limit: limits.inflatedBytes, target: document)
        if bytes.starts(with: [0x1f, 0x8b]) {
            try Gzip.unpack(bytes) { piece throws(MarkFileFault) in try stream.feed(piece) }
        } else {
            guard let first = bytes.first(where: { !($0 == 0x20 || (0x09...0x0d).contains($0) || [0xef, 0xbb, 0xbf].contains($0)) }),
                first == UInt8(ascii: "<")
            else { throw MarkFileFault(.malformed, "is neither XML nor gzip nor ZIP", at: .byte(0)) }
            try stream.feed(bytes)
        }
        try stream.finish()
    }

    private static func readArchive(
        _ bytes: UnsafeBufferPointer<UInt8>, limits: MarkFileLimits
    ) throws(MarkFileFault) -> MarkFile {
        let archive = try ZIPArchive(bytes, limits: limits)
        var unpacked = 0
        let document = XournalDocument(limits: limits) { name, limit throws(MarkFileFault) in
            let content = try archive.content(of: name, limit: limit)
            // Count every use, because many pictures may refer to the same entry.
            unpacked += content?.count ?? 0
            guard unpacked <= limits.inflatedBytes else {
                throw MarkFileFault(.tooLarge, "unpacks to more than \(limits.inflatedBytes >> 20) MiB")
            }
            return content
        }
        let stream = try XMLStream(limit: limits.inflatedBytes, target: document)
        let isThere = try archive.unpack("content.xml") { piece throws(MarkFileFault) in try stream.feed(piece) }
        guard isThere else { throw MarkFileFault(.malformed, "is a ZIP archive without content.xml") }
        try stream.finish()
        var file = try document.file()
        guard let attached = document.attachedPDF else { return file }
        // The name is relative to the archive's root; some programs leave out the folder `attachments`.
        for name in [attached, "attachments/" + attached] {
            guard let chart = try hash(of: name, in: archive, limits: limits) else { continue }
            file.reference.chart = chart
            break
        }
        return file
    }

    /// The chart of which an entry is a copy, identified by the hash of its bytes; `nil` if there is no such entry.
    private static func hash(of name: String, in archive: ZIPArchive, limits: MarkFileLimits) throws(MarkFileFault) -> ChartHash? {
        var sum = SHA256()
        var count = 0
        let isThere = try archive.unpack(name) { piece throws(MarkFileFault) in
            count += piece.count
            guard count <= limits.inflatedBytes else {
                throw MarkFileFault(.tooLarge, "unpacks to more than \(limits.inflatedBytes >> 20) MiB")
            }
            sum.update(UnsafeRawBufferPointer(piece))
        }
        return isThere ? ChartHash(sum.finish()) : nil
    }
}
