public import LocalHTTP
public import Platform

public struct ViewerSettings: Hashable, Sendable {
    /// The port on 127.0.0.1 and on the network; 0 takes any free one.
    ///
    /// `nil` takes the previous port again if it is free and one of `usualPorts`, or else the first free one of these. Each user of a
    /// machine needs a port, which should stay the same: browsers store bookmarks, the theme and the settings for turning pages by address.
    public var port: UInt16?
    /// The ports to choose from if `port` is not set.
    public var usualPorts: ClosedRange<UInt16> = 8737...8746
    /// The folder of the file with the viewer's host name and last port; `nil` for 127.0.0.1.
    ///
    /// This is the data folder, since browsers store bookmarks and settings under that name. With 127.0.0.1, the cookie could be
    /// sent to other users of this machine who listen on another port.
    public var nameFolder: String?

    /// The folder of the key with which pages return after a restart; no other user may be able to read it. `nil` if pages have to
    /// sign in again.
    public var keyFolder: String?

    /// Access from the network; `nil` for none.
    public var network: Network?

    /// Access from the network, for those with a token.
    public struct Network: Hashable, Sendable {
        /// An address of this machine, or the one that stands for all its addresses.
        public let address: IPAddress
        /// The names and addresses that browsers on the network may use, as hosts without a port.
        let hosts: [String]
        /// The token that signs a browser in.
        let token: Secret
        /// The token for guests' browsers, which may change nothing; `nil` for none.
        var guestToken: Secret?

        /// Whether the musicians' token is the same as `other`'s.
        public func hasToken(of other: Network?) -> Bool { token == other?.token }

        /// `names` are this machine's names on the network, in addition to a specific address.
        public init(address: IPAddress, names: [String], token: Secret, guestToken: Secret? = nil) {
            self.address = address
            hosts = (address.isAny ? [] : [address.host]) + names.map { IPAddress($0)?.host ?? $0 }
            (self.token, self.guestToken) = (token, guestToken)
        }
    }

    public init(port: UInt16? = nil, nameFolder: String?, keyFolder: String? = nil, network: Network? = nil) {
        (self.port, self.nameFolder, self.keyFolder, self.network) = (port, nameFolder, keyFolder, network)
    }
}
