import CommandLine
import Glibc
import Platform
import TestSupport
import Testing

@testable import Host

/// Messages to the service manager that started the process.
@Suite
struct ServiceManagerTests {
    private let folder = TemporaryFolder()

    /// The manager's socket is at a path, or has an abstract name, which is in no folder.
    @Test(arguments: [false, true]) func itIsToldHowFarTheProcessIs(isName: Bool) throws {
        let name = isName ? "@woodshed-test-\(getpid())-\(folder.path.utf8.count)" : folder.path("notify")
        let listener = try NotifySocket(name)
        let manager = ServiceManager(Environment(["NOTIFY_SOCKET": name]))
        manager.report(.ready, status: "two\nlines")
        #expect(listener.next() == "READY=1\nSTATUS=two lines\n")
        manager.report(status: "all is here")
        #expect(listener.next() == "STATUS=all is here\n")
        manager.report(.reloading, status: "reloading")
        #expect(listener.next()?.contains(/^RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]+\nSTATUS=reloading\n$/) == true)
        manager.report(.stopping, status: "ending")
        #expect(listener.next() == "STOPPING=1\nSTATUS=ending\n")
        #expect(listener.next() == nil)
    }

    /// Messages that cannot be sent must not block the agent either.
    @Test func whereNobodyListensNothingIsTold() throws {
        let listener = try NotifySocket(folder.path("notify"))
        ServiceManager(Environment([:])).report(.ready, status: "ready")
        ServiceManager(Environment(["NOTIFY_SOCKET": ""])).report(.ready, status: "ready")
        ServiceManager(Environment(["NOTIFY_SOCKET": folder.path(String(repeating: "x", count: 200))])).report(.ready, status: "ready")
        ServiceManager(Environment(["NOTIFY_SOCKET": folder.path("nobody")])).report(.ready, status: "ready")
        #expect(listener.next() == nil)
        let deaf = ServiceManager(Environment(["NOTIFY_SOCKET": folder.path("notify")]))
        for number in 0..<5000 { deaf.report(status: "\(number)") }
        #expect(listener.next() == "STATUS=0\n")
    }
}
