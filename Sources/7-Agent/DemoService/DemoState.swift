/// Everything the stand-in knows. It is a value, so that a reader has one consistent state and an edit is a single step.
struct DemoState: Sendable, Equatable {
    var people: [Person] = []
    var serviceTypes: [ServiceType] = []
    var plans: [Plan] = []
    var songs: [Song] = []
    var arrangements: [Arrangement] = []
    var keys: [Key] = []
    var attachments: [Attachment] = []
    var layers: [Layer] = []

    struct Person: Sendable, Equatable {
        let id: String
        let firstName: String
        let lastName: String
        var name: String { "\(firstName) \(lastName)" }
    }

    struct ServiceType: Sendable, Equatable {
        let id: String
        let name: String
        let sequence: Int
    }

    struct Plan: Sendable, Equatable {
        let id: String
        let serviceType: String
        var title: String
        var seriesTitle: String?
        var times: [PlanTime]
        var items: [Item]
        /// The musician's answer: `C`, `U` or `D`.
        var status = "C"
        let createdAt: Stamp
        var updatedAt: Stamp
    }

    struct PlanTime: Sendable, Equatable {
        let id: String
        let kind: String
        let name: String
        let starts: Stamp
        let ends: Stamp
    }

    struct Item: Sendable, Equatable {
        let id: String
        var title: String
        /// `song`, `header`, `media` or `item`.
        let kind: String
        var position = "during"
        var length = 0
        var description: String?
        var arrangement: String?
        var key: String?
        let createdAt: Stamp
        var updatedAt: Stamp
    }

    struct Song: Sendable, Equatable {
        let id: String
        let title: String
        let author: String
        let updatedAt: Stamp
    }

    struct Arrangement: Sendable, Equatable {
        let id: String
        let song: String
        let name: String
        /// In beats per minute, if anybody entered it.
        let tempo: Int?
        var updatedAt: Stamp
    }

    struct Key: Sendable, Equatable {
        let id: String
        let arrangement: String
        let name: String
        let starting: String
        let updatedAt: Stamp
    }

    /// The thing that an attachment belongs to.
    enum Owner: Sendable, Hashable {
        case plan(String), item(String), song(String), arrangement(String), key(String), serviceType(String)
    }

    struct Attachment: Sendable, Equatable {
        let id: String
        let owner: Owner
        var filename: String
        let pcoType: String
        let contentType: String?
        /// The bytes at a signed address; `nil` if the file is elsewhere.
        var bytes: [UInt8]?
        /// Where the file is instead.
        var elsewhere: String?
        var pageOrder: JSON = .array([])
        let createdAt: Stamp
        var updatedAt: Stamp

        var isGenerated: Bool { pcoType.hasPrefix("AttachmentChart") }
    }

    struct Layer: Sendable, Equatable {
        let id: String
        let attachment: String
        let person: String
        let personName: String
        var name: String
        var isShared: Bool
        var revision = 1
        var marks: [JSON]
        var updatedAt: Stamp
        var deletedAt: Stamp?
    }
}
