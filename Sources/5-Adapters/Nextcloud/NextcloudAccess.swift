public import Platform

/// This program's own password at a Nextcloud, which the musician can withdraw there at any time.
public struct NextcloudAccess: Hashable, Sendable {
    /// The name to send with the password. It may be an e-mail address, although the paths of files contain the user's id.
    public let loginName: String
    public let password: Secret
    /// The server's own address, which has the same origin as the address that the musician gave.
    public let server: String

    public init(loginName: String, password: Secret, server: String) {
        (self.loginName, self.password, self.server) = (loginName, password, server)
    }

    /// Writes the line `user:password` to a file that only this user can read, and makes the file's folder if it is missing.
    public func write(to path: String) throws(SystemError) {
        try Folder.create(Folder.parent(of: path))
        try AtomicFile.write("\(loginName):\(password.revealed)\n", to: path)
    }
}
