/// Where the viewer is to be found.
public struct ViewerSettings: Hashable, Sendable {
    /// The port of 127.0.0.1; 0 takes any that is free.
    ///
    /// Default 8737, always the same: a browser keeps bookmarks, the chosen theme and the way of turning pages by address.
    public var port: UInt16
    /// The folder of the file that keeps the name in the viewer's addresses, or `nil` for 127.0.0.1 itself.
    ///
    /// The data folder: a browser files its bookmarks and settings under that name. With 127.0.0.1 other users of this
    /// machine, who may listen at another port of it, could be sent the cookie.
    public var nameFolder: String?

    /// The port where nothing else is said.
    public static let defaultPort: UInt16 = 8737

    /// Makes settings.
    public init(port: UInt16 = defaultPort, nameFolder: String?) {
        self.port = port
        self.nameFolder = nameFolder
    }
}
