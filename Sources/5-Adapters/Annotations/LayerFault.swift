import Platform

/// Why a layer that is drawn here is not read or written, for people.
public struct LayerFault: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The request itself makes no sense, because of one mark if that is named.
        case senseless(mark: String?)
        /// Something has to be changed first: a file that is not written over, or a setting.
        case inTheWay
        /// The disk refuses to store them.
        case disk
        /// The folder does not answer; the marks stay where they are until it does.
        case folderSilent(String)
    }

    public let kind: Kind
    /// What happened, where, and what to do next. For a browser, which says by itself where the marks are kept then.
    public let reason: String

    public init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }

    /// The fault of the layer at `path` that the system does not write. The file that was being made has another name.
    init(_ error: SystemError, writing path: String) {
        let remedy =
            if error.isDiskFull {
                "Free some space on that disk."
            } else if error.isOfReadOnlyDisk {
                "Make that disk writable, or set another folder in annotations.folders."
            } else {
                "Make sure that you may write in that folder, or set another one in annotations.folders."
            }
        self.init(.disk, "\(SystemError("write", path: path, code: error.code)). \(remedy)")
    }

    public var description: String {
        switch kind {
        case .senseless, .folderSilent: reason
        case .inTheWay, .disk: "Your marks are not kept: \(reason)"
        }
    }
}
