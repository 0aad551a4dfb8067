public import LocalHTTP
public import Platform

/// Where the viewer is to be found.
public struct ViewerSettings: Hashable, Sendable {
    /// The port of 127.0.0.1, and in the network; 0 takes any that is free.
    ///
    /// Default 8737, always the same: a browser keeps bookmarks, the chosen theme and the way of turning pages by address.
    public var port: UInt16
    /// The folder of the file that keeps the name in the viewer's addresses, or `nil` for 127.0.0.1 itself.
    ///
    /// The data folder: a browser files its bookmarks and settings under that name. With 127.0.0.1 other users of this
    /// machine, who may listen at another port of it, could be sent the cookie.
    public var nameFolder: String?

    /// Where in the network it is to be found besides, if anywhere.
    public var network: Network?

    /// Beyond this machine, for who knows a token.
    public struct Network: Hashable, Sendable {
        /// An address of this machine, or one that stands for all of them.
        public let address: IPAddress
        /// By which names and addresses others may call it, as hosts without a port.
        let hosts: [String]
        /// What lets a browser in.
        let token: Secret

        /// `names` are what others may call it by, besides a definite address.
        public init(address: IPAddress, names: [String], token: Secret) {
            self.address = address
            hosts = (address.isAny ? [] : [address.host]) + names.map { IPAddress($0)?.host ?? $0 }
            self.token = token
        }
    }

    /// The port where nothing else is said.
    public static let defaultPort: UInt16 = 8737

    /// Makes settings.
    public init(port: UInt16 = defaultPort, nameFolder: String?, network: Network? = nil) {
        self.port = port
        self.nameFolder = nameFolder
        self.network = network
    }
}
