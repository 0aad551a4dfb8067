/// A case of merging the values of one mark, in any order. The agent and the browser's script must both pass it.
public struct JoinCase: Decodable, Sendable, CustomStringConvertible {
    public struct Value: Decodable, Sendable {
        /// For each device, the number of its last edit that this value includes.
        public let v: [String: Int]
        /// Nil for a deletion.
        public let mark: String?
    }

    public let name: String
    public let values: [Value]
    /// The mark that is shown; nil if none is.
    public let shown: String?
    /// The other marks that are kept, and the versions of the deletions that are kept.
    public let also: [String]
    public let deleted: [[String: Int]]

    public var description: String { name }

    /// The cases as JSON, which the agent's and the browser's tests both read.
    public static let json = """
        [
          {"name": "nothing is known", "values": [], "shown": null, "also": [], "deleted": []},
          {"name": "an edit replaces what it knew",
           "values": [{"v": {"a": 1}, "mark": "old"}, {"v": {"a": 1, "b": 1}, "mark": "new"}],
           "shown": "new", "also": [], "deleted": []},
          {"name": "edits that did not know of each other both stay, and the higher number is shown",
           "values": [{"v": {"a": 1, "b": 1}, "mark": "b's"}, {"v": {"a": 2}, "mark": "a's"}],
           "shown": "a's", "also": ["b's"], "deleted": []},
          {"name": "among equal numbers the later device is shown",
           "values": [{"v": {"b": 2}, "mark": "b's"}, {"v": {"a": 2}, "mark": "a's"}, {"v": {"c": 1}, "mark": "c's"}],
           "shown": "b's", "also": ["a's", "c's"], "deleted": []},
          {"name": "two edits on top of the same greatest number are told apart by the rest",
           "values": [{"v": {"a": 1, "b": 5}, "mark": "a's"}, {"v": {"b": 5, "c": 2}, "mark": "c's"}],
           "shown": "c's", "also": ["a's"], "deleted": []},
          {"name": "of the same devices, the rest goes by the numbers",
           "values": [{"v": {"a": 2, "b": 1, "z": 9}, "mark": "one"}, {"v": {"a": 1, "b": 3, "z": 9}, "mark": "other"}],
           "shown": "one", "also": ["other"], "deleted": []},
          {"name": "a mark beats a deletion that did not know it",
           "values": [{"v": {"a": 9}, "mark": null}, {"v": {"b": 1}, "mark": "b's"}],
           "shown": "b's", "also": [], "deleted": [{"a": 9}]},
          {"name": "a deletion that knew all leaves nothing",
           "values": [{"v": {"a": 2}, "mark": "a's"}, {"v": {"b": 1}, "mark": "b's"}, {"v": {"a": 2, "b": 1, "c": 1}, "mark": null}],
           "shown": null, "also": [], "deleted": [{"a": 2, "b": 1, "c": 1}]},
          {"name": "deletions that did not know of each other both stay",
           "values": [{"v": {"a": 1}, "mark": null}, {"v": {"b": 1}, "mark": null}],
           "shown": null, "also": [], "deleted": [{"a": 1}, {"b": 1}]},
          {"name": "an edit of a deleted mark brings it back",
           "values": [{"v": {"a": 1}, "mark": null}, {"v": {"a": 1, "b": 1}, "mark": "again"}],
           "shown": "again", "also": [], "deleted": []},
          {"name": "the same value twice is one",
           "values": [{"v": {"a": 1}, "mark": "it"}, {"v": {"a": 1}, "mark": "it"}],
           "shown": "it", "also": [], "deleted": []},
          {"name": "what nobody numbered gives way to any edit",
           "values": [{"v": {}, "mark": "old"}, {"v": {"a": 1}, "mark": "new"}],
           "shown": "new", "also": [], "deleted": []}
        ]
        """
}
