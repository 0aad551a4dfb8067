extension Migration {
    /// The choice of charts that a plan's contents were made with; the next poll tells it.
    static let twentyFifth = Migration(name: "25 choices of charts", sql: "ALTER TABLE plans ADD COLUMN choice TEXT;")
}
