/// All data of the stand-in. It is a value type, so readers have a consistent state, and an edit is a single step.
package struct DemoState: Sendable, Equatable {
    var people: [Person] = []
    var serviceTypes: [ServiceType] = []
    package var plans: [Plan] = []
    package var songs: [Song] = []
    package var arrangements: [Arrangement] = []
    package var keys: [Key] = []
    package var attachments: [Attachment] = []
    package var layers: [Layer] = []

    package struct Person: Sendable, Equatable {
        let id: String
        let firstName: String
        let lastName: String
        var name: String { "\(firstName) \(lastName)" }
    }

    package struct ServiceType: Sendable, Equatable {
        let id: String
        let name: String
        let sequence: Int
    }

    package struct Plan: Sendable, Equatable {
        package let id: String
        let serviceType: String
        package var title: String
        var seriesTitle: String?
        package var times: [PlanTime]
        package var items: [Item]
        /// The musician's answer: `C`, `U` or `D`.
        var status = "C"
        let createdAt: Stamp
        package var updatedAt: Stamp
    }

    package struct PlanTime: Sendable, Equatable {
        let id: String
        let kind: String
        let name: String
        let starts: Stamp
        let ends: Stamp

        /// A service of one hour.
        package static func service(_ id: String, starts: Stamp) -> PlanTime {
            PlanTime(id: id, kind: "service", name: "Service", starts: starts, ends: starts + 3600)
        }
    }

    package struct Item: Sendable, Equatable {
        package let id: String
        package var title: String
        /// `song`, `header`, `media` or `item`.
        let kind: String
        var position = "during"
        var length = 0
        var description: String?
        package var arrangement: String?
        /// The item's own name for its key; the arrangement need not have a key with this name.
        package var keyName: String?
        package var key: String?
        let createdAt: Stamp
        package var updatedAt: Stamp
    }

    package struct Song: Sendable, Equatable {
        package let id: String
        package let title: String
        let author: String
        let updatedAt: Stamp
    }

    package struct Arrangement: Sendable, Equatable {
        let id: String
        package let song: String
        let name: String
        /// In beats per minute; `nil` if nobody entered it.
        let tempo: Int?
        package var words: DemoWords
        package var updatedAt: Stamp
    }

    package struct Key: Sendable, Equatable {
        package let id: String
        package let arrangement: String
        let name: String
        package let starting: String
        let updatedAt: Stamp
    }

    /// The owner of an attachment.
    package enum Owner: Sendable, Hashable {
        case plan(String), item(String), song(String), arrangement(String), key(String), serviceType(String)
    }

    package struct Attachment: Sendable, Equatable {
        package let id: String
        let owner: Owner
        var filename: String
        let pcoType: String
        let contentType: String?
        /// The bytes behind a signed address; `nil` if the file is on another site.
        package var bytes: [UInt8]?
        /// The address of a file on another site.
        var elsewhere: String?
        var pageOrder: JSON = .array([])
        let createdAt: Stamp
        var updatedAt: Stamp

        var isGenerated: Bool { pcoType.hasPrefix("AttachmentChart") }
    }

    package struct Layer: Sendable, Equatable {
        package let id: String
        package let attachment: String
        let person: String
        let personName: String
        var name: String
        var isShared: Bool
        var revision = 1
        var marks: [JSON]
        var updatedAt: Stamp
    }
}
