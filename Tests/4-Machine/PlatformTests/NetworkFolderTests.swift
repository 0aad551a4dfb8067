import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(5)))
struct NetworkFolderTests {
    @Test(arguments: ["nfs", "nfs4", "cifs", "smb3", "fuse", "fuse.sshfs", "fuse.rclone", "fuseblk", "9p", "afs", "ceph", "autofs"])
    func sharesAreOnANetwork(kind: String) {
        #expect(Mounts.isNetwork(kind))
    }

    @Test(arguments: ["ext4", "btrfs", "xfs", "tmpfs", "overlay", "exfat", "vfat", "zfs", "fusectl", ""])
    func disksAreNot(kind: String) {
        #expect(!Mounts.isNetwork(kind))
    }

    private static func lines(_ mounts: [(folder: String, kind: String)]) -> Mounts {
        Mounts(reading: mounts.map { "36 35 98:0 / \($0.folder) rw,noatime shared:1 master:2 - \($0.kind) /dev/x rw\n" }.joined())
    }

    @Test func aPathIsWhereTheInnermostMountIs() {
        let mounts = Self.lines([("/", "ext4"), ("/mnt/nas", "nfs4"), ("/mnt/nas2", "ext4"), ("/mnt/my\\040stick", "fuseblk")])
        #expect(mounts.isOnNetwork("/mnt/nas") && mounts.isOnNetwork("/mnt/nas/a/b") && mounts.isOnNetwork("/mnt/x/../nas/./a"))
        #expect(mounts.isOnNetwork("/mnt/my stick/a"))
        #expect(!mounts.isOnNetwork("/mnt/nas2/a") && !mounts.isOnNetwork("/mnt/nasty") && !mounts.isOnNetwork("/mnt"))
        #expect(!mounts.isOnNetwork("/") && Self.lines([("/", "nfs")]).isOnNetwork("/a"))
        // A later mount hides an earlier one in the same place.
        #expect(!Self.lines([("/mnt", "nfs"), ("/mnt", "ext4")]).isOnNetwork("/mnt/a"))
        #expect(Self.lines([("/mnt", "autofs"), ("/mnt", "nfs")]).isOnNetwork("/mnt/a"))
    }

    @Test func linksAreFollowedOnlyOnDisksOfThisMachine() throws {
        let folder = TemporaryFolder()
        try Folder.create(folder.path("share"))
        let links = [
            "full": folder.path("share"), "near": "share", "on": "near/below", "round": "round",
            "up": "../\(folder.path.split(separator: "/").last!)/share",
        ]
        for (name, target) in links { #expect(symlink(target, folder.path(name)) == 0) }
        let mounts = Self.lines([
            ("/", "ext4"), (try #require(realpath(folder.path, nil).map { String(cString: $0) }) + "/share", "fuse.sshfs"),
        ])
        for name in ["full", "near/a", "on", "on/c", "up"] { #expect(mounts.isOnNetwork(folder.path(name)), "\(name)") }
        #expect(!mounts.isOnNetwork(folder.path("round/a")) && !mounts.isOnNetwork(folder.path("other")))
        #expect(mounts.networkFolders(in: folder.path) == [folder.path("share")])
        #expect(mounts.networkFolders(in: folder.path("share")) == [])
    }

    @Test func theMountsOfThisMachineAreRead() {
        #expect(!Folder.isOnNetwork("/proc/none"))
    }
}
