import TestSupport
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(5)))
struct NetworkFolderTests {
    @Test(arguments: [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x5346_414f] as [Int64])
    func sharesAreOnANetwork(kind: Int64) {
        #expect(Folder.isNetwork(fileSystem: kind))
    }

    @Test(arguments: [0xef53, 0x0102_1994, 0x9123_683e, 0x5846_5342, 0x794c_7630, -1] as [Int64])
    func disksAreNot(kind: Int64) {
        #expect(!Folder.isNetwork(fileSystem: kind))
    }

    @Test func aFolderThatIsNotThereIsAskedOfItsParent() {
        let folder = TemporaryFolder()
        #expect(Folder.isOnNetwork(folder.path("a/b/c")) == Folder.isOnNetwork(folder.path("")))
        #expect(!Folder.isOnNetwork("/proc/none"))
    }
}
