public import Platform

/// This program's own password at a Nextcloud, which the musician can withdraw there at any time.
public struct NextcloudAccess: Hashable, Sendable {
    /// Sent together with the password. It may be an e-mail address, while the paths of files have the user's id.
    public let loginName: String
    public let password: Secret
    /// The server's own address, of the same origin as the one that was asked.
    public let server: String

    public init(loginName: String, password: Secret, server: String) {
        (self.loginName, self.password, self.server) = (loginName, password, server)
    }

    /// Writes it as the one line `user:password` of a file that only this user can read. Makes the folder if there is none.
    public func write(to path: String) throws(SystemError) {
        try Folder.create(Folder.parent(of: path))
        try AtomicFile.write("\(loginName):\(password.revealed)\n", to: path)
    }
}
