import Glibc
public import LayerJoin
public import Model
import Platform

/// A layer's file. Every write starts from the layer that the file contains at that moment, joins the new values to it, and
/// replaces the file completely or not at all.
public enum LayerFile {
    /// Reads the layer at `path`; `nil` if there is no file. If the file still has the stamp of `known`, it is not read, and
    /// `known` is returned.
    public static func read(_ path: String, known: State? = nil) throws(Trouble) -> State? {
        var status = stat()
        if let known, lstat(path, &status) == 0, FileStamp(status) == known.stamp { return known }
        do throws(MarkFileFault) {
            let (bytes, stamp) = try MarkFileReader.content(path, limits: MarkFileLimits(), whileReading: {})
            return State(document: try LayerDocument(bytes), stamp: stamp)
        } catch {
            if error.reason == .missing { return nil }
            throw Trouble(.inTheWay, "\(path) \(error), and is not written over. Mend it, or move it away.")
        }
    }

    /// A layer as it is on disk.
    public struct State: Sendable {
        public let document: LayerDocument
        public let stamp: FileStamp
    }

    /// A layer to which values were added.
    public struct Addition: Sendable {
        public let document: LayerDocument
        /// The file's stamp before the addition; `nil` if there was no file.
        public let former: FileStamp?
        /// The layer on disk after the addition; `nil` if there is still no file, or if somebody has already changed the new file.
        public let state: State?
        /// The new file as other readers see it; `nil` if nothing was written.
        public let written: MarkFile?
    }

    /// Adds `values` to the layer at `path`, and the values of `part` that the file lost. A missing file begins as `fresh`. If
    /// nothing is new, nothing is written. The file names its `writer`. On file systems without unnamed files, the incomplete
    /// file has the name `temporary`, which no other file may have.
    ///
    /// `beforePublishing` is called in each attempt when the new file is complete, but not yet in its place.
    public static func add(
        _ values: [LayerValue], to path: String, fresh: LayerDocument, known: State? = nil, part: LayerPart = LayerPart(),
        by writer: String? = nil, temporary: String = ".tmp-layer", beforePublishing: () -> Void = {}
    ) throws(Trouble) -> Addition {
        let folder: Descriptor
        do throws(SystemError) {
            folder = try Descriptor.open(Folder.parent(of: path), O_RDONLY | O_DIRECTORY)
        } catch {
            throw Self.notWritten(path, error)
        }
        // The lock admits one writer at a time, in any process. Where folders cannot be locked, only the stamp reveals a change.
        flock(folder.number, LOCK_EX)
        for _ in 0..<mostTries {
            let former = try read(path, known: known)
            guard former?.document.isOwn != false else { throw foreign(path) }
            var document = former?.document ?? fresh
            guard document.join(values, known: part, by: writer) else {
                return Addition(document: document, former: former?.stamp, state: former, written: nil)
            }
            let ids = Set(values.map(\.id))
            let writing = (path: path, temporary: temporary, former: former?.stamp)
            if let (file, stamp) = try publish(document, with: ids, writing, beforePublishing) {
                let state = stamp.map { State(document: document, stamp: $0) }
                return Addition(document: document, former: former?.stamp, state: state, written: file)
            }
        }
        throw Trouble(.inTheWay, "another program writes \(path) all the time. End that program.")
    }

    private static let mostTries = 5

    /// Why the layer at `path` could not be written. The sentence names `path` itself, because the error may name the temporary file.
    static func notWritten(_ path: String, _ error: SystemError) -> Trouble {
        let remedy =
            if error.isDiskFull {
                "Free some space on that disk."
            } else if error.isOfReadOnlyDisk {
                "Make that disk writable, or set another folder in annotations.folders."
            } else {
                "Make sure that you may write in that folder, or set another one in annotations.folders."
            }
        return Trouble(.noRoom, "\(SystemError("write", path: path, code: error.code)). \(remedy)")
    }

    /// The trouble with a file that another program created. Such a file is never written.
    public static func foreign(_ path: String) -> Trouble {
        Trouble(.inTheWay, "\(path) was made by another program, and is not written over. Give it another name.")
    }

    /// Writes the layer, and returns it with its stamp. If the file's stamp differs from `former`, or a file has appeared where
    /// none was, nothing is written, and `nil` is returned. The stamp alone is `nil` if somebody has already changed the new file.
    private static func publish(
        _ document: LayerDocument, with new: Set<MarkID>, _ writing: (path: String, temporary: String, former: FileStamp?),
        _ beforePublishing: () -> Void
    ) throws(Trouble) -> (file: MarkFile, stamp: FileStamp?)? {
        let (path, former) = (writing.path, writing.former)
        let bytes = document.bytes()
        let content: MarkFile
        do throws(MarkFileFault) {
            content = try NativeLayerReader.read(bytes, limits: MarkFileLimits())
            // Check only the new marks, since all others were read from a file.
            let part = document.holding(only: new)
            guard try LayerDocument(part.bytes()).part.layer == part.part.layer else {
                throw MarkFileFault(.malformed, "would not be read as it was written")
            }
        } catch {
            throw Trouble(.inTheWay, "with them, \(path) \(error). Delete some that you no longer need.")
        }
        do throws(SystemError) {
            var status = stat()
            let mode = former != nil && lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
            let file = try TemporaryFile.createUnnamed(inFolderOf: path, mode: mode, as: writing.temporary)
            // The process's umask must not change the permissions of an existing file.
            if former != nil { fchmod(file.descriptor, mode) }
            try write(bytes, to: file)
            try file.syncContent()
            let complete = try stamp(of: file)
            beforePublishing()
            if let former {
                guard lstat(path, &status) == 0, FileStamp(status) == former else { return nil }
                try file.publish(as: path, durability: .synced)
            } else {
                guard try file.publishWhereFree(as: path) else { return nil }
            }
            // Publishing changes only the time of the last status change. If size or modification time differ, somebody else has written.
            let published = try stamp(of: file)
            let isUntouched = (published.size, published.modified) == (complete.size, complete.modified)
            return (content, isUntouched ? published : nil)
        } catch {
            throw Self.notWritten(path, error)
        }
    }

    private static func stamp(of file: TemporaryFile) throws(SystemError) -> FileStamp {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw SystemError("look at", path: file.path) }
        return FileStamp(status)
    }

    private static func write(_ bytes: [UInt8], to file: TemporaryFile) throws(SystemError) {
        let written = bytes.withUnsafeBytes { bytes in Result { () throws(SystemError) in try file.write(bytes) } }
        try written.get()
    }
}
