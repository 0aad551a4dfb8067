public import LocalHTTP
public import Platform

public struct ViewerSettings: Hashable, Sendable {
    /// The port on 127.0.0.1 and on the network; 0 takes any free one.
    ///
    /// `nil` takes the last port again, otherwise the first free one of `usualPorts`: each user of a machine needs one of their own, and it
    /// stays the same, since browsers store bookmarks, the chosen theme and the way of turning pages by address.
    public var port: UInt16?
    /// The ports to choose from if none is set.
    public var usualPorts: ClosedRange<UInt16> = 8737...8746
    /// The folder of the file with the name in the viewer's addresses and the last port, or `nil` for 127.0.0.1 itself.
    ///
    /// It is the data folder, since browsers store bookmarks and settings under that name. With 127.0.0.1, the cookie could be sent to
    /// other users of this machine who listen on another port.
    public var nameFolder: String?

    /// The folder of the key by which pages come back after a restart; no other user may be able to read it. `nil`: they have to be let in
    /// again.
    public var keyFolder: String?

    /// How it can be reached on the network, if at all.
    public var network: Network?

    /// Beyond this machine, for those with a token.
    public struct Network: Hashable, Sendable {
        /// An address of this machine, or one that stands for all of them.
        public let address: IPAddress
        /// The names and addresses that others may use, as hosts without a port.
        let hosts: [String]
        /// The token that lets a browser in.
        let token: Secret
        /// The token for guests' browsers, which change nothing, if there is one.
        var guestToken: Secret?

        /// Whether the token for all but guests is the same.
        public func hasToken(of other: Network?) -> Bool { token == other?.token }

        /// `names` are this machine's names for others, in addition to a specific address.
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
