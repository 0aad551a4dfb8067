import CShims
import Glibc

extension Folder {
    /// Whether this machine's kernel may not hear what others do to a folder: it is on a network file system, or on one
    /// that a program provides, such as sshfs.
    ///
    /// A folder that does not exist yet counts as being where its parent is.
    public static func isOnNetwork(_ path: String) -> Bool {
        var path = path
        var kind = woodshed_file_system(path)
        while kind < 0, errno == ENOENT, parent(of: path) != path {
            path = parent(of: path)
            kind = woodshed_file_system(path)
        }
        return kind < 0 ? hostsGone.contains(errno) : isNetwork(fileSystem: kind)
    }

    /// Where the disk is mounted that a folder is on.
    public static func mountPoint(of path: String) -> String {
        func device(_ path: String) -> dev_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_dev : nil
        }
        var path = path
        while path != "/", path != ".", device(parent(of: path)) == device(path) { path = parent(of: path) }
        return path
    }

    /// Opens a new file in a folder that has no name; -1 where the file system has no such files.
    static func openUnnamedFile(in folder: String, mode: UInt32) -> Int32 { woodshed_unnamed_file(folder, mode) }

    /// Whether this is the number of a network file system.
    static func isNetwork(fileSystem kind: Int64) -> Bool { networks.contains(kind) }

    /// The errors for a share whose other end does not answer.
    private static let hostsGone: Set<Int32> = [ENOTCONN, ESTALE, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT]

    /// From linux/magic.h and the file systems' own sources.
    private static let networks: Set<Int64> = [
        0x6969,  // NFS
        0x517b, 0xff53_4d42, 0xfe53_4d42,  // SMB, CIFS, SMB2
        0x6573_5546,  // FUSE
        0x0102_1997,  // 9p
        0x5346_414f, 0x6b41_4653,  // AFS, two of them
        0x00c3_6400,  // Ceph
        0x7375_7245, 0x564c,  // Coda, NCP
    ]
}
